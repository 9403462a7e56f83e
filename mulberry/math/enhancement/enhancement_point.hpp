// Label enhancement at one point: the objective J of enhancement.hpp, its gradient, and a bound of
// its distance to the optimum. Shared by both solvers; all that a certificate needs.
#pragma once

#include <span>
#include <vector>

#include "mulberry/data/labels.hpp"
#include "mulberry/math/enhancement/smoothness.hpp"

namespace mulberry::math {

// Labels in the form that the terms need.
struct LabelSigns {
  explicit LabelSigns(const Labels& labels);
  Matrix y;      // -1 or +1, 0 if missing
  Matrix known;  // 1 or 0; empty if every cell is known
  const Matrix* known_or_null() const { return known.size() > 0 ? &known : nullptr; }
};

struct EnhancementTerms {
  MatrixView y;                          // rows x labels: -1 or +1, 0 if missing
  const Matrix* known = nullptr;         // 1 or 0 per cell; null: every cell is known
  const Smoothness* manifold = nullptr;  // null: gamma does not count
  double beta = 1, gamma = 1, delta = 1e-3, eps = 0.1;
  bool hard = false;  // U = Y in known cells, in place of beta; then gamma = delta = 0

  double known_cell(Index i, Index l) const { return known == nullptr ? 1.0 : (*known)(i, l); }
  Matrix weights() const;  // of U's cells: beta known + delta; 0 with `hard`
  // With `hard` only missing cells move: writes zeros to the others.
  void keep_free_cells(Matrix& a) const;
};

// x min(1, eps / |x|) of every row.
Matrix within_tube(MatrixView x, double eps);
// sum_i L(|x_i|).
double tube_loss(MatrixView x, double eps);
// The terms of J that depend only on U, and minus half of their gradient.
double label_terms(const EnhancementTerms& terms, MatrixView u, const Context& ctx);
Matrix label_pull(const EnhancementTerms& terms, MatrixView u, const Context& ctx);

// U and a regression: the residual is U - K B - 1 b.
struct EnhancementPoint {
  MatrixView u;
  MatrixView residual;
  MatrixView scaled;  // alpha B
  std::span<const double> b;
};
double objective(const EnhancementTerms& terms, const EnhancementPoint& at, const Context& ctx);

struct EnhancementCertificate {
  double gradient =
      0;           // its length (an upper bound), as a share of the length at U = 0, B = 0, b = 0
  double gap = 0;  // (J - optimum over B and U) / J is at most this; NaN: not known
};
// From half of the gradient in U (up to its sign) and `off` = alpha B - the gradient of the loss in
// P, which bounds the gradient in the regressor: at most `trace` of K times it.
EnhancementCertificate certificate(const EnhancementTerms& terms, MatrixView half_gradient,
                                   MatrixView off, double alpha, double trace, double objective);
EnhancementCertificate certificate(const EnhancementTerms& terms, const EnhancementPoint& at,
                                   double alpha, double trace, double objective,
                                   const Context& ctx);

// Sums of matrices, cell by cell.
Matrix difference(MatrixView a, MatrixView b);
void add_to(Matrix& to, double factor, MatrixView a);
double length(MatrixView a);  // Euclidean, of all cells

}  // namespace mulberry::math
