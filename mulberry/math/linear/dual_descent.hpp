// Dual coordinate descent for the linear SVM with hinge or squared hinge loss (Hsieh, Chang, Lin,
// Keerthi, Sundararajan, ICML 2008, Algorithm 3: shrinking, random order of rows), one problem per
// thread.
//
// Stops at a proven gap between the objective and the dual. A bias without penalty (hinge only) is
// the limit of penalties around a moving centre (method of multipliers on sum_i alpha_i y_i = 0);
// its bias is the exact minimiser for the final w, and its dual point is scaled to meet the
// constraint exactly. Cost of a pass: the stored values of the active rows;
// a pass over some of the rows counts as a part of one.
#pragma once

#include "mulberry/math/linear/linear.hpp"

namespace mulberry::math {

std::vector<LinearResult> solve_by_dual_descent(const LinearProblems& problems,
                                                const LinearOptions& options, const Context& ctx);

}  // namespace mulberry::math
