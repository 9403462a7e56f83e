// Dense, row-major matrices of doubles; row-major holds for every dense array of the library. Three
// types say who owns the values and who may change them:
//
//     Matrix       owns its values; the holder may change them. Copying copies.
//     FixedMatrix  values that nobody changes, shared by all holders, or borrowed from a mapped
//                  file or another program's array. Copying is free. Made from a Matrix by moving
//                  it.
//     MatrixView   reads the values of either, owns nothing; passed by value.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "mulberry/core/array.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::core {

class Matrix;
class FixedMatrix;

class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(const double* data, Index rows, Index cols) : data_(data), rows_(rows), cols_(cols) {}
  MatrixView(const Matrix& matrix);       // NOLINT: a matrix can be read
  MatrixView(const FixedMatrix& matrix);  // NOLINT

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  const double* data() const { return data_; }
  std::span<const double> values() const { return {data_, at(size())}; }
  double operator()(Index i, Index j) const { return data_[i * cols_ + j]; }
  std::span<const double> row(Index i) const { return {data_ + i * cols_, at(cols_)}; }

 private:
  const double* data_ = nullptr;
  Index rows_ = 0, cols_ = 0;
};

inline bool operator==(MatrixView a, MatrixView b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && std::ranges::equal(a.values(), b.values());
}

class Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index cols, double value = 0.0)
      : values_(at(rows * cols), value), rows_(rows), cols_(cols) {}
  Matrix(Index rows, Index cols, std::vector<double> values)
      : values_(std::move(values)), rows_(rows), cols_(cols) {}
  explicit Matrix(MatrixView other)
      : values_(other.values().begin(), other.values().end()),
        rows_(other.rows()),
        cols_(other.cols()) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  const double* data() const { return values_.data(); }
  double* data() { return values_.data(); }
  const std::vector<double>& values() const { return values_; }
  std::vector<double> take() && { return std::move(values_); }

  double operator()(Index i, Index j) const { return data()[i * cols_ + j]; }
  double& operator()(Index i, Index j) { return data()[i * cols_ + j]; }
  std::span<const double> row(Index i) const { return {data() + i * cols_, at(cols_)}; }
  std::span<double> row(Index i) { return {data() + i * cols_, at(cols_)}; }

 private:
  std::vector<double> values_;
  Index rows_ = 0, cols_ = 0;
};

class FixedMatrix {
 public:
  FixedMatrix() = default;
  FixedMatrix(Matrix matrix)  // NOLINT: a matrix that nobody changes any more
      : rows_(matrix.rows()), cols_(matrix.cols()) {
    values_ = std::move(matrix).take();
  }
  FixedMatrix(Index rows, Index cols, Array<double> values)
      : values_(std::move(values)), rows_(rows), cols_(cols) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  const double* data() const { return values_.data(); }
  const Array<double>& values() const { return values_; }
  double operator()(Index i, Index j) const { return data()[i * cols_ + j]; }
  std::span<const double> row(Index i) const { return {data() + i * cols_, at(cols_)}; }

 private:
  Array<double> values_;
  Index rows_ = 0, cols_ = 0;
};

inline MatrixView::MatrixView(const Matrix& matrix)
    : MatrixView(matrix.data(), matrix.rows(), matrix.cols()) {}
inline MatrixView::MatrixView(const FixedMatrix& matrix)
    : MatrixView(matrix.data(), matrix.rows(), matrix.cols()) {}

}  // namespace mulberry::core
