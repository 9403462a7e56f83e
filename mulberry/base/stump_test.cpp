#include <gtest/gtest.h>

#include <limits>

#include "mulberry/core/index.hpp"
#include "mulberry/model/base_learner.hpp"

namespace mulberry::base {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

Matrix column(std::vector<double> values) {
  const auto n = count_of(values);
  return {n, 1, std::move(values)};
}

Matrix stump_scores(const Features& x, std::span<const Id> y, Id classes, const Features& ask,
                    std::span<const double> weights = {}) {
  const BaseLearner& stump = find_base("stump");
  const auto model = stump.fit({.x = x, .y = y, .classes = classes, .weights = weights},
                               Spec("stump"), Context(1));
  return model->scores(ask, Context(1));
}

TEST(StumpLearner, SharesOfTheBranchAreProbabilities) {
  const Features x = column({1, 2, 3, 4, k_nan});
  const std::vector<Id> y = {0, 0, 1, 0, 1};
  // The best cut is 2.5: no row of class 1 below, one of two above.
  const Matrix p = stump_scores(x, y, 2, column({-9, 2.5, 2.6, k_nan}));
  EXPECT_EQ(p(0, 0), 0);
  EXPECT_EQ(p(1, 0), 0);
  EXPECT_NEAR(p(2, 0), 0.5, 1e-12);
  EXPECT_EQ(p(3, 0), 1);
  const std::vector<double> weights = {1, 1, 3, 1, 1};
  EXPECT_NEAR(stump_scores(x, y, 2, column({9}), weights)(0, 0), 0.75, 1e-12);
}

TEST(StumpLearner, EveryClassGetsAQuestionOfItsOwn) {
  const Features x = column({1, 2, 3, 4, 5, 6});
  const std::vector<Id> y = {0, 0, 1, 1, 2, 2};
  const Matrix p = stump_scores(x, y, 3, column({0, 7}));
  ASSERT_EQ(p.cols(), 3);
  EXPECT_NEAR(p(0, 0), 1, 1e-12);
  EXPECT_NEAR(p(0, 2), 0, 1e-12);
  EXPECT_NEAR(p(1, 0), 0, 1e-12);
  EXPECT_NEAR(p(1, 2), 1, 1e-12);
}

TEST(StumpLearner, MissingWithoutAnyInTrainingIsTheShareOfAll) {
  const std::vector<Id> y = {0, 1, 1};
  EXPECT_NEAR(stump_scores(column({1, 2, 3}), y, 2, column({k_nan}))(0, 0), 2.0 / 3, 1e-12);
}

}  // namespace
}  // namespace mulberry::base
