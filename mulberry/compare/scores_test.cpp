#include "mulberry/compare/scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"

namespace mulberry::compare {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_infinity = std::numeric_limits<double>::infinity();

ScoreCell measured(std::vector<double> values) {
  return {.status = CellStatus::measured, .values = std::move(values)};
}

Scores example() {
  const std::vector<SplitRows> splits = {{80, 20}, {80, 20}};
  return {.measure = "hamming_loss",
          .higher_is_better = false,
          .learners = {"a", "b", "never"},
          .sets = {{.name = "first",
                    .splits = splits,
                    .cells = {measured({0.1, 0.3}), measured({0.5, k_nan}), {}}},
                   {.name = "second",
                    .splits = splits,
                    .cells = {measured({0.2, 0.2}), {.status = CellStatus::over_limit}, {}}},
                   {.name = "third",
                    .splits = splits,
                    .cells = {measured({0.2, 0.2}), {}, measured({k_nan, k_nan})}}}};
}

TEST(Scores, MeansLeaveOutSplitsWithoutAValue) {
  const Scores scores = example();
  EXPECT_DOUBLE_EQ(mean(scores.sets[0].cells[0]), 0.2);
  EXPECT_DOUBLE_EQ(deviation(scores.sets[0].cells[0]), std::sqrt(0.02));
  EXPECT_DOUBLE_EQ(mean(scores.sets[0].cells[1]), 0.5);
  EXPECT_TRUE(std::isnan(deviation(scores.sets[0].cells[1])));
  EXPECT_TRUE(std::isnan(mean(scores.sets[1].cells[1])));
}

TEST(Scores, OnlyWhatEveryLearnerHasIsCompared) {
  const Comparable part = comparable(example());
  EXPECT_EQ(part.learners, (std::vector<std::size_t>{0, 1}));  // "never" has no result at all
  EXPECT_EQ(part.sets, (std::vector<std::size_t>{0, 1}));      // "third" is incomplete
  EXPECT_DOUBLE_EQ(part.gains(0, 0), -0.2);                    // less is better: turned round
  EXPECT_DOUBLE_EQ(part.gains(0, 1), -0.5);
  EXPECT_EQ(part.gains(1, 1), -k_infinity);  // over the limit: behind all others
}

TEST(Scores, WithoutResultsNothingIsCompared) {
  const Comparable part = comparable({.learners = {"a"}, .sets = {{.name = "s", .cells = {{}}}}});
  EXPECT_TRUE(part.learners.empty());
  EXPECT_TRUE(part.sets.empty());
}

TEST(Scores, ShapeIsChecked) {
  Scores scores = example();
  scores.sets[0].cells.pop_back();
  EXPECT_THROW(require_shape(scores), Bug);
  scores = example();
  scores.sets[0].cells[0].values.pop_back();
  EXPECT_THROW(comparable(scores), Bug);
}

TEST(Scores, StatusesHaveNames) {
  EXPECT_EQ(name_of(CellStatus::over_limit), "over the limit");
  EXPECT_EQ(name_of(CellStatus::failed), "failed");
  EXPECT_EQ(name_of(CellStatus::measured), "measured");
  EXPECT_EQ(name_of(CellStatus::missing), "missing");
}

}  // namespace
}  // namespace mulberry::compare
