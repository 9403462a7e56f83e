// What a comparison says: ranks, tests of all pairs of learners over the data sets, tests against
// the best learner within each data set. Everything that tables and pictures show is computed here.
#pragma once

#include <string>
#include <vector>

#include "mulberry/compare/rank_tests.hpp"
#include "mulberry/compare/resampled_t.hpp"
#include "mulberry/compare/scores.hpp"
#include "mulberry/compare/signed_rank.hpp"

namespace mulberry::compare {

// Which test marks differences over data sets.
enum class PairTest { wilcoxon_holm, nemenyi };
PairTest pair_test_of(std::string_view name);  // throws Error (parameter)
std::string_view name_of(PairTest test);       // "wilcoxon-holm", "nemenyi"

struct VerdictOptions {
  double alpha = 0.05;
  PairTest test = PairTest::wilcoxon_holm;
  BayesianOptions bayesian = {};
};

struct SetVerdicts {
  Index best = -1;  // learner with the best mean, the first of equals; -1: none has a value
  // One per learner: against the best, and its p-value after Holm's correction over the learners of
  // the set. NaN if there is no test: the best itself, no value, or fewer than two common splits.
  std::vector<ResampledTTest> against_best = {};
  std::vector<double> p = {};
};

SetVerdicts judge_set(const SetScores& set, bool higher_is_better);

struct Verdicts {
  VerdictOptions options = {};
  Comparable part = {};  // what ranks and pairs refer to: indices below count within it
  Matrix ranks = {};     // sets x learners
  std::vector<double> mean_rank = {};
  std::vector<std::size_t> order = {};  // learners by mean rank, the first of equals first
  FriedmanTest friedman = {};
  double critical_difference = 0;  // of mean ranks, Nemenyi at alpha; NaN without sets
  Matrix nemenyi = {};             // learners x learners, p-values; 1 on the diagonal
  Matrix wilcoxon = {};            // p-values without correction
  Matrix wilcoxon_holm = {};       // corrected over all pairs
  Matrix wins = {};                // sets on which the row's learner is better than the column's
  std::vector<BayesianVerdict> bayesian = {};  // the best by mean rank (first) against each other
  std::vector<SetVerdicts> sets = {};          // of all sets of the scores, and of all learners

  // The p-values of the chosen test.
  const Matrix& pairs() const;
  bool differ(std::size_t a, std::size_t b) const;
  // Groups of at least two learners that are neighbours in `order` and of which no two differ; as
  // first and last place in the order. Groups inside others are left out.
  std::vector<std::pair<std::size_t, std::size_t>> groups() const;
};

Verdicts judge(const Scores& scores, const VerdictOptions& options, const Context& ctx);

}  // namespace mulberry::compare
