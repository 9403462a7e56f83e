// KernelMatrix: all values of a kernel between the training rows, for solvers that visit them again
// and again.
//
// Held in double precision, in single precision (sums are double all the same), or not at all: then
// values are computed whenever they are asked for. `fitting` chooses by a limit of memory, and
// `bytes` says what a choice takes, both before anything is allocated. Only half of the values are
// computed. The same bits on any number of threads.
#pragma once

#include <span>
#include <vector>

#include "mulberry/math/dense/large_array.hpp"
#include "mulberry/math/kernels/kernels.hpp"

namespace mulberry::math {

enum class KernelStorage { f64, f32, none };

class KernelMatrix {
 public:
  static std::size_t bytes(Index rows, KernelStorage storage);
  // The most precise storage of at most `limit` bytes.
  static KernelStorage fitting(Index rows, std::size_t limit);

  // `x` must outlive the matrix.
  KernelMatrix(const Kernel& kernel, const Features& x, KernelStorage storage, const Context& ctx);

  Index rows() const { return blocks_.rows(); }
  const Kernel& kernel() const { return kernel_; }
  KernelStorage storage() const { return storage_; }

  // Rows begin .. begin + out.rows - 1 in double precision, all columns.
  void copy_rows(Index begin, blas::Block<double> out) const;
  // K[i, i], as it is stored.
  double diagonal(Index i) const;
  // The values among rows begin .. begin + out.rows - 1.
  void copy_square(Index begin, blas::Block<double> out) const;
  // out_k = sum_j K[rows_k, j] c_j, on the calling thread.
  void times(std::span<const Id> rows, std::span<const double> c, std::span<double> out) const;
  // K a, in parallel over blocks of rows.
  Matrix product(MatrixView a, const Context& ctx) const;

  // The values themselves; only in this storage.
  blas::Block<const double> doubles() const;
  FixedMatrix take_doubles() &&;
  blas::Block<const float> floats() const;

 private:
  void copy_cells(Index row, Index col, blas::Block<double> out) const;

  Kernel kernel_;
  KernelBlocks blocks_;
  KernelStorage storage_;
  LargeArray<double> doubles_;
  LargeArray<float> floats_;
};

}  // namespace mulberry::math
