#include "mulberry/base/ridge/ridge_path.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/row_window.hpp"
#include "mulberry/math/dense/dense_factor.hpp"
#include "mulberry/math/dense/products.hpp"

namespace mulberry::base {

namespace {

using blas::Op;

constexpr Index k_rows = 256;           // of a block
constexpr double k_rounding = 1e-10;    // of an eigenvalue, as a share of the largest
constexpr double k_least_left = 1e-12;  // of 1 - leverage: below it, only rounding is left

[[noreturn]] void not_definite(const std::string& alpha) {
  throw Error(Code::parameter,
              "expected a kernel that is positive definite with alpha=" + alpha +
                  " on its diagonal, found one that is not",
              "Choose a larger alpha, or another kernel");
}

// sum_i share_i y_i of every column.
std::vector<double> mean_of(MatrixView y, const RowScale& scale) {
  std::vector<double> out(at(y.cols()));
  for (Index i = 0; i < y.rows(); ++i) blas::axpy(scale.share(at(i)), y.row(i), out);
  return out;
}

// sqrt(w_i) (y_i - mean)
Matrix scaled_targets(MatrixView y, const RowScale& scale, std::span<const double> mean) {
  Matrix out(y);
  for (Index i = 0; i < y.rows(); ++i) {
    const auto row = out.row(i);
    for (std::size_t l = 0; l < row.size(); ++l) row[l] = scale.root[at(i)] * (row[l] - mean[l]);
  }
  return out;
}

std::vector<double> mean_of(const Features& x, const RowScale& scale) {
  std::vector<double> out(at(x.cols()));
  for (Index i = 0; i < x.rows(); ++i) x.add_row(i, scale.share(at(i)), out);
  return out;
}

// Rows begin .. end of the dense features, centred and scaled.
Matrix centred_rows(const Features& x, const RowScale& scale, std::span<const double> mean,
                    Index begin, Index end) {
  Matrix out(end - begin, x.cols());
  data::RowWindow window(x);
  for (Index i = begin; i < end; ++i) {
    const auto from = window.values(i);
    const auto to = out.row(i - begin);
    for (std::size_t j = 0; j < to.size(); ++j) to[j] = scale.root[at(i)] * (from[j] - mean[j]);
  }
  return out;
}

void add_to(Matrix& total, MatrixView part) {
  double* const to = total.data();
  for (Index c = 0; c < part.size(); ++c) to[c] += part.data()[c];
}

// A'A of the centred, scaled rows: d x d. Sparse rows are centred afterwards.
Matrix gram_of_columns(const Features& x, const RowScale& scale, std::span<const double> mean,
                       const Context& ctx) {
  const Index d = x.cols();
  // Few and large chunks: each needs d x d numbers.
  const Index grain = std::max<Index>(k_rows, (x.rows() + 7) / 8);
  Matrix out = parallel_reduce(
      ctx, x.rows(), grain, Matrix(d, d),
      [&](Index begin, Index end) {
        Matrix part(d, d);
        if (!x.is_sparse()) {
          for (Index first = begin; first < end; first += k_rows) {
            const Matrix rows = centred_rows(x, scale, mean, first, std::min(end, first + k_rows));
            blas::syrk(1, blas::block(rows), Op::transposed, 1, blas::block(part));
          }
          return part;
        }
        for (Index i = begin; i < end; ++i) {
          const SparseRow row = x.sparse_row(i);
          const double w = scale.root[at(i)] * scale.root[at(i)];
          for (std::size_t k = 0; k < row.index.size(); ++k) {
            x.add_row(i, w * row.value[k], part.row(row.index[k]));
          }
        }
        return part;
      },
      [](Matrix& total, MatrixView part) { add_to(total, part); });
  if (x.is_sparse()) {
    for (Index j = 0; j < d; ++j) blas::axpy(-scale.total * mean[at(j)], mean, out.row(j));
  }
  return out;
}

// X'W (y - mean): the products of columns and targets, centred.
Matrix cross_product(const Features& x, const RowScale& scale, MatrixView y,
                     std::span<const double> mean_y, const Context& ctx) {
  Matrix targets = scaled_targets(y, scale, mean_y);
  for (Index i = 0; i < y.rows(); ++i) {
    for (double& v : targets.row(i)) v *= scale.root[at(i)];
  }
  return transposed_product(x, targets, ctx);
}

// b = mean y - mean'coefficients
std::vector<double> constants(std::span<const double> mean, std::span<const double> mean_y,
                              MatrixView coefficients) {
  std::vector<double> out(mean_y.begin(), mean_y.end());
  if (!mean.empty()) blas::gemv(-1, blas::block(coefficients), Op::transposed, mean, 1, out);
  return out;
}

void scale_rows(Matrix& a, std::span<const double> by) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (double& v : a.row(i)) v *= by[at(i)];
  }
}

