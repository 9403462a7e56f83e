#include "mulberry/report/comparison_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <pugixml.hpp>

#include "mulberry/report/tune_report.hpp"

namespace mulberry::report {
namespace {

Comparison two_learners(bool intervals) {
  Comparison c{.data = "toy",
               .rows = 10,
               .labels = 3,
               .splits = "2 folds",
               .convention = "sklearn",
               .clock = "cpu",
               .level = intervals ? 0.9 : 0};
  c.measures = {"hamming_loss", "micro_f1"};
  c.higher_is_better = {false, true};
  for (const double v : {0.25, 0.5}) {
    LearnerResult& learner = c.learners.emplace_back();
    learner.name = v < 0.3 ? "good" : "bad";
    learner.estimates = {summarise({v, v}), summarise({1 - v, 1 - v})};
    if (intervals) {
      for (Estimate& e : learner.estimates) {
        e.low = e.mean - 0.125;
        e.high = e.mean + 0.125;
      }
    }
    learner.fit_seconds = learner.predict_seconds = summarise({0.5, 0.5});
    learner.peak_memory = 3000000;
  }
  return c;
}

TEST(ComparisonReport, MarksTheBestOfEachMeasure) {
  const std::string text = comparison_text(two_learners(false), false);
  EXPECT_NE(text.find("hamming_loss ↓              0.2500 ± 0.0000*  0.5000 ± 0.0000\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("toy: 10 rows, 3 labels; 2 folds; convention sklearn"), std::string::npos);
  EXPECT_NE(text.find("3 MB"), std::string::npos);
}

TEST(ComparisonReport, MarksWhatIsSignificantlyWorse) {
  Comparison c = two_learners(false);
  c.split_rows.assign(5, {80, 20});
  for (std::size_t k = 0; k < 2; ++k) {
    const double by = k == 0 ? 0.3 : 0;
    c.learners[k].estimates = {summarise({0.50 - by, 0.52 - by, 0.49 - by, 0.50 - by, 0.51 - by}),
                               summarise({0.50, 0.52, 0.49, 0.50, k == 0 ? 0.52 : 0.50})};
  }
  const std::string text = comparison_text(c, false);
  EXPECT_NE(
      text.find("* best\n• worse than the best at level 0.05 (corrected resampled t-test with "
                "Holm's correction)\n\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("0.2040 ± 0.0114*  0.5040 ± 0.0114•\n"), std::string::npos) << text;
  EXPECT_NE(text.find("0.5060 ± 0.0134*  0.5020 ± 0.0110\n"), std::string::npos) << text;
  EXPECT_TRUE(std::isnan(c.p_against_best(0)[0]));
  EXPECT_LT(c.p_against_best(0)[1], 0.05);
  EXPECT_GT(c.p_against_best(1)[1], 0.05);
  c.learners[0].estimates[0] = c.learners[1].estimates[0];
  EXPECT_NE(comparison_text(c, false).find("no learner is worse than the best at level 0.05"),
            std::string::npos);
  EXPECT_NE(comparison_text(c, false).find("0.5040 ± 0.0114*  0.5040 ± 0.0114*\n"),
            std::string::npos);
}

TEST(ComparisonReport, ShowsIntervals) {
  const std::string text = comparison_text(two_learners(true), false);
  EXPECT_NE(text.find("0.2500 [0.1250, 0.3750]*"), std::string::npos) << text;
  EXPECT_NE(text.find("90% bootstrap interval"), std::string::npos);
}

TEST(ComparisonReport, LongNamesBecomeLetters) {
  Comparison c = two_learners(false);
  c.learners[1].name = "br(base=linear_svm(C=2, loss=squared))";
  const std::string text = comparison_text(c, false);
  EXPECT_NE(text.find("\nA = good\nB = br(base=linear_svm(C=2, loss=squared))\n"),
            std::string::npos)
      << text;
}

TEST(ComparisonReport, CsvHasOneRowALearnerAndMeasure) {
  const std::string csv = comparison_rows(two_learners(false)).csv();
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * (2 + 3));
  EXPECT_NE(csv.find("\ngood,hamming_loss,0.25,0,,,2,0,1,\n"), std::string::npos) << csv;
}

TEST(ComparisonReport, PictureHasAPanelAMeasure) {
  Comparison c = two_learners(true);
  c.learners[1].name = "<b> & \"c\"";
  c.learners[1].estimates[1] = summarise({std::nan("")});
  pugi::xml_document svg;
  ASSERT_TRUE(svg.load_string(comparison_picture(c).c_str()));
  int dots = 0;
  for (const auto& node : svg.first_child().children("circle")) dots += !node.empty();
  EXPECT_EQ(dots, 3);
}

TEST(TuneReport, BestFirstAndHonest) {
  TuneResult result{.measure = "micro_f1", .splits = "2 folds", .convention = "sklearn"};
  result.searched = {"base.C"};
  for (const char* c : {"1", "2"}) {
    Trial& trial = result.trials.emplace_back();
    trial.spec = parse_spec(std::string("br(base=linear_svm(C=") + c + "))");
    trial.estimate = summarise({c[0] == '1' ? 0.25 : 0.5});
  }
  result.best = 1;
  EXPECT_EQ(tune_table(result).csv(),
            "base.C,micro_f1,deviation,fit_seconds\n2,0.5,,0\n1,0.25,,0\n");
  EXPECT_NE(tune_text(result, false).find("outer folds"), std::string::npos);
  result.outer = summarise({0.25, 0.5});
  const std::string text = tune_text(result, false);
  EXPECT_NE(text.find("0.3750 ± 0.1768 on 2 outer folds"), std::string::npos) << text;
}

// A run that was stopped: what is there says of how many splits it is, and nobody is best by others.
TEST(ComparisonReport, MeansOverFewerSplitsSaySo) {
  Comparison c = two_learners(false);
  c.split_rows.assign(4, {80, 20});
  const double none = std::nan("");
  c.learners[0].unfinished = 2;
  for (Estimate& e : c.learners[0].estimates) e = summarise({e.mean, e.mean, none, none});
  for (Estimate& e : c.learners[1].estimates) e = summarise({none, none, none, none});
  c.learners[1].unfinished = 4;
  c.learners[1].fit_seconds = c.learners[1].predict_seconds = {};
  c.learners[1].fit_seconds.mean = c.learners[1].predict_seconds.mean = none;
  c.learners[1].peak_memory = 0;
  const std::string text = comparison_text(c, false);
  EXPECT_NE(text.find("2 of 4"), std::string::npos) << text;
  EXPECT_NE(text.find("0 of 4"), std::string::npos) << text;
  for (const char* word : {"nan", " 0 MB", "0.2500 ± 0.0000*"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << word << " in " << text;
  }
}

}  // namespace
}  // namespace mulberry::report
