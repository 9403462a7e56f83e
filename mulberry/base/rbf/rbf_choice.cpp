#include "mulberry/base/rbf/rbf_choice.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/neighbours/kmeans.hpp"

namespace mulberry::base {
namespace {

constexpr Index k_least = 25;
constexpr double k_widths[] = {1, 0.5, 0.25, 0.1, 2};

// The activations with the constant, each row times the root of its mass.
Matrix weighted_rows(MatrixView activations, std::span<const double> mass) {
  Matrix out(activations.rows(), activations.cols() + 1);
  for (Index i = 0; i < out.rows(); ++i) {
    const double root = std::sqrt(mass[at(i)]);
    const auto from = activations.row(i);
    const auto to = out.row(i);
    std::ranges::transform(from, to.begin(), [&](double v) { return root * v; });
    to.back() = root;
  }
  return out;
}

// The ridge regression of fixed rows, and what it says of each row without having seen it.
class LeaveOneOut {
 public:
  LeaveOneOut(const Matrix& rows, double ridge) : rows_(rows), solved_(rows.cols(), rows.rows()) {
    const Index n = rows.rows(), width = rows.cols();
    Matrix gram(width, width), factor;
    blas::syrk(1.0, blas::block(rows), blas::Op::transposed, 0.0, blas::block(gram));
    for (double penalty = ridge;; penalty *= 10) {  // as fit_outputs does
      factor = gram;
      for (Index j = 0; j < width; ++j) factor(j, j) += penalty;
      if (blas::cholesky(blas::block(factor))) break;
    }
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < width; ++j) solved_(j, i) = rows(i, j);
    }
    blas::cholesky_solve(blas::block(factor), blas::block(solved_));
    for (Index i = 0; i < n; ++i) {
      double h = 0;
      for (Index j = 0; j < width; ++j) h += rows(i, j) * solved_(j, i);
      hat_.push_back(h);
    }
  }

  double error(const RbfTarget& target, std::span<const double> mass) const {
    const Index n = rows_.rows();
    Matrix wanted(n, target.classes), weights(rows_.cols(), target.classes);
    for (Index i = 0; i < n; ++i) wanted(i, target.y[at(i)]) = std::sqrt(mass[at(i)]);
    blas::gemm(1.0, blas::block(solved_), blas::Op::plain, blas::block(wanted), blas::Op::plain,
               0.0, blas::block(weights));
    Matrix fitted(n, target.classes);
    blas::gemm(1.0, blas::block(rows_), blas::Op::plain, blas::block(weights), blas::Op::plain, 0.0,
               blas::block(fitted));
    double wrong = 0, total = 0;
    for (Index i = 0; i < n; ++i) {
      // All scores of a row are divided by 1 - h_i > 0, which changes no decision.
      const auto scores = fitted.row(i);
      for (Id c = 0; c < target.classes; ++c) scores[at(c)] -= hat_[at(i)] * wanted(i, c);
      const auto best = std::ranges::max_element(scores) - scores.begin();
      total += mass[at(i)];
      if (best != target.y[at(i)]) wrong += mass[at(i)];
    }
    return total > 0 ? wrong / total : 0;
  }

 private:
  const Matrix& rows_;       // times the root of their mass
  Matrix solved_;            // (Phi' S Phi + ridge I)^-1 Phi' S^1/2
  std::vector<double> hat_;  // h_i
};

}  // namespace

double left_out_error(MatrixView activations, std::span<const RbfTarget> targets,
                      std::span<const double> mass, double ridge, const Context& ctx) {
  const Matrix rows = weighted_rows(activations, mass);
  const LeaveOneOut left_out(rows, ridge);
  double out = 0;
  for (const RbfTarget& target : targets) {
    ctx.check();
    out += left_out.error(target, mass);
  }
  return out;
}

RbfParams choose_rbf(const RbfParams& params, MatrixView x, std::span<const double> weights,
                     std::span<const RbfTarget> targets, const Context& ctx) {
  if (params.centres) return params;
  std::vector<double> mass(weights.begin(), weights.end());
  mass.resize(at(x.rows()), 1.0);
  RbfParams best = params;
  double least = INFINITY;
  const auto most = static_cast<Index>(most_centres(static_cast<double>(x.rows())));
  for (Index centres = std::min(k_least, most);; centres = std::min(2 * centres, most)) {
    const Matrix places =
        k_means(x, weights, {.centres = centres, .steps = params.steps},
                ctx.rng("rbf_network.choice", static_cast<std::uint64_t>(centres)), ctx)
            .centres;
    for (const double factor : k_widths) {
      RbfParams tried = params;
      tried.centres = centres;
      tried.width = factor * params.width;
      const Matrix activations = rbf_activations(x, places, rbf_width(places, tried.width), ctx);
      const double error = left_out_error(activations, targets, mass, params.ridge, ctx);
      if (error < least) {
        least = error;
        best = tried;
      }
    }
    if (centres == most) break;
  }
  return best;
}

}  // namespace mulberry::base
