// The Cholesky factor of a large symmetric positive definite matrix, made and used on all threads:
// blocks of columns one after the other, each followed by products of matrices side by side. The
// block size depends on the size alone, so any number of threads gives the same bits.
//
// Cost: n^3/3 multiplications and additions to factor, 2 n^2 a right-hand side to solve.
#pragma once

#include <optional>

#include "mulberry/core/context.hpp"
#include "mulberry/core/matrix.hpp"

namespace mulberry {

class DenseFactor {
 public:
  // Works within the memory of `a`, of which only the lower triangle is read. Nothing when the
  // matrix is not positive definite to working precision.
  static std::optional<DenseFactor> of(Matrix a, const Context& ctx);

  Index rows() const { return factor_.rows(); }
  void solve(Matrix& b, const Context& ctx) const;  // A X = B in place
  Matrix inverse() const;                           // of A; on the calling thread

 private:
  explicit DenseFactor(Matrix factor) : factor_(std::move(factor)) {}
  Matrix factor_;  // lower triangle
};

}  // namespace mulberry
