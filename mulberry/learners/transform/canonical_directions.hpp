// Canonical correlation: the directions of X that are most informative about Y.
//
//   Sxy (Syy + ry I)^-1 Syx u = rho^2 (Sxx + rx I) u,   u'(Sxx + rx I) u = 1
//
// with covariances S (divisor n) of centred columns, and r = ridge times the mean of their
// diagonals. rho is the correlation of the projection u'x with the combination of labels that it
// predicts best, as long as the ridge is small. Hotelling, "Relations between two sets of
// variates", Biometrika 28, 1936.
//
// Solved by a symmetric problem of the size of Y and one factor of the smaller of Sxx and the
// products of rows, so no d x d matrix is formed if d > n. Sparse rows stay sparse. Cost, with
// s = min(n, d): n d s for the products (sparse: less), s^3 / 3 for the factor, and
// (n d + n L + d L + L^2) L. Memory: 2 s^2 + (n + 2 d + 3 L) L; for dense rows n d once or twice
// more. The bits do not depend on the number of threads.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::learners {

struct CanonicalDirections {
  Matrix directions = {};                 // one per row, rho decreasing
  std::vector<double> offset = {};        // -u'(mean of x): centres the projection
  std::vector<double> correlations = {};  // rho
};

// The columns of `y` have mean 0. Directions with rho^2 below 1e-9 are left out, so there may be
// none, if all rows or all labels are alike.
CanonicalDirections canonical_directions(const Features& x, MatrixView y, double ridge,
                                         const Context& ctx);

}  // namespace mulberry::learners
