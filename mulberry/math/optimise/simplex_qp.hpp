// A small concave quadratic programme over the simplex:
//
//   maximise  o.a - (curvature / 2) a'G a   over a >= 0, sum a = 1,
//
// where G is symmetric positive semidefinite and dense, with ten to a few hundred variables. This
// is an active-set method: exact Newton steps on the support of a with an updated Cholesky factor,
// so that a warm start costs O(n |support|) per change of the support. G may be singular.
//
// The result is certified: a is feasible, `value` is its true objective (a lower bound of the
// maximum) and `value + gap` an upper bound in every case.
#pragma once

#include <span>

#include "mulberry/core/matrix.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::math {

struct SimplexQpResult {
  double value = 0;
  double gap = 0;  // the maximum is at most value + gap
  int steps = 0;
};

// `a` is the start (non-negative; all zero means none) and receives the solution. Stops when gap <=
// tolerance or rounding allows no further step.
SimplexQpResult solve_simplex_qp(blas::Block<const double> gram, std::span<const double> linear,
                                 double curvature, double tolerance, std::span<double> a);

}  // namespace mulberry::math
