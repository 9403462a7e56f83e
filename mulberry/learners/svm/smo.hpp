// Support vector machines on a kernel: the dual of C-SVC by sequential minimal optimisation.
//
//   maximise  sum_i y_i c_i - 1/2 sum_ij c_i c_j K_ij
//   over      c_i between 0 and y_i cost_i,   sum_i c_i = 0
//
// whose c_i = y_i alpha_i are the coefficients of score(x) = sum_i c_i kappa(x, x_i) + b. The
// primal is 1/2 |w|^2 + sum_i cost_i max(0, 1 - y_i score(x_i)).
//
// Every step moves the pair of rows that violates the optimum most, the second chosen by the
// quadratic along the pair (Fan, Chen and Lin, "Working set selection using second order
// information", JMLR 6, 2005). Rows at a bound that look settled are set aside and the others
// copied to a smaller, contiguous matrix (at most 64 MB); before the end all of them are checked
// again with a newly computed gradient. Kernels that are not positive semi-definite reach a point
// without violation, which need not be the best one.
//
// Problems share the rows of the kernel; signs enter through the bounds. Runs on the calling
// thread; the bits depend only on the problem. Cost of a step: two passes over the active rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/math/kernels/gram_rows.hpp"

namespace mulberry::learners {

struct SmoProblem {
  std::span<const std::int8_t> y = {};  // -1 or +1
  std::span<const double> cost = {};    // at least 0; a row of cost 0 is left out, but is scored
  // Coefficients to start from, or empty. They are clipped to the bounds and balanced, so
  // coefficients of another cost (usually scaled with it) or of other rows can be used.
  std::span<const double> start = {};
};

struct SmoOptions {
  double tolerance = 1e-3;  // stop at this violation
  Index max_steps = 10'000'000;
  bool shrink = true;
};

struct SmoResult {
  std::vector<double> c = {};      // one per row
  std::vector<double> score = {};  // of every row, even with cost 0; includes the bias
  double bias = 0;
  double objective = 0;  // of the dual
  double primal = 0;     // of c and the bias; no bound unless the kernel is positive semi-definite
  double violation = 0;  // how far the gradients of rows that may move are on the wrong side
  Index steps = 0;
  bool converged = false;
};

// With one class among the rows of positive cost, or none, c is 0 and the bias is that class.
SmoResult solve_smo(const GramRows& gram, const SmoProblem& problem, const SmoOptions& options,
                    const Context& ctx);

}  // namespace mulberry::learners
