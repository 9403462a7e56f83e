// Ridge regression as a base learner: the labels of a chain, the classes of a powerset.
//
//   minimise over f, b   sum_i w_i (y_i - f(x_i) - b)^2 + alpha |f|^2,   y_i = -1 or +1
//
// Hoerl and Kennard, "Ridge regression", Technometrics 12, 1970. More than two classes: one
// regression per class against the rest, from one decomposition. Cost: see ridge_model.hpp.
#include "mulberry/base/ridge/ridge_model.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::base {
namespace {

void require_points(const RidgeParams& params) {
  if (params.kernel.kernel != KernelKind::precomputed) return;
  throw Error(Code::unsupported,
              "ridge as a base learner: expected a kernel of features, found precomputed",
              "Use the learner ridge(kernel=precomputed)");
}

// Two classes are one output; more classes have one output each.
RidgeModel fit(const ColumnProblem& problem, const RidgeParams& params, const Context& ctx) {
  require_points(params);
  const bool binary = problem.classes == 2;
  std::vector<std::vector<Id>> classes(problem.y.size());
  std::vector<Index> counts(at(problem.classes));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    ++counts[at(problem.y[i])];
    if (!binary) classes[i] = {problem.y[i]};
    if (binary && problem.y[i] == 1) classes[i] = {0};
  }
  const Labels y(binary ? 1 : problem.classes, classes);
  RidgeModel out =
      fit_ridge({.rows = {.x = problem.x}, .y = y, .weights = problem.weights}, params, ctx);
  // A class without rows never has the best score.
  for (std::size_t c = 0; c < counts.size() && !binary; ++c) {
    if (counts[c] == 0) out.b[c] = -1e30;
  }
  return out;
}

RidgeModel fit_labels(const Features& x, const Labels& y, std::span<const double> weights,
                      const RidgeParams& params, const Context& ctx) {
  require_points(params);
  return fit_ridge({.rows = {.x = x}, .y = y, .weights = weights}, params, ctx);
}

}  // namespace

BaseLearner make_ridge() {
  return with_joint_labels<RidgeParams, RidgeModel>(
      define_base<RidgeParams, RidgeModel>(
          {.id = "ridge",
           .summary = "ridge regression, linear or with a kernel",
           .reference = "Hoerl and Kennard, Ridge regression, 1970",
           .scale = Scale::margin,
           .tags = {.kernel = true, .weights = true, .distances = true}},
          fit),
      LabelsLearnt::together, fit_labels);
}

}  // namespace mulberry::base
