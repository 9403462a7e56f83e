// Kernel ridge regression with a constant, for one kernel matrix and one ridge, on any targets R:
//
//   minimise over B, b   |R - K B - 1 b|^2 + alpha tr(B'K B)
//
// Its residual is linear in the targets, Nb R with
//
//   N = alpha (K + alpha I)^-1,   Nb = N - (N 1)(N 1)' / (1'N 1),   0 <= Nb <= I,
//
// and the coefficients are residual / alpha. So solvers that couple the regression with other terms
// need only `residual`: one factor serves every label and every iteration.
//
// There are two forms: a kernel matrix, whose factor is kept (n^3/3, then 2 n^2 per column), or
// features Phi with K = Phi Phi' (n p^2, then 4 n p per column), as from Nystrom.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mulberry/math/dense/dense_factor.hpp"

namespace mulberry::math {

class KernelRidge {
 public:
  // Throws Error if K + alpha I is not positive definite: K is no kernel, or alpha is too small for
  // the rounding errors of K.
  static KernelRidge of_kernel(MatrixView kernel, double alpha, const Context& ctx);
  static KernelRidge of_features(std::shared_ptr<const Matrix> phi, double alpha,
                                 const Context& ctx);

  Index rows() const { return static_cast<Index>(residual_of_one_.size()); }
  double alpha() const { return alpha_; }
  double trace() const { return trace_; }  // of K: no eigenvalue is above it
  bool low_rank() const { return phi_ != nullptr; }

  Matrix residual(MatrixView targets, const Context& ctx) const;  // Nb R
  std::vector<double> constants(MatrixView targets) const;        // b
  // The weights of the features (p x columns); only for the form with features.
  Matrix weights(MatrixView targets, const Context& ctx) const;
  // Nb, kept once computed; only for the form with a kernel. Costs two more factorisations.
  MatrixView matrix();

 private:
  KernelRidge() = default;
  // The factor of `matrix` + alpha I for this many rows of targets, and what follows from it.
  void factor(MatrixView matrix, Index rows, double alpha, const Context& ctx);
  Matrix without_constant(MatrixView targets, const Context& ctx) const;  // N R
  std::vector<double> sums(MatrixView targets) const;                     // 1'N R

  double alpha_ = 1, trace_ = 0, total_ = 0;  // total: 1'N 1
  std::shared_ptr<const Matrix> phi_;
  std::optional<DenseFactor> factor_;    // of K + alpha I, or of Phi'Phi + alpha I
  std::vector<double> residual_of_one_;  // N 1
  Matrix matrix_;
};

}  // namespace mulberry::math
