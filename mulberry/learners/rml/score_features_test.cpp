#include "mulberry/learners/rml/score_features.hpp"

#include <gtest/gtest.h>

namespace mulberry::learners::rml {
namespace {

TEST(ScoreFeatures, ColumnsAreBroughtToDeviationOne) {
  Matrix scores(4, 2);
  for (Index i = 0; i < 4; ++i) {
    scores(i, 0) = i < 2 ? 1e-3 : 3e-3;
    scores(i, 1) = -1 + 1e-6 * static_cast<double>(i % 2);
  }
  const auto scale = unit_scale(scores);
  EXPECT_NEAR(scale[0], 1e3, 1e-9);
  EXPECT_NEAR(scale[1], 2e6, 1e-2);
}

// The mean of 333 times the same number is not that number.
TEST(ScoreFeatures, AColumnThatNeverChangesSaysNothing) {
  for (const double value : {-1.0, 1.0, 0.1, -1e-7, 0.0}) {
    Matrix scores(333, 1, value);
    EXPECT_EQ(unit_scale(scores).front(), 0) << value;
    for (Index i = 0; i < 333; ++i) scores(i, 0) *= i % 2 == 0 ? 1 : 1 + 1e-15;
    EXPECT_EQ(unit_scale(scores).front(), 0) << value;
  }
}

}  // namespace
}  // namespace mulberry::learners::rml
