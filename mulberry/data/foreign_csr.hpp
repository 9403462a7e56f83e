// Sparse values of another program, read where they are: floats or doubles, with columns of 32 or
// 64 bits. Features over them convert what is read, a row at a time, so that no second matrix is
// made unless a learner needs the whole in one piece.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "mulberry/core/index.hpp"
#include "mulberry/data/csr.hpp"

namespace mulberry::data {

// Room for one row, if it has to be converted.
struct SparseLine {
  std::vector<Id> index;
  std::vector<double> value;
};

class ForeignCsr {
 public:
  // The columns increase strictly within a row and are below `cols`; `owner` keeps both lists
  // alive.
  template <class Column, class Value>
  ForeignCsr(Index rows, Index cols, Array<Index> start, const Column* index, const Value* value,
             std::shared_ptr<const void> owner)
      : rows_(rows), cols_(cols), start_(std::move(start)), owner_(std::move(owner)) {
    take(index);
    take(value);
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index nonzeros() const { return start_[static_cast<std::size_t>(rows_)]; }
  const void* address() const {
    return floats_ != nullptr ? static_cast<const void*>(floats_) : doubles_;
  }
  // f(columns, values, count) with pointers to what row i has, of whatever types they are.
  template <class F>
  [[gnu::always_inline]] void visit(Index i, const F& f) const {
    const Index begin = start_[at(i)];
    const Index count = start_[at(i) + 1] - begin;
    if (floats_ == nullptr && wide_ == nullptr) {
      f(narrow_ + begin, doubles_ + begin, count);
    } else if (floats_ == nullptr) {
      f(wide_ + begin, doubles_ + begin, count);
    } else if (wide_ == nullptr) {
      f(narrow_ + begin, floats_ + begin, count);
    } else {
      f(wide_ + begin, floats_ + begin, count);
    }
  }
  // Row i; what is converted lies in `line`.
  SparseRow row(Index i, SparseLine& line) const;
  // All of it; made when it is first asked for, and kept.
  const Csr& whole() const;

 private:
  void take(const Id* index) { narrow_ = index; }
  void take(const std::int64_t* index) { wide_ = index; }
  void take(const float* value) { floats_ = value; }
  void take(const double* value) { doubles_ = value; }

  Index rows_, cols_;
  Array<Index> start_;
  const Id* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
  const float* floats_ = nullptr;
  const double* doubles_ = nullptr;
  std::shared_ptr<const void> owner_;
  mutable std::once_flag made_;
  mutable Csr whole_;
};

}  // namespace mulberry::data
