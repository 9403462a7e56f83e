#include "mulberry/math/linear/linear.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/linear/dual_descent.hpp"
#include "mulberry/math/linear/factored_newton.hpp"
#include "mulberry/math/linear/newton.hpp"

namespace mulberry::math {

namespace {

// Passes of coordinate descent after which a problem is a hard one: as many as the other method is
// likely to take, which for large problems is conjugate gradients, cheaper for the squared hinge.
int patience(const Features& x, Loss loss) {
  if (!can_factor(x)) return loss == Loss::hinge ? 2000 : 300;
  const double pass = std::max(1.0, 2 * static_cast<double>(x.stored()));
  return static_cast<int>(std::clamp(factored_newton_cost(x) / pass, 10.0, 2000.0));
}

// Solves those problems that have not converged by a method that takes (problems, their results up
// to now, context); the better of both results stays.
template <class Method>
void solve_rest(const LinearProblems& problems, std::vector<LinearResult>& results,
                const Context& ctx, const Method& method) {
  std::vector<Index> left;
  std::vector<LinearResult> starts;
  for (Index k = 0; k < problems.count; ++k) {
    if (results[at(k)].certificate.converged) continue;
    left.push_back(k);
    starts.push_back(results[at(k)]);
  }
  if (left.empty()) return;
  const auto fill = [&](Index k, std::span<std::int8_t> y, std::span<double> cost) {
    problems.fill(left[at(k)], y, cost);
  };
  std::vector<LinearResult> rest =
      method(LinearProblems{.x = problems.x, .count = count_of(left), .fill = fill}, starts, ctx);
  for (std::size_t k = 0; k < left.size(); ++k) {
    LinearResult& own = results[at(left[k])];
    if (rest[k].certificate.gap <= own.certificate.gap) own = std::move(rest[k]);
  }
}

// Methods that read rows in random order or factor Hessians have no use for columns that a problem
// does not see: a copy of the others costs less than a pass.
std::vector<LinearResult> solve_each_on_its_columns(const LinearProblems& problems,
                                                    const LinearOptions& options,
                                                    const Context& ctx) {
  std::vector<LinearResult> out(at(problems.count));
  std::atomic<Index> done = 0;
  parallel_for(ctx, problems.count, [&](Index k) {
    std::vector<Id> seen(at(problems.columns_of(k)));
    std::iota(seen.begin(), seen.end(), 0);
    const Features x = take_columns(problems.x, seen);
    const auto fill = [&](Index, std::span<std::int8_t> y, std::span<double> cost) {
      problems.fill(k, y, cost);
    };
    out[at(k)] =
        std::move(solve_linear({.x = x, .count = 1, .fill = fill}, options, ctx.quiet())[0]);
    ctx.step(static_cast<double>(done.fetch_add(1) + 1) / static_cast<double>(problems.count));
  });
  return out;
}

}  // namespace

std::vector<LinearResult> solve_linear(const LinearProblems& problems, const LinearOptions& options,
                                       const Context& ctx) {
  MULBERRY_ASSERT(options.tolerance > 0);
  if (options.loss == Loss::logistic) return solve_by_newton(problems, options, ctx);
  if (!problems.columns.empty()) return solve_each_on_its_columns(problems, options, ctx);
  const Features& x = problems.x;
  const bool factored = can_factor(x), free = options.bias == Bias::free;
  const int passes = patience(x, options.loss);
  if (free && options.loss == Loss::squared_hinge) {
    // Has no simple dual, so that coordinate descent is no choice.
    constexpr int k_few = 300;
    return factored && passes <= k_few ? solve_by_factored_newton(problems, {}, options, ctx)
                                       : solve_by_newton(problems, options, ctx);
  }
  if (free && !factored) return solve_by_dual_descent(problems, options, ctx);
  LinearOptions few = options;
  few.max_iterations = std::min(options.max_iterations, passes);
  std::vector<LinearResult> out = solve_by_dual_descent(problems, few, ctx.part(0, 0.5));
  solve_rest(
      problems, out, ctx.part(0.5, 1),
      [&](const LinearProblems& rest, std::span<const LinearResult> starts, const Context& part) {
        return factored ? solve_by_factored_newton(rest, starts, options, part)
                        : solve_by_newton(rest, options, part);
      });
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
