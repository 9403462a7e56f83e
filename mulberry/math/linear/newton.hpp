// Newton's method with conjugate gradients for linear problems (logistic, squared hinge, hinge
// unless the bias is free), several problems ("lanes") from each pass over X. The corner of the
// hinge is rounded, and sharpened until the gap to the dual is proven.
//
// A lane is a small state machine: it either takes a step of conjugate gradients or collects its
// gradient, and both need one product with X and one with X'. So all lanes of a panel share every
// pass, whatever their stages, and a lane that is done takes the next problem. Lanes never mix
// their numbers: the result of a problem has the same bits in any lane, panel and thread.
//
// Problems that see different numbers of columns share passes, too: a lane has no weights behind its
// own. Problems whose numbers are near each other should follow each other, because a pass reads what
// the widest of its lanes sees.
//
// The product X s of a Newton step s is collected during conjugate gradients, so the line search
// costs no pass. Preconditioner: the diagonal of the Hessian with its row factors averaged.
// Cost: about (steps + 1) * (inner iterations + 1) passes over X per panel of 8 problems.
#pragma once

#include "mulberry/math/linear/linear.hpp"

namespace mulberry::math {

std::vector<LinearResult> solve_by_newton(const LinearProblems& problems,
                                          const LinearOptions& options, const Context& ctx);

// sum_i x_ij^2 of every column, followed by the number of rows, for the bias.
std::vector<double> column_squares(const Features& x);

}  // namespace mulberry::math
