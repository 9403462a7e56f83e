#include "mulberry/math/enhancement/enhancement_point.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::math {

double length(MatrixView a) { return blas::norm2(a.values()); }

Matrix difference(MatrixView a, MatrixView b) {
  Matrix out(a);
  add_to(out, -1, b);
  return out;
}

void add_to(Matrix& to, double factor, MatrixView a) {
  blas::axpy(factor, a.values(), {to.data(), at(to.size())});
}

LabelSigns::LabelSigns(const Labels& labels) : y(labels.rows(), labels.count(), -1.0) {
  if (labels.has_missing()) known = Matrix(labels.rows(), labels.count(), 1.0);
  for (Index i = 0; i < labels.rows(); ++i) {
    for (const Id l : labels.row(i)) y(i, l) = 1;
    for (const Id l : labels.missing_row(i)) y(i, l) = known(i, l) = 0;
  }
}

Matrix EnhancementTerms::weights() const {
  Matrix out(y.rows(), y.cols(), hard ? 0.0 : beta + delta);
  if (hard || known == nullptr) return out;
  double* const cells = out.data();
  for (Index c = 0; c < out.size(); ++c) cells[c] = beta * known->data()[c] + delta;
  return out;
}

void EnhancementTerms::keep_free_cells(Matrix& a) const {
  if (!hard) return;
  double* const cells = a.data();
  for (Index c = 0; c < a.size(); ++c) cells[c] *= known != nullptr ? 1 - known->data()[c] : 0.0;
}

Matrix within_tube(MatrixView x, double eps) {
  Matrix out(x);
  for (Index i = 0; i < out.rows(); ++i) {
    const auto row = out.row(i);
    const double r = blas::norm2(row);
    if (r <= eps) continue;
    for (double& v : row) v *= eps / r;
  }
  return out;
}

double tube_loss(MatrixView x, double eps) {
  double out = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    const double above = std::max(0.0, blas::norm2(x.row(i)) - eps);
    out += above * above;
  }
  return out;
}

double label_terms(const EnhancementTerms& terms, MatrixView u, const Context& ctx) {
  if (terms.hard) return 0;
  double close = 0;
  for (Index c = 0; c < u.size(); ++c) {
    const double off = u.data()[c] - terms.y.data()[c];
    close += (terms.known != nullptr ? terms.known->data()[c] : 1.0) * off * off;
  }
  const double smooth = terms.manifold != nullptr ? terms.manifold->value(u, ctx) : 0.0;
  return terms.beta * close + terms.gamma * smooth +
         terms.delta * blas::dot(u.values(), u.values());
}

Matrix label_pull(const EnhancementTerms& terms, MatrixView u, const Context& ctx) {
  Matrix out(u.rows(), u.cols());
  if (terms.hard) return out;
  double* const cells = out.data();
  for (Index c = 0; c < out.size(); ++c) {
    const double known = terms.known != nullptr ? terms.known->data()[c] : 1.0;
    cells[c] = terms.beta * terms.y.data()[c] - (terms.beta * known + terms.delta) * u.data()[c];
  }
  if (terms.manifold != nullptr) terms.manifold->add_product(-terms.gamma, u, out, ctx);
  return out;
}

double objective(const EnhancementTerms& terms, const EnhancementPoint& at, const Context& ctx) {
  double penalty = 0;  // tr((alpha B)'K B), K B = U - residual - 1 b
  for (Index i = 0; i < at.u.rows(); ++i) {
    const auto u = at.u.row(i), xi = at.residual.row(i), ab = at.scaled.row(i);
    for (std::size_t l = 0; l < u.size(); ++l) penalty += ab[l] * (u[l] - xi[l] - at.b[l]);
  }
  return tube_loss(at.residual, terms.eps) + penalty + label_terms(terms, at.u, ctx);
}

EnhancementCertificate certificate(const EnhancementTerms& terms, MatrixView half_gradient,
                                   MatrixView off, double alpha, double trace, double objective) {
  const double regressor2 = 4 * trace * std::pow(length(off), 2);
  double constant2 = 0;
  for (Index l = 0; l < off.cols(); ++l) {
    double sum = 0;
    for (Index i = 0; i < off.rows(); ++i) sum += off(i, l);
    constant2 += 4 * sum * sum;
  }
  // J is strongly convex: by alpha in the regressor, and in each cell of U by its weight.
  double labels2 = 0, above = regressor2 / (4 * alpha);
  const Matrix weights = terms.weights();
  for (Index c = 0; c < half_gradient.size(); ++c) {
    const double half2 = std::pow(half_gradient.data()[c], 2);
    labels2 += 4 * half2;
    if (half2 > 0) above += half2 / weights.data()[c];
  }
  const double at_zero = 2 * (terms.hard ? 1.0 : terms.beta) * length(terms.y);
  EnhancementCertificate out;
  out.gradient = std::sqrt(labels2 + regressor2 + constant2) /
                 std::max(at_zero, std::numeric_limits<double>::min());
  out.gap = above > 0 ? above / objective : 0.0;
  if (!std::isfinite(out.gap)) out.gap = std::numeric_limits<double>::quiet_NaN();
  return out;
}

EnhancementCertificate certificate(const EnhancementTerms& terms, const EnhancementPoint& at,
                                   double alpha, double trace, double objective,
                                   const Context& ctx) {
  const Matrix loss = difference(at.residual, within_tube(at.residual, terms.eps));
  Matrix half = label_pull(terms, at.u, ctx);
  add_to(half, -1, loss);
  terms.keep_free_cells(half);
  return certificate(terms, half, difference(at.scaled, loss), alpha, trace, objective);
}

}  // namespace mulberry::math
