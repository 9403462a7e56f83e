// Newton's method with factored Hessians for the linear SVM with hinge or squared hinge loss, one
// problem per thread: for problems on which coordinate descent and conjugate gradients creep, such
// as features of very different scales, large costs, and a hinge whose bias is free of penalty.
//
// The losses are piecewise quadratic, so that a few steps with the exact Hessian reach the optimum
// whatever its condition (Keerthi and DeCoste, "A modified finite Newton method for fast solution
// of large scale linear SVMs", JMLR 6, 2005; Chapelle, "Training a support vector machine in the
// primal", Neural Computation 19, 2007), if the first of them are taken where curvatures are small
// and few rows change sides: the corner of the hinge is a parabola over [1 - width, 1], the
// curvature of the squared hinge is divided by a width, and the width becomes smaller once it costs
// most of what is missing. The hinge ends at a width of about half of the tolerance, because the
// optimum of the rounded hinge is at most 2 width above that of the hinge, relative to the
// objective; systems stay solvable. The squared hinge ends at 1.
// A step solves a system with the Hessian of the rows on a parabola (newton_system.hpp); products of
// rows are computed once for all problems if there are few rows. It ends just before the minimum
// along its line.
//
// Stops at a proven gap. The slopes of the losses are the dual point; if the bias is free, those of
// the heavier class are scaled so that both classes balance.
#pragma once

#include "mulberry/math/linear/linear.hpp"

namespace mulberry::math {

// Whether the matrices are small enough to be factored for every step.
bool can_factor(double rows, double cols);
bool can_factor(const Features& x);
// Bytes of a problem in work, and of what all problems share.
double factored_newton_bytes(double rows, double cols);
double shared_product_bytes(double rows, double cols);
// What a problem costs, roughly: a pass of coordinate descent over all rows costs 2 per value.
double factored_newton_cost(const Features& x);

// starts: where to begin, one for each problem, or empty for 0.
std::vector<LinearResult> solve_by_factored_newton(const LinearProblems& problems,
                                                   std::span<const LinearResult> starts,
                                                   const LinearOptions& options,
                                                   const Context& ctx);

}  // namespace mulberry::math
