#include "mulberry/resample/row_threshold.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"

namespace mulberry::resample {
namespace {

double cut(std::vector<double> scores, std::vector<Id> relevant, std::vector<Id> missing = {}) {
  return best_row_cut(scores, relevant, missing);
}

TEST(RowThreshold, BestCutsByHand) {
  EXPECT_DOUBLE_EQ(cut({3, 1, 0}, {0}), 2);  // in the middle of the gap
  EXPECT_DOUBLE_EQ(cut({3, 1, 0}, {0, 1}), 0.5);
  EXPECT_DOUBLE_EQ(cut({3, 1, 0}, {}), 3.1);  // no labels, all labels
  EXPECT_DOUBLE_EQ(cut({3, 1, 0}, {0, 1, 2}), -0.1);
  EXPECT_DOUBLE_EQ(cut({4, 3, 2, 1}, {0, 2}), 1.5);       // 1.5 and 3.5 cost one error each
  EXPECT_DOUBLE_EQ(cut({4, 3, 2, 1}, {0, 2}, {1}), 1.5);  // an unknown cell costs nothing
  EXPECT_DOUBLE_EQ(cut({1, 1, 0}, {0}), 0.6);             // equal scores stay together
  EXPECT_DOUBLE_EQ(cut({5, 4}, {}, {0, 1}), 0);
  EXPECT_DOUBLE_EQ(cut({2, 2}, {0}), 2);  // one error whatever the cut
}

Index errors(const std::vector<double>& scores, const std::vector<Id>& relevant, double at) {
  Index out = 0;
  for (Id l = 0; l < static_cast<Id>(scores.size()); ++l) {
    const bool yes = std::find(relevant.begin(), relevant.end(), l) != relevant.end();
    out += (scores[static_cast<std::size_t>(l)] > at) == yes ? 0 : 1;
  }
  return out;
}

TEST(RowThreshold, NoCutIsBetter) {
  Random random(1, "row cuts");
  for (int run = 0; run < 300; ++run) {
    std::vector<double> scores;
    std::vector<Id> relevant;
    for (Id l = 0; l < 7; ++l) {
      scores.push_back(static_cast<double>(random.below(6)));
      if (random.chance(0.4)) relevant.push_back(l);
    }
    const Index found = errors(scores, relevant, best_row_cut(scores, relevant, {}));
    for (double at = -0.5; at < 7; at += 1) EXPECT_LE(found, errors(scores, relevant, at));
  }
}

TEST(RowThreshold, RecoversALinearFunction) {
  // The best cut of a row is the middle of its two scores: weights 1/2 for any labels.
  Random random(2, "row cuts");
  Matrix scores(40, 2);
  std::vector<std::vector<Id>> positives(40);
  for (Index i = 0; i < 40; ++i) {
    scores(i, 0) = random.normal();
    scores(i, 1) = random.normal();
    const auto row = scores.row(i);
    positives[at(i)] = {row[0] > row[1] ? Id{0} : Id{1}};
  }
  const RowThreshold found = learn_row_threshold(scores, Labels(2, positives), Context());
  EXPECT_NEAR(found.weight[0], 0.5, 1e-6);
  EXPECT_NEAR(found.weight[1], 0.5, 1e-6);
  EXPECT_NEAR(found.constant, 0, 1e-6);
  EXPECT_NEAR(found.cut(scores.row(3)), (scores(3, 0) + scores(3, 1)) / 2, 1e-6);
}

TEST(RowThreshold, AlikeScoresAndNothing) {
  Matrix scores(30, 3);
  std::vector<std::vector<Id>> positives(30);
  Random random(3, "row cuts");
  for (Index i = 0; i < 30; ++i) {  // rows that add up to 0
    scores(i, 0) = random.normal();
    scores(i, 1) = random.normal();
    scores(i, 2) = -scores(i, 0) - scores(i, 1);
    if (scores(i, 0) > 0.2) positives[at(i)].push_back(0);
  }
  const RowThreshold found = learn_row_threshold(scores, Labels(3, positives), Context());
  for (const double w : found.weight) EXPECT_LT(std::abs(w), 10);
  const RowThreshold same =
      learn_row_threshold(Matrix(4, 2, 1.0), Labels(2, {{0}, {}, {}, {}}), Context());
  EXPECT_EQ(same.weight, (std::vector<double>{0, 0}));
  EXPECT_NEAR(same.constant, (1.0 + 3 * 1.1) / 4, 1e-12);
  EXPECT_EQ(learn_row_threshold(Matrix(0, 2), Labels(2, {}), Context()).constant, 0);
}

TEST(RowThreshold, RowsWithoutAnObservedCellAreLeftOut) {
  const Matrix scores(4, 2, std::vector<double>{3, 1, 7, 5, 2, 4, 9, -3});
  const Matrix known(3, 2, std::vector<double>{3, 1, 7, 5, 2, 4});
  const RowThreshold found =
      learn_row_threshold(scores, Labels(2, {{0}, {0}, {1}, {}}, {{}, {}, {}, {0, 1}}), Context());
  const RowThreshold expected = learn_row_threshold(known, Labels(2, {{0}, {0}, {1}}), Context());
  EXPECT_EQ(found.weight, expected.weight);
  EXPECT_EQ(found.constant, expected.constant);
}

}  // namespace
}  // namespace mulberry::resample
