// The Cholesky factor of a large symmetric positive definite matrix, computed and used on all
// threads: blocks of columns one after the other, each followed by parallel matrix products. The
// block size depends only on the size of the matrix, so any number of threads gives the same bits.
//
// Cost: n^3/3 multiplications and additions to factor, 2 n^2 per right-hand side to solve.
#pragma once

#include <optional>

#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/dense/large_array.hpp"

namespace mulberry::math {

class DenseFactor {
 public:
  // The factor of a + shift I; reads only the lower triangle of `a`. Empty if the matrix is not
  // positive definite to working precision.
  static std::optional<DenseFactor> of(MatrixView a, double shift, const Context& ctx);
  // As above, for a positive semi-definite matrix of finite values and a shift > 0, which may
  // vanish in rounding: it is multiplied by ten until the factorisation succeeds.
  static DenseFactor of_raised(MatrixView a, double shift, const Context& ctx);

  Index rows() const { return rows_; }
  void solve(Matrix& b, const Context& ctx) const;  // A X = B in place
  Matrix inverse() const;                           // of A; on the calling thread

 private:
  explicit DenseFactor(Index rows) : factor_(at(rows * rows)), rows_(rows) {}
  blas::Block<double> block() { return {factor_.data(), rows_, rows_, rows_}; }
  blas::Block<const double> block() const { return {factor_.data(), rows_, rows_, rows_}; }

  LargeArray<double> factor_;  // lower triangle; nothing above it
  Index rows_ = 0;
};

}  // namespace mulberry::math
