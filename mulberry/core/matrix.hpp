// Matrix: dense, row-major, double. Row-major holds for every dense array of the library.
// Index types of the library: Index for counts and offsets, Id for row, column and label numbers.
#pragma once

#include <cstdint>
#include <span>

#include "mulberry/core/array.hpp"

namespace mulberry::core {

using Index = std::int64_t;
using Id = std::int32_t;

class Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index cols, double value = 0.0)
      : values_(static_cast<std::size_t>(rows * cols), value), rows_(rows), cols_(cols) {}
  Matrix(Index rows, Index cols, Array<double> values)
      : values_(std::move(values)), rows_(rows), cols_(cols) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  const double* data() const { return values_.data(); }
  double* data() { return values_.edit().data(); }
  const Array<double>& values() const { return values_; }

  double operator()(Index i, Index j) const {
    return values_[static_cast<std::size_t>(i * cols_ + j)];
  }
  double& operator()(Index i, Index j) { return data()[i * cols_ + j]; }
  std::span<const double> row(Index i) const {
    return {data() + i * cols_, static_cast<std::size_t>(cols_)};
  }
  std::span<double> row(Index i) { return {data() + i * cols_, static_cast<std::size_t>(cols_)}; }
  bool operator==(const Matrix&) const = default;

 private:
  Array<double> values_;
  Index rows_ = 0, cols_ = 0;
};

}  // namespace mulberry::core
