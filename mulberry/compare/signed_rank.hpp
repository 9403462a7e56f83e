// Two learners over several data sets: Wilcoxon's signed-rank test and its Bayesian counterpart;
// and Holm's correction for many such tests.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/rooms.hpp"

namespace mulberry::compare {

struct SignedRankTest {
  double plus = 0, minus = 0;  // sums of the ranks of positive and of negative differences
  Index used = 0;              // differences that are not 0
  double p = 1;                // two-sided
  bool exact = true;
};

// Differences of 0 are left out (Wilcoxon's own rule); equal sizes share the mean of their ranks.
// The p-value is exact, given these ranks, for at most 50 differences that are not 0: all signs are
// equally likely. With more it comes from the normal distribution, with its variance corrected for
// ties and without a correction for continuity. Infinite differences rank as the largest; NaN
// counts as 0 (infinity minus infinity: neither learner has a value).
SignedRankTest wilcoxon(std::span<const double> differences);

// The p-values of Holm's step-down procedure, in the order of the given ones.
std::vector<double> holm(std::span<const double> p);

// The posterior probabilities that over data sets like these the first learner is better, that the
// two are practically equivalent, and that the second is better (Benavoli, Corani, Demsar and
// Zaffalon 2017): shares of draws from a Dirichlet process in which that event is the most
// probable. The prior is one pseudo-difference of 0 with weight 1/2.
struct BayesianVerdict {
  double first = 0, rope = 0, second = 0;
};
struct BayesianOptions {
  double rope = 0.01;  // differences of at most this size do not matter; 0: there is no such region
  Index draws = 50000;
};
// Differences: gain of the first learner minus gain of the second. Non-finite ones as in
// wilcoxon().
BayesianVerdict bayesian_signed_rank(std::span<const double> differences,
                                     const BayesianOptions& options, const Context& ctx);

}  // namespace mulberry::compare
