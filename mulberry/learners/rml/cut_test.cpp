#include "mulberry/learners/rml/cut.hpp"

#include <gtest/gtest.h>

namespace mulberry::learners::rml {
namespace {

// Scores 5 4 3 2 1 with truth 1 1 0 1 0: above 1.5 are three positives and one negative, F1 6/7.
TEST(RmlCut, WorkedExample) {
  const Cells cells{.rows = {0, 1, 2, 3, 4}, .truth = {1, 1, 0, 1, 0}};
  const std::vector<double> scores = {5, 4, 3, 2, 1};
  const Cut f1 = best_cut(cells, scores, SetLoss(SetMeasure::fbeta, 1));
  EXPECT_EQ(f1.at, 1.5);
  EXPECT_NEAR(f1.value, 6.0 / 7, 1e-15);
  const Cut precise = best_cut(cells, scores, SetLoss(SetMeasure::fbeta, 0.1));
  EXPECT_EQ(precise.at, 3.5);
}

// Equal scores cannot be parted: all or none of them, and all is better than none for F.
TEST(RmlCut, TiesStayTogether) {
  const Cells cells{.rows = {0, 1, 2}, .truth = {0, 1, 0}};
  const Cut cut = best_cut(cells, std::vector<double>{0, 0, 0}, SetLoss(SetMeasure::fbeta, 1));
  EXPECT_LT(cut.at, 0);
  EXPECT_NEAR(cut.value, 0.5, 1e-15);
}

}  // namespace
}  // namespace mulberry::learners::rml
