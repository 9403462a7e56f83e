// Tails and quantiles of the distributions that tests use, from Boost.Math, which is included in
// one file only because it takes long to compile. All values are accurate to about 1e-13 relative.
#pragma once

#include "mulberry/core/rooms.hpp"

namespace mulberry::math {

double normal_tail(double z);            // P(Z > z)
double normal_upper_quantile(double p);  // z with P(Z > z) = p, p in (0, 1)
// P(X > x); degrees of freedom are positive. 1 for x <= 0, 0 for infinity.
double chi_square_tail(double x, double freedom);
double f_tail(double x, double freedom, double freedom_below);
// P(|T| > |t|) for Student's t.
double student_t_two_sided(double t, double freedom);
double student_t_quantile(double p, double freedom);  // p in (0, 1)

}  // namespace mulberry::math
