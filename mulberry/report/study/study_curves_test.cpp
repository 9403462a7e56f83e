#include "mulberry/report/study/study_curves.hpp"

#include <gtest/gtest.h>

namespace mulberry::report {
namespace {

using Names = std::vector<std::string>;

TEST(StudyCurves, NumbersAtTheEndOfNamesAreAnAxis) {
  const auto found =
      find_curves({"mahr rounds=100", "mahr rounds=20", "mahr rounds=5", "alone, B=1, rounds=5"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->axis, "rounds");
  ASSERT_EQ(found->curves.size(), 2u);
  EXPECT_EQ(found->curves[0].name, "mahr");
  EXPECT_EQ(found->curves[0].at, (std::vector<double>{5, 20, 100}));
  EXPECT_EQ(found->curves[0].learners, (std::vector<std::size_t>{2, 1, 0}));
  EXPECT_EQ(found->curves[1].name, "alone, B=1");
}

TEST(StudyCurves, AWordMayStandInFrontOfTheNumber) {
  const auto found = find_curves({"rml, beta 0.1", "rml, beta 1", "rml, beta 10"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->axis, "beta");
  EXPECT_EQ(found->curves[0].name, "rml");
}

TEST(StudyCurves, OtherNamesAreNone) {
  EXPECT_FALSE(find_curves(Names{"rml", "br_svm"}));
  EXPECT_FALSE(find_curves(Names{"svm C=1", "svm C=10"})) << "two points are no curve";
  EXPECT_FALSE(find_curves(Names{"a k=1", "a k=2", "a C=3"})) << "two axes";
  EXPECT_FALSE(find_curves(Names{}));
}

TEST(StudyCurves, OthersAreLinesAlongTheAxis) {
  const auto found = find_curves(Names{"all", "svm C=1", "svm C=10", "svm C=100"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->lines, (std::vector<std::size_t>{0}));
  EXPECT_EQ(found->curves[0].learners, (std::vector<std::size_t>{1, 2, 3}));
}

// A round of one adds a hypothesis per label, of the other one: both end at 40.
TEST(StudyCurves, NumbersThatCountPerLabel) {
  const StudyCurves found =
      on_axis(*find_curves(Names{"own rounds=1", "own rounds=2", "own rounds=8", "all rounds=10",
                                 "all rounds=40", "all rounds=90"}),
              {.axis = "hypotheses", .per_label = {"own"}}, 5);
  EXPECT_EQ(found.axis, "hypotheses");
  EXPECT_EQ(found.curves[0].at, (std::vector<double>{5, 10, 40}));
  EXPECT_EQ(found.curves[1].at, (std::vector<double>{10, 40}));
  EXPECT_EQ(found.curves[1].learners, (std::vector<std::size_t>{3, 4}));
}

TEST(StudyCurves, APictureHasTheNamesAndTheSet) {
  const Names names = {"a k=1", "a k=2", "a k=3"};
  compare::Scores scores{.measure = "hamming_loss", .learners = names};
  compare::SetScores set{.name = "scene", .splits = {{10, 5}, {10, 5}}};
  for (const double v : {0.3, 0.2, 0.1}) {
    set.cells.push_back({compare::CellStatus::measured, {v, v + 0.01}});
  }
  scores.sets.push_back(set);
  const std::string svg = curves_picture(*find_curves(names), scores, 0);
  for (const char* word : {"scene", "hamming_loss", ">k<", "<svg"}) {
    EXPECT_NE(svg.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace mulberry::report
