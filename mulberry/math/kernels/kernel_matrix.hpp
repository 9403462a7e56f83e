// KernelMatrix: all values of a kernel between the training rows, for solvers that visit them again
// and again.
//
// Stored in double precision, in single precision (with sums in double precision), or not at all:
// then values are computed on every request. `fitting` chooses by a limit of memory, and `bytes`
// gives the memory of a choice, both before anything is allocated. Only half of the values are
// computed. The bits do not depend on the number of threads.
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
  // K[i, i], as stored.
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
