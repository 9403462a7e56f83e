// Dense linear algebra on row-major memory: OpenBLAS and LAPACK behind our own names.
//
// Every call runs on the calling thread: OpenBLAS has one thread while our products run and gets
// its own number back after the last of them; our own loops (mulberry/core/parallel.hpp) provide
// the parallelism. The bits of a result depend only on the operands and their shapes, so equal
// blocks give equal bits for any number of threads. Wrong shapes are bugs of the caller.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::math::blas {

// A rectangle of a row-major matrix: row i starts at data + i * stride. T is double, const double,
// float or const float.
template <class T>
struct Block {
  T* data = nullptr;
  Index rows = 0, cols = 0;
  Index stride = 0;

  operator Block<const T>() const { return {data, rows, cols, stride}; }  // NOLINT
  Block row_range(Index begin, Index end) const {
    return {data + begin * stride, end - begin, cols, stride};
  }
  Block col_range(Index begin, Index end) const {
    return {data + begin, rows, end - begin, stride};
  }
};

inline Block<const double> block(MatrixView m) { return {m.data(), m.rows(), m.cols(), m.cols()}; }
inline Block<double> block(Matrix& m) { return {m.data(), m.rows(), m.cols(), m.cols()}; }

enum class Op { plain, transposed };

double dot(std::span<const double> a, std::span<const double> b);
void axpy(double alpha, std::span<const double> x, std::span<double> y);  // y += alpha x
double norm2(std::span<const double> a);                                  // Euclidean length

// y = alpha op(A) x + beta y
void gemv(double alpha, Block<const double> a, Op op, std::span<const double> x, double beta,
          std::span<double> y);
// C = alpha op(A) op(B) + beta C
void gemm(double alpha, Block<const double> a, Op op_a, Block<const double> b, Op op_b, double beta,
          Block<double> c);
void gemm(float alpha, Block<const float> a, Op op_a, Block<const float> b, Op op_b, float beta,
          Block<float> c);
// C = alpha A A' + beta C (plain) or alpha A' A + beta C (transposed); both triangles are written.
void syrk(double alpha, Block<const double> a, Op op, double beta, Block<double> c);

// The lower Cholesky factor of a symmetric matrix, in place (only the lower triangle is read and
// written). False if the matrix is not positive definite to working precision.
[[nodiscard]] bool cholesky(Block<double> a);
// Solves A X = B in place, with one right-hand side per column of B, given the factor of
// `cholesky`.
void cholesky_solve(Block<const double> factor, Block<double> b);
void cholesky_solve(Block<const double> factor, std::span<double> b);

// Turns the factor of `cholesky` into the inverse of the matrix; both triangles are written.
void cholesky_inverse(Block<double> factor);
// op(L) X = B in place for the lower triangle L of a matrix.
void solve_lower(Block<const double> lower, Op op, Block<double> b);
// X L' = B in place: each row of B is a right-hand side.
void solve_lower_rows(Block<const double> lower, Block<double> b);

// Eigenvalues of a symmetric matrix in increasing order; row k of the result's vectors is the unit
// eigenvector of value k, its largest component in magnitude (the first such) positive.
struct Eigen {
  std::vector<double> values = {};
  Matrix vectors = {};
};
Eigen symmetric_eigen(Matrix a);

}  // namespace mulberry::math::blas
