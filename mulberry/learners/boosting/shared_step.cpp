#include "mulberry/learners/boosting/shared_step.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::learners {
namespace {

constexpr Index k_grain = 256;
constexpr double k_least_weight = 1e-200;  // a weight of 0 would look like a missing cell

void add(double& total, double part) { total += part; }

// The factor of a weight: exp(-y alpha h), where y is its sign.
double factor(double weight, double alpha_h) { return std::exp(weight > 0 ? -alpha_h : alpha_h); }

std::vector<double> label_losses(MatrixView weights, const Context& ctx) {
  using Sums = std::vector<double>;
  const Sums zero(at(weights.cols()));
  return parallel_reduce(
      ctx, weights.rows(), k_grain, zero,
      [&](Index begin, Index end) {
        Sums part = zero;
        for (Index i = begin; i < end; ++i) {
          const auto row = weights.row(i);
          for (std::size_t l = 0; l < row.size(); ++l) part[l] += std::abs(row[l]);
        }
        return part;
      },
      [](Sums& total, Sums&& part) {
        for (std::size_t l = 0; l < total.size(); ++l) total[l] += part[l];
      });
}

double loss_after(std::span<const double> outputs, std::span<const double> alpha,
                  MatrixView weights, const Context& ctx) {
  return parallel_reduce(
      ctx, weights.rows(), k_grain, 0.0,
      [&](Index begin, Index end) {
        double sum = 0;
        for (Index i = begin; i < end; ++i) {
          const auto row = weights.row(i);
          const double h = outputs[at(i)];
          for (std::size_t l = 0; l < row.size(); ++l) {
            if (row[l] != 0) sum += std::abs(row[l]) * factor(row[l], alpha[l] * h);
          }
        }
        return sum;
      },
      add);
}

}  // namespace

SharedStep best_shared_step(MatrixView outputs, MatrixView weights, const Context& ctx) {
  MULBERRY_ASSERT(outputs.rows() > 0 && outputs.cols() == weights.rows());
  const Index models = outputs.rows(), labels = weights.cols();
  const std::vector<double> losses = label_losses(weights, ctx);
  Matrix alpha(models, labels);  // first the sums of W h
  const blas::Block<double> sums = blas::block(alpha);
  parallel_chunks(ctx, models, 8, [&](Index begin, Index end) {
    blas::gemm(1.0, blas::block(outputs).row_range(begin, end), blas::Op::plain,
               blas::block(weights), blas::Op::plain, 0.0, sums.row_range(begin, end));
  });
  // exp is convex: the mean of exp(-y alpha h) is at least exp(-alpha r).
  const double most = 1 - 0.5 / static_cast<double>(weights.rows());
  std::vector<double> at_least(at(models));
  for (Index m = 0; m < models; ++m) {
    const auto row = alpha.row(m);
    for (std::size_t l = 0; l < row.size(); ++l) {
      if (losses[l] == 0) continue;
      const double r = row[l] / losses[l], kept = std::clamp(r, -most, most);
      row[l] = std::atanh(kept);  // odd to the last bit, so that a model and its negative tie
      at_least[at(m)] += losses[l] * std::exp(-row[l] * r);
    }
  }
  std::vector<Index> order(at(models));
  std::iota(order.begin(), order.end(), Index{0});
  const auto bound = [&](Index m) { return at_least[at(m)]; };
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return bound(a) != bound(b) ? bound(a) < bound(b) : a < b; });
  constexpr double k_rounding = 1e-9;  // of sums in different orders
  SharedStep best{.loss = std::numeric_limits<double>::infinity()};
  for (const Index m : order) {
    if (bound(m) * (1 - k_rounding) > best.loss) break;
    ctx.check();
    const auto row = alpha.row(m);
    const double loss = loss_after(outputs.row(m), row, weights, ctx);
    if (loss > best.loss || (loss == best.loss && m > best.model)) continue;
    best = {.model = m, .alpha = {row.begin(), row.end()}, .loss = loss};
  }
  return best;
}

double take_shared_step(std::span<const double> outputs, std::span<const double> alpha,
                        Matrix& weights, const Context& ctx) {
  double* const cells = weights.data();
  const Index labels = weights.cols();
  return parallel_reduce(
      ctx, weights.rows(), k_grain, 0.0,
      [&](Index begin, Index end) {
        double sum = 0;
        for (Index i = begin; i < end; ++i) {
          const double h = outputs[at(i)];
          double* const row = cells + i * labels;
          for (Index l = 0; l < labels; ++l) {
            if (row[l] == 0) continue;
            const double size = std::abs(row[l]) * factor(row[l], alpha[at(l)] * h);
            row[l] = std::copysign(std::max(size, k_least_weight), row[l]);
            sum += size;
          }
        }
        return sum;
      },
      add);
}

}  // namespace mulberry::learners
