// Pessimistic errors: an upper bound on the errors of a leaf on unseen rows, at a confidence level.
#pragma once

#include "mulberry/core/rooms.hpp"

namespace mulberry::base {

// The upper end of the one-sided confidence interval for the number of errors among `rows`, if
// `errors` of them were wrong in training: exact (binomial) for none, Wilson's bound with
// continuity correction from one error on, linear between. Lower confidence gives more errors.
double pessimistic_errors(double rows, double errors, double confidence);

}  // namespace mulberry::base
