// Multi-label ranking by dual ascent: scores F = K A such that the assigned labels of every row
// outrank its other labels,
//
//   min over f   1/2 sum_k |f_k|^2 + C sum_i loss_i(F)          (losses: pair_update.hpp)
//
// Sweeps over the rows change one row of A at a time while the others stay. Scores are computed for
// a block of rows at once and corrected within it, so that almost all work is matrix products and
// the result equals the plain row-by-row method up to rounding. Missing cells are left out of the
// objective; rows without pairs have no coefficients. Rows of A sum to 0. Exact training keeps
// gamma and extrapolates from its last sweeps; its dual value never falls.
// Cost of a sweep: the scores of all rows (pair_scores.hpp) and sum_i a_i b_i.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "mulberry/data/labels.hpp"
#include "mulberry/learners/mlr/pair_scores.hpp"
#include "mulberry/learners/mlr/pair_update.hpp"

namespace mulberry::learners {

struct PairSettings {
  PairLoss loss = PairLoss::group;
  // The true optimum, certified; otherwise MLR-GL's approximation with `eta`, MLR-L1's relaxation.
  bool exact = false;
  double C = 1;
  std::span<const double> weights = {};  // factors of C, one per row, above 0; empty: all 1
  double eta = 1.5;
  // Stops once a sweep changes A by no more than this share; exact: once primal and dual value
  // differ by no more than this share.
  double tolerance = 1e-3;
  Index sweeps = 50;  // at most
  Index block = 256;
  Index steps = 1;       // exact: per row and pass; more gained nothing
  Index passes = 3;      // exact: over the rows of a block, at most
  bool shuffle = false;  // a random order of blocks in every sweep
  bool certify = true;   // measure the values below after the last sweep; exact: always
};

struct PairMachine {
  Matrix a = {};  // rows x labels
  double C = 0;   // the settings of `a`
  Index sweeps = 0;
  bool converged = false;
  double change = std::numeric_limits<double>::quiet_NaN();  // of the last sweep, relative
  // The primal value, and the dual one: every few sweeps if exact; at the end for the
  // approximation, whose gamma is feasible as well and is first scaled by the best factor up to 1;
  // never for the relaxation, whose gamma need not be.
  double primal = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> duals = {};
  std::vector<std::vector<double>> gamma = {};  // of each row, to continue from

  double gap() const;  // (primal - dual) / primal; NaN without a dual value
};

// Memory of gamma and its copies in exact training.
std::size_t exact_bytes(const Labels& y);

// `start`: a machine for the same rows and labels, of any C, to continue from; or null.
PairMachine train_pairs(PairScores& scores, const Labels& y, const PairSettings& settings,
                        const Context& ctx, const PairMachine* start = nullptr);

}  // namespace mulberry::learners
