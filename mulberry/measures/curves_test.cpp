#include "mulberry/measures/curves.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/measures/measures.hpp"

namespace mulberry::measures {
namespace {

TEST(Curves, ByHand) {
  // Scores 4 3 3 2 1 with the label at 4, one 3 and 1; a row with score 9 does not observe it.
  const Labels truth =
      Labels::from_csr(1, {0, 1, 1, 2, 2, 3, 3}, {0, 0, 0}, {0, 0, 0, 0, 0, 0, 1}, {0});
  const Matrix scores(6, 1, {4, 3, 3, 2, 1, 9});
  const auto curve = precision_recall(truth, {.scores = &scores}, 0);
  ASSERT_EQ(curve.size(), 4u);
  EXPECT_EQ(curve[0].cut, 4);
  EXPECT_DOUBLE_EQ(curve[0].precision, 1);
  EXPECT_DOUBLE_EQ(curve[0].recall, 1.0 / 3);
  EXPECT_DOUBLE_EQ(curve[1].precision, 2.0 / 3);  // equal scores are one cut
  EXPECT_DOUBLE_EQ(curve[1].recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(curve[3].precision, 3.0 / 5);
  EXPECT_DOUBLE_EQ(curve[3].recall, 1);
  EXPECT_DOUBLE_EQ(area_below(curve), (1 + 2.0 / 3 + 3.0 / 5) / 3);
}

TEST(Curves, AreaIsTheMeasure) {
  const Matrix scores(6, 1, {0.9, 0.8, 0.4, 0.4, 0.3, 0.1});
  const Labels truth =
      Labels::from_csr(1, {0, 0, 1, 2, 2, 2, 3}, {0, 0, 0}, {0, 0, 0, 0, 0, 0, 0}, {});
  const Outcome outcome{.scores = &scores};
  const std::vector<std::string> names = {"mean_average_precision"};
  EXPECT_NEAR(area_below(precision_recall(truth, outcome, 0)),
              measure_some(names, truth, outcome, {}, Context()).front().value, 1e-15);
}

TEST(Curves, NothingToDraw) {
  const Matrix scores(2, 1, {1, 2});
  const Labels none = Labels::from_csr(1, {0, 0, 0}, {}, {0, 0, 0}, {});
  EXPECT_TRUE(precision_recall(none, {.scores = &scores}, 0).empty());
  EXPECT_TRUE(precision_recall(none, {}, 0).empty());
  EXPECT_TRUE(std::isnan(area_below({})));
}

}  // namespace
}  // namespace mulberry::measures
