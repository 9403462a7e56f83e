// Ridge regression with a constant term for a whole path of penalties, from one decomposition, with
// the predictions that every row would get if the regression were fitted without it.
//
//   minimise over f, b   sum_i w_i (y_i - f(x_i) - b)^2 + alpha |f|^2,   for every label
//
// The constant is free: rows and targets are centred by the weights. With the scaled rows
// A = diag(sqrt w) (Phi - 1 mean') = U diag(sqrt s) V', u_i = sqrt(w_i / sum w) and the scaled,
// centred targets t, the residual and the leverage of row i at a penalty are
//
//   e = t - U s/(s + alpha) U't,   h_i = u_i^2 + sum_j U_ij^2 s_j/(s_j + alpha),
//
// and the residual without row i is e_i / (1 - h_i): exact, no refit (Allen 1974; with a constant
// it is the bordered system). 1 - h_i and e_i are summed from alpha/(s + alpha), so that nothing
// cancels when the penalty is small.
//
// There are two forms: a kernel matrix (n^3 for its eigenvectors, 3 n^2 doubles) or columns of
// features (n d^2 + d^3, 3 d^2 doubles; sparse features stay sparse). A path of m penalties costs m
// products n x r x labels, r = n or d.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/features.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::base {

// Weights of rows in the form that centring needs.
struct RowScale {
  RowScale() = default;
  RowScale(Index rows, std::span<const double> weights);  // no weights: all 1

  Index rows() const { return static_cast<Index>(root.size()); }
  double share(std::size_t i) const { return root[i] * root[i] / total; }

  std::vector<double> root = {};  // sqrt(w_i)
  double total = 0;               // sum of w_i
};

// diag(sqrt w) (I - 1 share') K (I - share 1') diag(sqrt w) for some rows of a kernel matrix.
struct CentredKernel {
  // `rows`: the rows in use, with one weight each.
  CentredKernel(MatrixView kernel, std::span<const Id> rows, const RowScale& scale,
                const Context& ctx);

  Matrix values;
  RowScale scale;
  std::vector<double> mean;  // of K's columns, by weight
};

struct RidgeFit {
  Matrix coefficients = {};  // of rows, or of columns of features: one column per label
  std::vector<double> b = {};
};

// The fit at one penalty, by a Cholesky factor. Throws Error if the kernel is not positive
// semi-definite; rounding errors of one that is (`definite`) are met by a larger penalty.
RidgeFit ridge_of_kernel(const CentredKernel& kernel, MatrixView y, double alpha, bool definite,
                         const Context& ctx);
RidgeFit ridge_of_columns(const Features& x, const RowScale& scale, MatrixView y, double alpha,
                          const Context& ctx);

class RidgePath {
 public:
  static RidgePath of_kernel(CentredKernel kernel, MatrixView y, const Context& ctx);
  // `x` and `y` must outlive the path.
  static RidgePath of_columns(const Features& x, const RowScale& scale, MatrixView y,
                              const Context& ctx);

  // Penalties on a logarithmic scale for these rows: from almost none to almost nothing left.
  std::vector<double> penalties(Index count) const;

  // visit(k, begin, predictions) with the left-out predictions (rows begin, begin + 1, ... x
  // labels) at alphas[k]; blocks of rows may come in any order and at the same time, the penalties
  // of a block one after the other.
  using Visit = std::function<void(Index k, Index begin, blas::Block<const double> predictions)>;
  void left_out(std::span<const double> alphas, const Context& ctx, const Visit& visit) const;

  // One penalty per label.
  RidgeFit fit(std::span<const double> alphas, const Context& ctx) const;

 private:
  RidgePath() = default;
  // U of some rows: rows x components.
  Matrix components(Index begin, Index end) const;

  MatrixView y_;
  RowScale scale_;
  std::vector<double> mean_y_;
  std::vector<double> spectrum_;  // s
  Matrix vectors_;                // kernel: components x rows; columns: d x components
  std::vector<double> mean_;      // of the kernel's columns, or of the features
  const Features* x_ = nullptr;   // null for a kernel, whose components are a whole basis
  Matrix along_;                  // U't
};

}  // namespace mulberry::base
