// k-means: dense centres for dense or sparse rows. k-means++ seeding from a random stream of the
// caller, then Lloyd steps until no row changes its centre or the steps are used up.
//
// There are at most as many centres as distinct rows of positive weight. A row belongs to its
// nearest centre, the lower index on ties; a centre that loses all its rows stays where it was. The
// bits do not depend on the number of threads. Cost: stored values times k per step, by matrix
// products over blocks of dense rows; seeding skips rows that the triangle inequality shows to be
// nearer to an older centre.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::math {

struct KMeansOptions {
  Index centres = 100;
  Index steps = 20;
};

struct KMeans {
  Matrix centres = {};           // one per row
  std::vector<Id> nearest = {};  // the centre of every row
  double cost = 0;               // weighted sum of squared distances to the nearest centre
  Index steps = 0;
  bool converged = false;
};

// `weights` has one entry per row, or is empty: all 1.
KMeans k_means(MatrixView x, std::span<const double> weights, const KMeansOptions& options,
               Random random, const Context& ctx);
KMeans k_means(const Csr& x, std::span<const double> weights, const KMeansOptions& options,
               Random random, const Context& ctx);

// |x_i - c_j|^2 of every row and centre, by products; rounding never makes it negative.
Matrix squared_distances(MatrixView x, MatrixView centres, const Context& ctx);

// The mean Euclidean distance between two centres; 0 if there are fewer than two.
double mean_distance(MatrixView centres);

}  // namespace mulberry::math
