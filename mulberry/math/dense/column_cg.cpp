#include "mulberry/math/dense/column_cg.hpp"
#include "mulberry/core/index.hpp"

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::math {

namespace {

constexpr Index k_rows = 512;  // of a chunk

// to_ic = from_ic + factor_c add_ic, or to = to + ... when from is to.
void add_columns(const std::vector<double>& factor, MatrixView from, MatrixView add, Matrix& to,
                 const Context& ctx) {
  const Index columns = from.cols();
  double* const out = to.data();
  const double* const base = from.data();
  const double* const more = add.data();
  parallel_chunks(ctx, from.rows(), k_rows, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (Index c = 0; c < columns; ++c) {
        out[i * columns + c] = base[i * columns + c] + factor[at(c)] * more[i * columns + c];
      }
    }
  });
}

double length(MatrixView r, const Context& ctx) {
  double sum = 0;
  for (const double v : column_dots(r, r, ctx)) sum += v;
  return std::sqrt(sum);
}

// A column that is solved has a zero denominator.
std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b,
                           double sign) {
  std::vector<double> out(a.size(), 0.0);
  for (std::size_t c = 0; c < a.size(); ++c) {
    if (b[c] > 0) out[c] = sign * a[c] / b[c];
  }
  return out;
}

}  // namespace

std::vector<double> column_dots(MatrixView a, MatrixView b, const Context& ctx) {
  MULBERRY_ASSERT(a.rows() == b.rows() && a.cols() == b.cols());
  const Index columns = a.cols();
  using Sums = std::vector<double>;
  return parallel_reduce(
      ctx, a.rows(), k_rows, Sums(at(columns), 0.0),
      [&](Index begin, Index end) {
        Sums out(at(columns), 0.0);
        for (Index i = begin; i < end; ++i) {
          const auto p = a.row(i), q = b.row(i);
          for (std::size_t c = 0; c < out.size(); ++c) out[c] += p[c] * q[c];
        }
        return out;
      },
      [](Sums& total, const Sums& part) {
        for (std::size_t c = 0; c < total.size(); ++c) total[c] += part[c];
      });
}

ColumnSolution solve_columns(const ColumnSystem& system, double tolerance, Index limit, Matrix& x,
                             Matrix& r, const Context& ctx) {
  ColumnSolution out;
  if (length(r, ctx) <= tolerance) return out;
  Matrix z = r;
  system.precondition(z);
  Matrix direction = z;
  std::vector<double> rho = column_dots(r, z, ctx);
  while (out.products < limit) {
    ctx.check();
    const Matrix image = system.product(direction);
    ++out.products;
    const std::vector<double> curvature = column_dots(direction, image, ctx);
    add_columns(ratios(rho, curvature, 1), x, direction, x, ctx);
    add_columns(ratios(rho, curvature, -1), r, image, r, ctx);
    if (length(r, ctx) <= tolerance) return out;
    z = r;
    system.precondition(z);
    std::vector<double> next = column_dots(r, z, ctx);
    add_columns(ratios(next, rho, 1), z, direction, direction, ctx);
    rho = std::move(next);
  }
  out.converged = false;
  return out;
}

}  // namespace mulberry::math
