#include "mulberry/math/linear/linear.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/math/linear/dual_descent.hpp"
#include "mulberry/math/linear/newton.hpp"

namespace mulberry::math {

namespace {

// Of coordinate descent over the rows, after which a problem is a hard one. Newton steps are
// cheaper for the squared hinge, which is smooth.
int patience(Loss loss) { return loss == Loss::hinge ? 2000 : 300; }

}  // namespace

std::vector<LinearResult> solve_linear(const LinearProblems& problems, const LinearOptions& options,
                                       const Context& ctx) {
  MULBERRY_ASSERT(options.tolerance > 0);
  if (options.loss == Loss::logistic) return solve_by_newton(problems, options, ctx);
  if (options.bias == Bias::free) {
    return options.loss == Loss::hinge ? solve_by_dual_descent(problems, options, ctx)
                                       : solve_by_newton(problems, options, ctx);
  }
  LinearOptions few = options;
  few.max_iterations = std::min(options.max_iterations, patience(options.loss));
  std::vector<LinearResult> out = solve_by_dual_descent(problems, few, ctx.part(0, 0.5));
  std::vector<Index> left;
  for (Index k = 0; k < problems.count; ++k) {
    if (!out[at(k)].certificate.converged) left.push_back(k);
  }
  const auto fill = [&](Index k, std::span<std::int8_t> y, std::span<double> cost) {
    problems.fill(left[at(k)], y, cost);
  };
  std::vector<LinearResult> rest = solve_by_newton(
      {.x = problems.x, .count = count_of(left), .fill = fill}, options, ctx.part(0.5, 1));
  for (std::size_t k = 0; k < left.size(); ++k) {
    LinearResult& own = out[at(left[k])];
    if (rest[k].certificate.gap <= own.certificate.gap) own = std::move(rest[k]);
  }
  return out;
}

LinearResult solve_linear(const Features& x, std::span<const std::int8_t> y,
                          std::span<const double> cost, const LinearOptions& options,
                          const Context& ctx) {
  const auto n = at(x.rows());
  MULBERRY_ASSERT(y.size() == n && cost.size() == n);
  const auto fill = [&](Index, std::span<std::int8_t> to_y, std::span<double> to_cost) {
    std::copy(y.begin(), y.end(), to_y.begin());
    std::copy(cost.begin(), cost.end(), to_cost.begin());
  };
  return std::move(solve_linear({.x = x, .count = 1, .fill = fill}, options, ctx)[0]);
}

}  // namespace mulberry::math
