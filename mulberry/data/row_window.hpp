// RowWindow: the rows of dense features in turn, as doubles. Rows that are stored as doubles are
// read where they are; others are converted some rows at a time (data/strided.hpp).
#pragma once

#include <algorithm>

#include "mulberry/core/index.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::data {

class RowWindow {
 public:
  explicit RowWindow(const Features& x) : x_(x) {
    // A megabyte, or the four rows that whoever works on four at a time has in hand.
    if (x.strided() != nullptr) {
      rows_ = std::clamp<Index>((1 << 17) / std::max<Index>(1, x.cols()) / 4 * 4, 4, 64);
    }
  }
  // Rows 4 k to 4 k + 3 may be held together; others only until the next call.
  const double* row(Index i) {
    if (x_.strided() == nullptr) return x_.dense_row(i).data();
    if (i < begin_ || i >= end_) load(i);
    return lines_.data() + (i - begin_) * x_.cols();
  }
  std::span<const double> values(Index i) { return {row(i), at(x_.cols())}; }

 private:
  void load(Index i) {
    begin_ = i / rows_ * rows_;
    end_ = std::min(x_.rows(), begin_ + rows_);
    lines_.resize(at(rows_ * x_.cols()));
    x_.read_block(begin_, end_, 0, x_.cols(), lines_.data());
  }

  const Features& x_;
  Index rows_ = 0, begin_ = 0, end_ = 0;
  std::vector<double> lines_;
};

}  // namespace mulberry::data
