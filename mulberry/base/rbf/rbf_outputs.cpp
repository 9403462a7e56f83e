#include <algorithm>
#include <cmath>

#include "mulberry/base/rbf/rbf_network.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/neighbours/kmeans.hpp"

namespace mulberry::base {
namespace {

constexpr Index k_block_rows = 256;

// Both sides of the normal equations.
struct Normal {
  Matrix gram;    // Phi' S Phi
  Matrix target;  // classes x (centres + 1): T' S Phi, whose rows are contiguous sums
};

void add(Matrix& to, MatrixView from) {
  double* values = to.data();
  for (Index v = 0; v < to.size(); ++v) values[v] += from.data()[v];
}

Normal normal_equations(const ActivationRows& activations, std::span<const Id> y, Id classes,
                        std::span<const double> mass, const Context& ctx) {
  const Index width = activations.centres + 1;
  const Normal zero{Matrix(width, width), Matrix(classes, width)};
  // Few and large parts, because each holds a separate matrix.
  const Index grain = std::max(4 * k_block_rows, (activations.rows + 31) / 32);
  return parallel_reduce(
      ctx, activations.rows, grain, zero,
      [&](Index begin, Index end) {
        Normal part = zero;
        Matrix block(k_block_rows, width);
        double* rows = block.data();
        double* target = part.target.data();
        Index used = 0;
        const auto flush = [&] {
          blas::syrk(1.0, {rows, used, width, width}, blas::Op::transposed, 1.0,
                     blas::block(part.gram));
          used = 0;
        };
        for (Index i = begin; i < end; ++i) {
          const double s = mass[at(i)];
          if (!(s > 0)) continue;
          double* row = rows + used * width;
          activations.fill(i, {row, at(width - 1)});
          row[width - 1] = 1;
          double* sum = target + y[at(i)] * width;
          const double root = std::sqrt(s);
          for (Index j = 0; j < width; ++j) {
            sum[j] += s * row[j];
            row[j] *= root;
          }
          if (++used == k_block_rows) flush();
        }
        if (used > 0) flush();
        return part;
      },
      [](Normal& total, Normal&& part) {
        add(total.gram, part.gram);
        add(total.target, part.target);
      });
}

}  // namespace

double rbf_width(MatrixView centres, double factor) {
  const double width = factor * mean_distance(centres);
  return width > 0 ? width : 1.0;
}

Matrix rbf_activations(MatrixView x, MatrixView centres, double width, const Context& ctx) {
  Matrix out = squared_distances(x, centres, ctx);
  double* values = out.data();
  const double factor = -1 / (2 * width * width);
  parallel_chunks(ctx, out.size(), 1 << 16, [&](Index begin, Index end) {
    for (Index v = begin; v < end; ++v) values[v] = std::exp(factor * values[v]);
  });
  return out;
}

Matrix fit_outputs(const ActivationRows& activations, std::span<const Id> y, Id classes,
                   std::span<const double> mass, double ridge, const Context& ctx) {
  const Normal normal = normal_equations(activations, y, classes, mass, ctx);
  const Index width = activations.centres + 1;
  // A ridge far below the rounding errors of the sums cannot make the matrix definite: raise it
  // until the factorisation succeeds.
  for (double penalty = ridge;; penalty *= 10) {
    Matrix factor = normal.gram;
    for (Index j = 0; j < width; ++j) factor(j, j) += penalty;
    if (!blas::cholesky(blas::block(factor))) continue;
    Matrix weights(width, classes);
    for (Index j = 0; j < width; ++j) {
      for (Index c = 0; c < classes; ++c) weights(j, c) = normal.target(c, j);
    }
    blas::cholesky_solve(blas::block(factor), blas::block(weights));
    return weights;
  }
}

Matrix outputs(const ActivationRows& activations, MatrixView weights, const Context& ctx) {
  const Index width = activations.centres + 1;
  MULBERRY_ASSERT(weights.rows() == width);
  Matrix out(activations.rows, weights.cols());
  const blas::Block<double> scores = blas::block(out);
  parallel_chunks(ctx, activations.rows, k_block_rows, [&](Index begin, Index end) {
    Matrix block(end - begin, width);
    double* rows = block.data();
    for (Index i = begin; i < end; ++i) {
      double* row = rows + (i - begin) * width;
      activations.fill(i, {row, at(width - 1)});
      row[width - 1] = 1;
    }
    blas::gemm(1.0, blas::block(block), blas::Op::plain, blas::block(weights), blas::Op::plain, 0.0,
               scores.row_range(begin, end));
  });
  return out;
}

}  // namespace mulberry::base
