#include "mulberry/math/linear/newton_system.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/linear/feature_products.hpp"

namespace mulberry::math {

namespace {

constexpr std::size_t k_at_once = 512;  // rows that are added to a matrix of columns at a time

// The Cholesky factor of a, given by its lower triangle; a little is added to the diagonal of a
// matrix that rounding errors made indefinite.
bool factor(Matrix& a) {
  std::vector<double> diagonal(at(a.rows()));
  for (Index k = 0; k < a.rows(); ++k) {
    diagonal[at(k)] = a(k, k);
    for (Index c = 0; c < k; ++c) a(c, k) = a(k, c);
  }
  for (double more = 1e-15; more < 1e-3; more *= 10) {
    if (blas::cholesky(blas::block(a))) return true;
    for (Index k = 0; k < a.rows(); ++k) {
      a(k, k) = diagonal[at(k)] * (1 + more);
      for (Index c = 0; c < k; ++c) a(k, c) = a(c, k);
    }
  }
  return false;
}

// Adds X_F' D X_F, with the bias as the last column, to the lower triangle of h.
void add_sparse_rows(const NewtonSystem& system, Matrix& h) {
  const auto& [rows, curves] = system.curved;
  const Index bias = system.x.cols();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double curve = curves[k];
    system.x.visit_row(rows[k], [&](const auto* index, const auto* value, Index count) {
      for (Index a = 0; a < count; ++a) {
        const double scaled = curve * static_cast<double>(value[a]);
        double* const line = h.row(static_cast<Index>(index[a])).data();
        for (Index c = 0; c <= a; ++c) line[index[c]] += scaled * static_cast<double>(value[c]);
        if (system.has_bias) h(bias, static_cast<Index>(index[a])) += scaled;
      }
    });
    if (system.has_bias) h(bias, bias) += curve;
  }
}

void add_dense_rows(const NewtonSystem& system, Matrix& h) {
  const auto& [rows, curves] = system.curved;
  const std::size_t d = at(system.x.cols()), most = std::min(k_at_once, rows.size());
  Matrix lines(static_cast<Index>(most), h.cols());
  for (std::size_t begin = 0; begin < rows.size(); begin += k_at_once) {
    const std::size_t count = std::min(k_at_once, rows.size() - begin);
    copy_rows(system.x, std::span(rows).subspan(begin, count), lines);
    for (std::size_t k = 0; k < count; ++k) {
      const double root = std::sqrt(curves[begin + k]);
      const auto line = lines.row(static_cast<Index>(k));
      for (std::size_t j = 0; j < d; ++j) line[j] *= root;
      if (system.has_bias) line[d] = root;
    }
    blas::syrk(1, blas::block(lines).row_range(0, static_cast<Index>(count)), blas::Op::transposed,
               1, blas::block(h));
  }
}

std::optional<NewtonStep> solve_by_columns(const NewtonSystem& system) {
  const Index d = system.x.cols(), side = d + (system.has_bias ? 1 : 0);
  if (side == 0) return std::nullopt;
  Matrix h(side, side);
  if (system.x.is_sparse()) {
    add_sparse_rows(system, h);
  } else {
    add_dense_rows(system, h);
  }
  for (Index j = 0; j < d; ++j) h(j, j) += 1;
  if (system.has_bias) h(d, d) += system.bias_curvature;
  if (!factor(h)) return std::nullopt;
  std::vector<double> step(at(side));
  for (std::size_t j = 0; j < at(d); ++j) step[j] = -system.gradient[j];
  if (system.has_bias) step[at(d)] = -system.bias_gradient;
  blas::cholesky_solve(blas::block(h), step);
  NewtonStep out;
  if (system.has_bias) out.b = step[at(d)];
  step.resize(at(d));
  out.w = std::move(step);
  return out;
}

// X_F X_F', of which only the lower triangle is needed.
Matrix row_products(const NewtonSystem& system) {
  const std::vector<Index>& rows = system.curved.rows;
  if (system.products.rows() == 0) return products_of_rows(system.x, rows);
  Matrix out(count_of(rows), count_of(rows));
  for (Index k = 0; k < out.rows(); ++k) {
    const auto from = system.products.row(rows[at(k)]);
    for (Index c = 0; c <= k; ++c) out(k, c) = from[at(rows[at(c)])];
  }
  return out;
}

// With q the change of the forces on the parabolas: step = -g - X_F' q and
// (D^-1 + X_F X_F') q = -X_F g + 1 sb, so q = u + v sb; the bias then has
// curvature sb + 1'q = -gb.
std::optional<NewtonStep> solve_by_rows(const NewtonSystem& system) {
  const auto& [rows, curves] = system.curved;
  const Index m = count_of(rows);
  Matrix both(m, 2);
  for (Index k = 0; k < m; ++k) {
    both(k, 0) = -system.x.row_dot(rows[at(k)], system.gradient);
    both(k, 1) = 1;
  }
  if (m > 0) {
    Matrix a = row_products(system);
    for (Index k = 0; k < m; ++k) a(k, k) += 1 / curves[at(k)];
    if (!factor(a)) return std::nullopt;
    blas::cholesky_solve(blas::block(a), blas::block(both));
  }
  NewtonStep out;
  if (system.has_bias) {
    double from_u = 0, from_v = 0;
    for (Index k = 0; k < m; ++k) {
      from_u += both(k, 0);
      from_v += both(k, 1);
    }
    out.b = (-system.bias_gradient - from_u) / (system.bias_curvature + from_v);
  }
  out.w.assign(system.gradient.begin(), system.gradient.end());
  for (double& value : out.w) value = -value;
  for (Index k = 0; k < m; ++k) {
    system.x.add_row(rows[at(k)], -(both(k, 0) + both(k, 1) * out.b), out.w);
  }
  return out;
}

double row_values(const Features& x) {  // on average
  return x.rows() == 0 ? 0.0 : static_cast<double>(x.stored()) / static_cast<double>(x.rows());
}

}  // namespace

std::optional<NewtonStep> solve(const NewtonSystem& system) {
  const Features& x = system.x;
  const auto m = static_cast<double>(system.curved.rows.size());
  const auto d = static_cast<double>(x.cols()) + 1;
  const double values = x.is_sparse() ? 2 * row_values(x) : d;  // scattered sums cost more
  const double by_columns = m * values * values + d * d * d / 3;
  const double by_rows = (system.products.rows() > 0 ? m * m : m * m * values) + m * m * m / 3;
  const bool rows = m <= d && (by_rows < by_columns || d > k_largest_system);
  return rows ? solve_by_rows(system) : solve_by_columns(system);
}

double newton_system_bytes(double rows, double cols) {
  const double side = std::min(rows, cols) + 1;
  const double panel =
      cols < rows ? std::min(static_cast<double>(k_at_once), rows) * (cols + 1) : 0;
  return 8 * (side * side + panel);
}

}  // namespace mulberry::math
