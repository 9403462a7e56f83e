// Linear models with L2 penalty, many binary problems over the same rows at once:
//
//   minimise  1/2 |w|^2 + sum_i cost_i loss(y_i (w.x_i + b)),   y_i in {-1, +1}
//
// loss is logistic log(1 + exp(-t)), hinge max(0, 1 - t) or squared hinge max(0, 1 - t)^2. The bias
// b is a constant feature 1 (penalised, as in liblinear), free of penalty, or absent. Logistic
// problems go to a Newton method that solves several of them from each pass over X (newton.hpp),
// hinges to dual coordinate descent, one problem per thread (dual_descent.hpp). That creeps on
// features of very different scales, on large costs and on a free bias: what it has not solved in
// some passes goes to a Newton method that factors its Hessians (factored_newton.hpp), or to the one
// above if X has too many rows and columns for that. So does the squared hinge with a free bias,
// which has no simple dual, at once.
// The bits of a result depend on its problem, the options and the seed, not on threads or other
// problems.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::math {

enum class Loss { logistic, hinge, squared_hinge };
enum class Bias { regularised, free, none };

struct LinearOptions {
  Loss loss = Loss::logistic;
  Bias bias = Bias::regularised;
  // logistic: stop at this norm of the gradient; hinges: at this gap relative to the objective.
  double tolerance = 1e-4;
  int max_iterations = 10000;  // Newton steps, or passes of coordinate descent over all rows
};

// The problems share the rows of x. fill(k, y, cost) writes problem k: y_i is -1 or +1, cost_i >=
// 0; a row of cost 0 is left out. It is called from several threads.
struct LinearProblems {
  const Features& x;
  Index count = 0;
  std::function<void(Index k, std::span<std::int8_t> y, std::span<double> cost)> fill = {};
  // Problem k has the first columns[k] columns of x, and as many weights; if empty, all have all.
  std::span<const Index> columns = {};

  Index columns_of(Index k) const { return columns.empty() ? x.cols() : columns[at(k)]; }
};

// The proven quality of a solution.
struct Certificate {
  double objective = 0;
  // At most this much above the optimum; infinity if the method gives no bound (a free bias with a
  // smooth loss).
  double gap = std::numeric_limits<double>::infinity();
  double gradient_norm = 0;  // smooth losses only
  int iterations = 0;
  bool converged = false;
};

struct LinearResult {
  std::vector<double> w = {};
  double b = 0;
  Certificate certificate = {};
};

// Solves every problem. Throws Cancelled if the context is stopped.
std::vector<LinearResult> solve_linear(const LinearProblems& problems, const LinearOptions& options,
                                       const Context& ctx);

// One problem.
LinearResult solve_linear(const Features& x, std::span<const std::int8_t> y,
                          std::span<const double> cost, const LinearOptions& options,
                          const Context& ctx);

}  // namespace mulberry::math
