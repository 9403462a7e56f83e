#include "mulberry/report/page/label_curves.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/measures/curves.hpp"

namespace mulberry::report {
namespace {

// Row 3 is not observed; rows 0, 1 and 4 have the label.
struct Small {
  Labels truth{1, {{0}, {0}, {}, {}, {0}, {}}, {{}, {}, {}, {0}, {}, {}}};
  Matrix scores{6, 1, std::vector<double>{0.9, 0.4, 0.4, 0.99, 0.7, 0.1}};
  Outcome outcome{.scores = &scores, .probabilities = true};
};

TEST(LabelCurves, CountsAtEveryCut) {
  const Small s;
  const LabelCurves c = label_curves(s.truth, s.outcome, 0, 0);
  EXPECT_EQ(c.positives, 3);
  EXPECT_EQ(c.negatives, 2);
  ASSERT_EQ(c.cuts.size(), 4u);
  const std::vector<std::vector<double>> expected = {
      {0.9, 1, 0}, {0.7, 2, 0}, {0.4, 3, 1}, {0.1, 3, 2}};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(c.cuts[k].cut, expected[k][0]);
    EXPECT_EQ(static_cast<double>(c.cuts[k].hits), expected[k][1]);
    EXPECT_EQ(static_cast<double>(c.cuts[k].mistakes), expected[k][2]);
  }
  // The same precision and recall as the curve of the measures.
  const auto curve = precision_recall(s.truth, s.outcome, 0);
  ASSERT_EQ(curve.size(), c.cuts.size());
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const auto hits = static_cast<double>(c.cuts[k].hits);
    EXPECT_DOUBLE_EQ(curve[k].precision, hits / (hits + static_cast<double>(c.cuts[k].mistakes)));
    EXPECT_DOUBLE_EQ(curve[k].recall, hits / 3);
  }
}

TEST(LabelCurves, BinsHoldEveryObservedRow) {
  const Small s;
  const LabelCurves c = label_curves(s.truth, s.outcome, 0, 0);
  Index rows = 0, positives = 0;
  for (const ChanceBin& bin : c.chances) {
    rows += bin.rows;
    positives += bin.positives;
  }
  EXPECT_EQ(rows, 5);
  EXPECT_EQ(positives, 3);
  EXPECT_EQ(c.chances[4].rows, 2);  // 0.4, twice
  EXPECT_EQ(c.chances[4].positives, 1);
  EXPECT_DOUBLE_EQ(c.chances[4].mean, 0.4);
  Index with = 0, without = 0;
  for (const Index n : c.with) with += n;
  for (const Index n : c.without) without += n;
  EXPECT_EQ(with, 3);
  EXPECT_EQ(without, 2);
}

TEST(LabelCurves, JoinsSmallSteps) {
  const Index n = 20000;
  std::vector<std::vector<Id>> rows(at(n));
  Matrix scores(n, 1);
  for (Index i = 0; i < n; ++i) {
    if (i % 3 == 0) rows[at(i)] = {0};
    scores(i, 0) = std::sin(static_cast<double>(i));
  }
  const Labels truth(1, rows);
  const Outcome outcome{.scores = &scores};
  const LabelCurves c = label_curves(truth, outcome, 0, 0.02);
  EXPECT_LT(c.cuts.size(), 120u);
  EXPECT_GT(c.cuts.size(), 30u);
  EXPECT_EQ(c.cuts.back().hits, c.positives);
  EXPECT_EQ(c.cuts.back().mistakes, c.negatives);
  EXPECT_TRUE(c.chances.empty());
}

TEST(LabelCurves, OneScoreAndNoRows) {
  const Labels truth(1, {{0}, {}});
  const Matrix scores(2, 1, 0.5);
  const LabelCurves c = label_curves(truth, {.scores = &scores}, 0, 0.02);
  ASSERT_EQ(c.cuts.size(), 1u);
  EXPECT_EQ(c.with[0], 1);
  const Matrix none(0, 1);
  EXPECT_TRUE(label_curves(Labels(1, {}), {.scores = &none}, 0, 0.02).cuts.empty());
}

TEST(DecidingCut, NaturalGapOrNone) {
  const Matrix scores(4, 1, std::vector<double>{0.9, 0.6, 0.3, 0.1});
  const auto cut = [&](std::vector<std::vector<Id>> decided, double natural) {
    const Labels labels(1, decided);
    return deciding_cut({.scores = &scores, .decided = &labels}, 0, natural);
  };
  EXPECT_EQ(cut({{0}, {0}, {}, {}}, 0.5), 0.5);
  EXPECT_DOUBLE_EQ(cut({{0}, {0}, {0}, {}}, 0.5), 0.2);   // in the middle between 0.3 and 0.1
  EXPECT_TRUE(std::isnan(cut({{0}, {}, {0}, {}}, 0.5)));  // more than the score decides
  EXPECT_TRUE(std::isnan(cut({{}, {}, {}, {}}, 0.5)));    // 0.9 was not enough, nor is 0.5
  EXPECT_EQ(cut({{}, {}, {}, {}}, 0.95), 0.95);
  EXPECT_EQ(cut({{0}, {0}, {0}, {0}}, 0.5), 0.1);
}

}  // namespace
}  // namespace mulberry::report
