#include "mulberry/learners/transform/canonical_directions.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/data/describe/column_statistics.hpp"
#include "mulberry/math/dense/dense_factor.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/kernels/kernel_matrix.hpp"

namespace mulberry::learners {
namespace {

constexpr double k_least_share = 1e-9;  // of rho^2

// Rows with the column means subtracted. Sparse rows are kept as they are, and every product is
// corrected instead.
class CentredRows {
 public:
  CentredRows(const Features& x, const Context& ctx) : x_(&x) {
    const ColumnStatistics columns = column_statistics(x, ctx);
    mean_ = columns.mean;
    for (const double deviation : columns.deviation) trace_ += deviation * deviation;
    if (x.is_sparse()) return;
    Matrix shifted(x.rows(), x.cols());
    x.read_block(0, x.rows(), 0, x.cols(), shifted.data());
    for (Index i = 0; i < x.rows(); ++i) blas::axpy(-1, mean_, shifted.row(i));
    dense_ = std::move(shifted);
    x_ = &dense_;
  }
  CentredRows(const CentredRows&) = delete;
  CentredRows& operator=(const CentredRows&) = delete;

  Index rows() const { return x_->rows(); }
  Index cols() const { return x_->cols(); }
  const std::vector<double>& mean() const { return mean_; }
  double trace() const { return trace_; }  // of the covariance

  // Xc'B for B whose columns add up to 0: the means cancel.
  Matrix transposed_times(MatrixView b, const Context& ctx) const {
    return transposed_product(*x_, b, ctx);
  }

  // Xc'Xc / n, or Xc Xc' / n if there are fewer rows than columns.
  Matrix smaller_products(const Context& ctx) const {
    const bool by_rows = rows() < cols();
    Features turned;
    if (!by_rows) {
      turned =
          x_->is_sparse() ? Features(transpose(x_->sparse())) : Features(transpose(x_->dense()));
    }
    const Features& vectors = by_rows ? *x_ : turned;
    Matrix out(KernelMatrix({.kind = KernelKind::linear}, vectors, KernelStorage::f64, ctx)
                   .take_doubles());
    const double share = 1 / static_cast<double>(rows());
    std::vector<double> shift(at(out.rows()));  // products with the mean
    double constant = 0;
    if (x_->is_sparse()) {
      for (Index i = 0; i < out.rows(); ++i) {
        shift[at(i)] = by_rows ? x_->row_dot(i, mean_) : mean_[at(i)];
      }
      constant = blas::dot(mean_, mean_);
    }
    double* const cells = out.data();
    parallel_chunks(ctx, out.rows(), 64, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const double own = shift[at(i)];
        double* const row = cells + i * out.cols();
        for (std::size_t k = 0; k < shift.size(); ++k) {
          row[k] = by_rows ? share * (row[k] - own - shift[k] + constant)
                           : share * row[k] - own * shift[k];
        }
      }
    });
    return out;
  }

 private:
  const Features* x_;
  Features dense_;
  std::vector<double> mean_;
  double trace_ = 0;
};

double mean_diagonal(MatrixView a) {
  double sum = 0;
  for (Index k = 0; k < a.rows(); ++k) sum += a(k, k);
  return sum / static_cast<double>(a.rows());
}

// Y with (Syy + ry I)^-1/2 applied, divided by n; empty if all labels are constant.
Matrix whitened(MatrixView y, double ridge, const Context& ctx) {
  const double share = 1 / static_cast<double>(y.rows());
  Matrix covariance = transposed_product(Features(y), y, ctx);
  double* const cells = covariance.data();
  for (Index k = 0; k < covariance.size(); ++k) cells[k] *= share;
  const double level = mean_diagonal(covariance);
  if (!(level > 0)) return {};
  Matrix factor;
  for (double shift = ridge * level;; shift *= 10) {
    factor = covariance;
    for (Index l = 0; l < factor.rows(); ++l) factor(l, l) += shift;
    if (blas::cholesky(blas::block(factor))) break;
  }
  Matrix out(y);
  const blas::Block<double> rows = blas::block(out);
  const blas::Block<const double> lower = blas::block(factor);
  parallel_chunks(ctx, y.rows(), 256, [&](Index begin, Index end) {
    const blas::Block<double> part = rows.row_range(begin, end);
    blas::solve_lower_rows(lower, part);
    for (Index k = 0; k < part.rows * part.cols; ++k) part.data[k] *= share;
  });
  return out;
}

}  // namespace

CanonicalDirections canonical_directions(const Features& x, MatrixView y, double ridge,
                                         const Context& ctx) {
  MULBERRY_ASSERT(x.rows() == y.rows() && x.cols() > 0 && y.cols() > 0 && ridge > 0);
  const Index d = x.cols(), labels = y.cols();
  const CentredRows rows(x, ctx);
  const double level = rows.trace() / static_cast<double>(d);
  // With T = whitened Y / n and M = Xc'T the problem is M M'u = rho^2 A u, A = Sxx + rx I. For
  // G = A^-1 M and M'G v = rho^2 v, the direction is u = G v / rho.
  const Matrix t = level > 0 ? whitened(y, ridge, ctx) : Matrix();
  CanonicalDirections out{.directions = Matrix(0, d)};
  if (t.size() == 0) return out;
  ctx.check();
  const DenseFactor factor = DenseFactor::of_raised(rows.smaller_products(ctx), ridge * level, ctx);
  Matrix g;
  const Matrix m = rows.transposed_times(t, ctx);
  if (rows.rows() < d) {  // A^-1 Xc' = Xc' (Xc Xc' / n + rx I)^-1
    Matrix solved = t;
    factor.solve(solved, ctx);
    g = rows.transposed_times(solved, ctx);
  } else {
    g = m;
    factor.solve(g, ctx);
  }
  ctx.check();
  Matrix symmetric = transposed_product(Features(m), g, ctx);
  for (Index k = 0; k < labels; ++k) {
    for (Index l = 0; l < k; ++l) {
      symmetric(k, l) = symmetric(l, k) = (symmetric(k, l) + symmetric(l, k)) / 2;
    }
  }
  const blas::Eigen eigen = blas::symmetric_eigen(std::move(symmetric));
  std::vector<double> chosen;  // v / rho, one after the other
  const Index most = std::min({labels, d, x.rows()});
  for (Index k = 0; k < most; ++k) {
    const Index from = labels - 1 - k;
    const double share = eigen.values[at(from)];
    if (!(share > k_least_share)) break;
    out.correlations.push_back(std::sqrt(share));
    for (const double v : eigen.vectors.row(from)) chosen.push_back(v / out.correlations.back());
  }
  const auto count = count_of(out.correlations);
  out.directions = transpose(linear_scores(Features(g), Matrix(count, labels, chosen), {}, ctx));
  out.offset.resize(at(count));
  blas::gemv(-1.0, blas::block(out.directions), blas::Op::plain, rows.mean(), 0.0, out.offset);
  return out;
}

}  // namespace mulberry::learners
