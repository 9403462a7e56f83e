// Dense values of another program, read where they are: floats or doubles, with rows and columns
// any distance apart. Features over them convert what is read, some rows at a time, so that no
// second matrix is made unless a learner needs the whole in one piece.
#pragma once

#include <memory>
#include <mutex>

#include "mulberry/core/matrix.hpp"

namespace mulberry::data {

class Strided {
 public:
  // Steps count values, and may be negative; `owner` keeps the values alive.
  Strided(const float* values, Index rows, Index cols, Index row_step, Index col_step,
          std::shared_ptr<const void> owner);
  Strided(const double* values, Index rows, Index cols, Index row_step, Index col_step,
          std::shared_ptr<const void> owner);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  const void* address() const {
    return floats_ != nullptr ? static_cast<const void*>(floats_) : doubles_;
  }
  double at(Index i, Index j) const {
    const Index place = i * row_step_ + j * col_step_;
    return floats_ != nullptr ? static_cast<double>(floats_[place]) : doubles_[place];
  }
  // The row as it is, or nullptr if it is not one of floats next to each other.
  const float* floats(Index i) const {
    return floats_ != nullptr && col_step_ == 1 ? floats_ + i * row_step_ : nullptr;
  }
  // The columns [begin, end) of these rows, row after row.
  void read(std::span<const Id> rows, Index begin, Index end, double* out) const;
  // Those columns of the rows first, first + 1, ..., first + count - 1.
  void read(Index first, Index count, Index begin, Index end, double* out) const;
  // All values as doubles; made when it is first asked for, and kept.
  const FixedMatrix& whole() const;

 private:
  template <class RowOf>
  void read_some(Index count, const RowOf& row_of, Index begin, Index end, double* out) const;

  const float* floats_ = nullptr;
  const double* doubles_ = nullptr;
  Index rows_, cols_, row_step_, col_step_;
  std::shared_ptr<const void> owner_;
  mutable std::once_flag made_;
  mutable FixedMatrix whole_;
};

}  // namespace mulberry::data
