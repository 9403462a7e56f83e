// Dense values of another program, read where they are: floats or doubles, with rows and columns
// any distance apart, and columns that a learner appended to them. Features over them convert what is
// read, some rows at a time, so that no second matrix is made unless a learner needs the whole in
// one piece.
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
  // The columns of `right` after those of `left`: row i has row rows[i] of `left`, or row i if there
  // is no list of rows.
  Strided(std::shared_ptr<const Strided> left, Array<Id> rows, FixedMatrix right);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  // Where they begin in memory; with appended columns, where those do.
  const void* address() const {
    if (left_) return right_.data();
    return floats_ != nullptr ? static_cast<const void*>(floats_) : doubles_;
  }
  double at(Index i, Index j) const {
    if (left_) {
      const Index own = j - left_->cols();
      return own < 0 ? left_->at(left_row(i), j) : right_(i, own);
    }
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
  Index left_row(Index i) const {
    return rows_of_left_.size() == 0 ? i : rows_of_left_[core::at(i)];
  }
  // Rows of the answer are `step` numbers apart.
  template <class RowOf>
  void read_some(Index count, const RowOf& row_of, Index begin, Index end, double* out,
                 Index step) const;
  template <class RowOf>
  void read_joined(Index count, const RowOf& row_of, Index begin, Index end, double* out,
                   Index step) const;
  void read(std::span<const Id> rows, Index begin, Index end, double* out, Index step) const;

  const float* floats_ = nullptr;
  const double* doubles_ = nullptr;
  Index rows_, cols_, row_step_ = 0, col_step_ = 0;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const Strided> left_;  // with appended columns: what is before them
  Array<Id> rows_of_left_;
  FixedMatrix right_;
  mutable std::once_flag made_;
  mutable FixedMatrix whole_;
};

}  // namespace mulberry::data