// From solutions of the centred problem to coefficients of rows: by sqrt(w), with sums of 0. The
// centred kernel does not see their sum, but the kernel does, and a small penalty makes the
// rounding errors of the sum large.
void make_row_coefficients(Matrix& solved, const RowScale& scale) {
  scale_rows(solved, scale.root);
  std::vector<double> sums(at(solved.cols()));
  for (Index i = 0; i < solved.rows(); ++i) blas::axpy(1, solved.row(i), sums);
  for (Index i = 0; i < solved.rows(); ++i) blas::axpy(-scale.share(at(i)), sums, solved.row(i));
}

// A B (plain) or A'B (transposed), in parallel over rows of the result.
Matrix product(MatrixView a, Op op, MatrixView b, const Context& ctx) {
  const Index rows = op == Op::plain ? a.rows() : a.cols();
  Matrix out(rows, b.cols());
  const blas::Block<double> to = blas::block(out);
  parallel_chunks(ctx, rows, k_rows, [&](Index begin, Index end) {
    const blas::Block<const double> part = op == Op::plain ? blas::block(a).row_range(begin, end)
                                                           : blas::block(a).col_range(begin, end);
    blas::gemm(1, part, op, blas::block(b), Op::plain, 0, to.row_range(begin, end));
  });
  return out;
}

}  // namespace

RowScale::RowScale(Index rows, std::span<const double> weights) : root(at(rows), 1.0) {
  for (std::size_t i = 0; i < weights.size(); ++i) root[i] = std::sqrt(weights[i]);
  for (const double r : root) total += r * r;
}

CentredKernel::CentredKernel(MatrixView kernel, std::span<const Id> rows, const RowScale& by,
                             const Context& ctx)
    : values(count_of(rows), count_of(rows)), scale(by), mean(rows.size()) {
  const Index n = count_of(rows);
  double* const cells = values.data();
  parallel_chunks(ctx, n, k_rows, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const auto from = kernel.row(rows[at(i)]);
      double sum = 0;
      for (std::size_t j = 0; j < rows.size(); ++j) {
        const double value = from[at(rows[j])];
        cells[at(i) * rows.size() + j] = value;
        sum += scale.share(j) * value;
      }
      mean[at(i)] = sum;  // of a column: K is symmetric
    }
  });
  double centre = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) centre += scale.share(i) * mean[i];
  parallel_chunks(ctx, n, k_rows, [&](Index begin, Index end) {
    for (std::size_t i = at(begin); i < at(end); ++i) {
      double* const row = cells + i * rows.size();
      for (std::size_t j = 0; j < rows.size(); ++j) {
        row[j] = scale.root[i] * scale.root[j] * (row[j] + (centre - mean[i] - mean[j]));
      }
    }
  });
}

RidgeFit ridge_of_kernel(const CentredKernel& kernel, MatrixView y, double alpha, bool definite,
                         const Context& ctx) {
  const std::vector<double> mean_y = mean_of(y, kernel.scale);
  RidgeFit out{.coefficients = scaled_targets(y, kernel.scale, mean_y)};
  if (definite) {
    DenseFactor::of_raised(kernel.values, alpha, ctx).solve(out.coefficients, ctx);
  } else {
    const auto factor = DenseFactor::of(kernel.values, alpha, ctx);
    if (!factor) not_definite(shortest(alpha));
    factor->solve(out.coefficients, ctx);
  }
  make_row_coefficients(out.coefficients, kernel.scale);
  out.b = constants(kernel.mean, mean_y, out.coefficients);
  return out;
}

