#include "mulberry/compare/verdicts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::compare {
namespace {

// Three learners on `sets` sets: the first is better by 0.1, the others differ by a coin.
Scores example(Index sets) {
  Scores out{.measure = "macro_f1", .learners = {"good", "fair", "other"}};
  for (Index s = 0; s < sets; ++s) {
    Random rng(5, "example", static_cast<std::uint64_t>(s));
    SetScores set{.name = "set", .splits = std::vector<SplitRows>(5, {80, 20})};
    for (const double gain : {0.7, 0.6, 0.6}) {
      ScoreCell cell{.status = CellStatus::measured};
      for (int k = 0; k < 5; ++k) cell.values.push_back(gain + 0.02 * rng.normal());
      set.cells.push_back(cell);
    }
    out.sets.push_back(set);
  }
  return out;
}

const Context k_ctx(1, 1);

TEST(Verdicts, FindTheBetterLearner) {
  const Verdicts v = judge(example(15), {}, k_ctx);
  EXPECT_EQ(v.order[0], 0u);
  EXPECT_EQ(v.mean_rank[0], 1);
  EXPECT_EQ(v.wins(0, 1), 15);
  EXPECT_EQ(v.wins(1, 2) + v.wins(2, 1), 15);
  EXPECT_TRUE(v.differ(0, 1));
  EXPECT_TRUE(v.differ(0, 2));
  EXPECT_FALSE(v.differ(1, 2));
  EXPECT_LT(v.friedman.f_p, 1e-4);
  EXPECT_EQ(v.groups(), (std::vector<std::pair<std::size_t, std::size_t>>{{1, 2}}));
  EXPECT_GT(v.bayesian[1].first, 0.99);
  EXPECT_GT(v.bayesian[0].rope, 0.99);  // the best against itself
  for (const SetVerdicts& set : v.sets) {
    EXPECT_EQ(set.best, 0);
    EXPECT_TRUE(std::isnan(set.p[0]));
    EXPECT_GE(set.p[1], set.against_best[1].p);  // corrected
    EXPECT_GT(set.against_best[1].mean, 0);
  }
}

TEST(Verdicts, LessIsBetterForLosses) {
  Scores scores = example(15);
  scores.higher_is_better = false;
  const Verdicts v = judge(scores, {}, k_ctx);
  EXPECT_EQ(v.mean_rank[0], 3);
  EXPECT_NE(v.sets[0].best, 0);
  EXPECT_GT(v.sets[0].against_best[0].mean, 0);  // the gain of the best
}

TEST(Verdicts, FewSetsProveNothing) {
  const Verdicts v = judge(example(2), {}, k_ctx);
  EXPECT_FALSE(v.differ(0, 1));
  EXPECT_EQ(v.groups(), (std::vector<std::pair<std::size_t, std::size_t>>{{0, 2}}));
}

TEST(Verdicts, NemenyiByChoice) {
  const Verdicts v = judge(example(15), {.test = PairTest::nemenyi}, k_ctx);
  EXPECT_EQ(&v.pairs(), &v.nemenyi);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      EXPECT_EQ(v.differ(a, b), std::abs(v.mean_rank[a] - v.mean_rank[b]) > v.critical_difference);
    }
  }
}

TEST(Verdicts, IncompleteResults) {
  Scores scores = example(4);
  scores.sets[1].cells[2] = {.status = CellStatus::over_limit};
  scores.sets[2].cells[1] = {};
  const Verdicts v = judge(scores, {}, k_ctx);
  EXPECT_EQ(v.part.sets, (std::vector<std::size_t>{0, 1, 3}));
  EXPECT_EQ(v.ranks(1, 2), 3);
  EXPECT_TRUE(std::isnan(v.sets[1].p[2]));
  EXPECT_EQ(v.sets.size(), 4u);
  const Verdicts none = judge({.learners = {"a", "b"}}, {}, k_ctx);
  EXPECT_TRUE(none.order.empty());
  EXPECT_TRUE(none.groups().empty());
}

TEST(Verdicts, OneSplitIsNoTest) {
  Scores scores = example(1);
  scores.sets[0].splits.resize(1);
  for (ScoreCell& cell : scores.sets[0].cells) cell.values.resize(1);
  const Verdicts v = judge(scores, {}, k_ctx);
  for (const double p : v.sets[0].p) EXPECT_TRUE(std::isnan(p));
}

TEST(Verdicts, NamesOfTests) {
  for (const PairTest test : {PairTest::wilcoxon_holm, PairTest::nemenyi}) {
    EXPECT_EQ(pair_test_of(name_of(test)), test);
  }
  try {
    pair_test_of("nemeny");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.remedy(), "Did you mean 'nemenyi'?");
  }
}

TEST(ResampledT, ByHand) {
  const std::vector<SplitRows> splits(4, {50, 50});
  const ResampledTTest test = resampled_t(std::vector<double>{1, 2, 3, 2}, splits);
  EXPECT_DOUBLE_EQ(test.mean, 2);
  EXPECT_DOUBLE_EQ(test.deviation, std::sqrt(2.0 / 3 * (0.25 + 1)));
  EXPECT_EQ(test.freedom, 3);
  EXPECT_EQ(resampled_t(std::vector<double>{0, 0, 0, 0}, splits).p, 1);
  EXPECT_EQ(resampled_t(std::vector<double>{1, 1, 1, 1}, splits).p, 0);
  const double nan = std::nan("");
  EXPECT_TRUE(std::isnan(resampled_t(std::vector<double>{1, nan, nan, nan}, splits).p));
  EXPECT_EQ(resampled_t(std::vector<double>{1, nan, 3, nan}, splits).freedom, 1);
}

}  // namespace
}  // namespace mulberry::compare