RidgeFit ridge_of_columns(const Features& x, const RowScale& scale, MatrixView y, double alpha,
                          const Context& ctx) {
  const std::vector<double> mean_y = mean_of(y, scale), mean = mean_of(x, scale);
  RidgeFit out{.coefficients = cross_product(x, scale, y, mean_y, ctx)};
  DenseFactor::of_raised(gram_of_columns(x, scale, mean, ctx), alpha, ctx)
      .solve(out.coefficients, ctx);
  out.b = constants(mean, mean_y, out.coefficients);
  return out;
}

RidgePath RidgePath::of_kernel(CentredKernel kernel, MatrixView y, const Context& ctx) {
  RidgePath out;
  out.y_ = y;
  out.scale_ = std::move(kernel.scale);
  out.mean_ = std::move(kernel.mean);
  out.mean_y_ = mean_of(y, out.scale_);
  blas::Eigen eigen = blas::symmetric_eigen(std::move(kernel.values));
  ctx.check();
  out.spectrum_ = std::move(eigen.values);
  out.vectors_ = std::move(eigen.vectors);
  const double rounding = out.spectrum_.empty() ? 0 : k_rounding * out.spectrum_.back();
  for (double& s : out.spectrum_) {
    if (std::abs(s) <= rounding) s = 0;
  }
  out.along_ = product(out.vectors_, Op::plain, scaled_targets(y, out.scale_, out.mean_y_), ctx);
  return out;
}

RidgePath RidgePath::of_columns(const Features& x, const RowScale& scale, MatrixView y,
                                const Context& ctx) {
  RidgePath out;
  out.y_ = y;
  out.x_ = &x;
  out.scale_ = scale;
  out.mean_ = mean_of(x, scale);
  out.mean_y_ = mean_of(y, scale);
  const blas::Eigen eigen = blas::symmetric_eigen(gram_of_columns(x, scale, out.mean_, ctx));
  ctx.check();
  // Directions in which the rows do not differ have no component.
  const double least = eigen.values.empty() ? 0 : k_rounding * eigen.values.back();
  const Index d = x.cols();
  Index first = 0;
  while (first < d && !(eigen.values[at(first)] > least)) ++first;
  out.spectrum_.assign(eigen.values.begin() + first, eigen.values.end());
  out.vectors_ = Matrix(d, d - first);
  for (Index j = 0; j < d; ++j) {
    for (Index k = first; k < d; ++k) out.vectors_(j, k - first) = eigen.vectors(k, j);
  }
  // U't = s^(-1/2) V'X'W (y - mean)
  const Matrix cross = cross_product(x, scale, y, out.mean_y_, ctx);
  out.along_ = product(out.vectors_, Op::transposed, cross, ctx);
  std::vector<double> roots(out.spectrum_.size());
  std::ranges::transform(out.spectrum_, roots.begin(), [](double s) { return 1 / std::sqrt(s); });
  scale_rows(out.along_, roots);
  return out;
}

std::vector<double> RidgePath::penalties(Index count) const {
  // The mean eigenvalue is the natural unit: a kernel of distances has nearly 1 on its diagonal.
  constexpr double k_low = 1e-6, k_high = 100;
  double sum = 0, largest = 0, least = 0;
  for (const double s : spectrum_) {
    sum += s;
    largest = std::max(largest, s);
    least = std::min(least, s);
  }
  const double unit = sum > 0 ? sum / static_cast<double>(scale_.rows()) : 1.0;
  // A kernel that is not positive semi-definite needs a penalty above its negative part.
  const double low = std::max(k_low * unit, -2 * least);
  const double high = std::max({k_high * unit, largest, 10 * low});
  std::vector<double> out;
  for (Index k = 0; k < count; ++k) {
    const double step = count == 1 ? 0.5 : static_cast<double>(k) / static_cast<double>(count - 1);
    out.push_back(low * std::pow(high / low, step));
  }
  return out;
}

Matrix RidgePath::components(Index begin, Index end) const {
  const Index r = count_of(spectrum_);
  Matrix out(end - begin, r);
  if (x_ == nullptr) {
    for (Index k = 0; k < r; ++k) {
      const auto from = vectors_.row(k);
      for (Index i = begin; i < end; ++i) out(i - begin, k) = from[at(i)];
    }
    return out;
  }
  if (x_->is_sparse()) {
    std::vector<double> centre(at(r));
    blas::gemv(1, blas::block(vectors_), Op::transposed, mean_, 0, centre);
    for (Index i = begin; i < end; ++i) {
      const auto to = out.row(i - begin);
      const SparseRow row = x_->sparse_row(i);
      for (std::size_t k = 0; k < row.index.size(); ++k) {
        blas::axpy(row.value[k], vectors_.row(row.index[k]), to);
      }
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = scale_.root[at(i)] * (to[k] - centre[k]);
    }
  } else {
    const Matrix rows = centred_rows(*x_, scale_, mean_, begin, end);
    blas::gemm(1, blas::block(rows), Op::plain, blas::block(vectors_), Op::plain, 0,
               blas::block(out));
  }
  for (Index i = 0; i < out.rows(); ++i) {
    const auto to = out.row(i);
    for (std::size_t k = 0; k < to.size(); ++k) to[k] /= std::sqrt(spectrum_[k]);
  }
  return out;
}

void RidgePath::left_out(std::span<const double> alphas, const Context& ctx,
                         const Visit& visit) const {
  const Index r = count_of(spectrum_), m = count_of(alphas), labels = y_.cols();
  Matrix shares(r, m);  // alpha / (s + alpha)
  for (Index j = 0; j < r; ++j) {
    for (Index k = 0; k < m; ++k) {
      const double alpha = alphas[at(k)];
      if (!(spectrum_[at(j)] + alpha > 0)) not_definite(shortest(alpha));
      shares(j, k) = alpha / (spectrum_[at(j)] + alpha);
    }
  }
  parallel_chunks(ctx, scale_.rows(), k_rows, [&](Index begin, Index end) {
    const Matrix u = components(begin, end);
    const Index rows = end - begin;
    Matrix squares(u);
    double* const cells = squares.data();
    for (Index c = 0; c < squares.size(); ++c) cells[c] *= cells[c];
    Matrix left(rows, m);  // 1 - leverage at each penalty
    blas::gemm(1, blas::block(squares), Op::plain, blas::block(shares), Op::plain, 0,
               blas::block(left));
    Matrix rest(rows, labels);  // of the targets, outside the components
    for (Index i = 0; i < rows; ++i) {
      const std::size_t row = at(begin + i);
      double base = -scale_.share(row);  // a whole basis: the constant's direction counts as 1
      if (x_ != nullptr) {
        base += 1;
        for (const double v : squares.row(i)) base -= v;
        base = std::max(base, 0.0);
        for (Index l = 0; l < labels; ++l) {
          rest(i, l) = scale_.root[row] * (y_(begin + i, l) - mean_y_[at(l)]);
        }
      }
      for (double& v : left.row(i)) v = std::max(v + base, k_least_left);
    }
    if (x_ != nullptr) {
      blas::gemm(-1, blas::block(u), Op::plain, blas::block(along_), Op::plain, 1,
                 blas::block(rest));
    }
    Matrix shrunk(r, labels), out(rows, labels);
    for (Index k = 0; k < m; ++k) {
      for (Index j = 0; j < r; ++j) {
        const double share = shares(j, k);
        for (Index l = 0; l < labels; ++l) shrunk(j, l) = share * along_(j, l);
      }
      out = rest;
      blas::gemm(1, blas::block(u), Op::plain, blas::block(shrunk), Op::plain, 1, blas::block(out));
      for (Index i = 0; i < rows; ++i) {
        const double by = 1 / (left(i, k) * scale_.root[at(begin + i)]);
        for (Index l = 0; l < labels; ++l) out(i, l) = y_(begin + i, l) - out(i, l) * by;
      }
      visit(k, begin, blas::block(out));
    }
  });
}

RidgeFit RidgePath::fit(std::span<const double> alphas, const Context& ctx) const {
  Matrix inner(along_);
  for (Index j = 0; j < inner.rows(); ++j) {
    const double s = spectrum_[at(j)];
    const double top = x_ == nullptr ? 1.0 : std::sqrt(s);
    const auto row = inner.row(j);
    for (std::size_t l = 0; l < row.size(); ++l) {
      if (!(s + alphas[l] > 0)) not_definite(shortest(alphas[l]));
      row[l] *= top / (s + alphas[l]);
    }
  }
  RidgeFit out{.coefficients =
                   product(vectors_, x_ == nullptr ? Op::transposed : Op::plain, inner, ctx)};
  if (x_ == nullptr) make_row_coefficients(out.coefficients, scale_);
  out.b = constants(mean_, mean_y_, out.coefficients);
  return out;
}

}  // namespace mulberry::base
