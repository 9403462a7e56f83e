#include "mulberry/report/scores_pictures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <pugixml.hpp>

#include "mulberry/core/index.hpp"
#include "mulberry/report/score_picture.hpp"

namespace mulberry::report {
namespace {

pugi::xml_document parsed(const std::string& svg) {
  pugi::xml_document out;
  EXPECT_TRUE(out.load_string(svg.c_str()));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  return out;
}

// Learners that become worse one by one.
Scores example(std::size_t learners, std::size_t sets, int splits) {
  Scores out{.measure = "macro_f1"};
  for (std::size_t k = 0; k < learners; ++k) {
    out.learners.push_back("threshold(base=br(base=linear_svm(C=" + std::to_string(k) +
                           ")), cut=macro_f) & <more>");
  }
  for (std::size_t s = 0; s < sets; ++s) {
    Random rng(5, "pictures", s);
    SetScores set{.name = "set", .splits = std::vector<SplitRows>(at(splits), {80, 20})};
    for (std::size_t k = 0; k < learners; ++k) {
      ScoreCell cell{.status = CellStatus::measured};
      for (int i = 0; i < splits; ++i) {
        cell.values.push_back(0.9 - 0.01 * static_cast<double>(k) + 0.04 * rng.normal());
      }
      set.cells.push_back(cell);
    }
    out.sets.push_back(set);
  }
  return out;
}

Verdicts verdicts_of(const Scores& scores, PairTest test = PairTest::wilcoxon_holm) {
  return judge(scores, {.test = test, .bayesian = {.draws = 10}}, Context(1, 1));
}

TEST(CriticalDifference, ALineAndANamePerLearner) {
  for (const std::size_t count : {2u, 7u, 40u}) {
    const Scores scores = example(count, 12, 3);
    const Verdicts v = verdicts_of(scores);
    const auto svg = parsed(critical_difference_picture(scores, v));
    EXPECT_EQ(svg.select_nodes("//polyline").size(), count);
    EXPECT_EQ(svg.select_nodes("//circle").size(), count);
    EXPECT_EQ(svg.select_nodes("//line[@stroke-width='4']").size(), v.groups().size());
  }
}

TEST(CriticalDifference, NamesDoNotOverlap) {
  const Scores scores = example(40, 12, 3);
  const auto svg = parsed(critical_difference_picture(scores, verdicts_of(scores)));
  std::map<double, int> rows;  // of names, by height
  for (const auto& node : svg.select_nodes("//text[@font-size='12' and @text-anchor='end']")) {
    ++rows[node.node().attribute("y").as_double()];
  }
  EXPECT_EQ(rows.size(), 20u);
  double last = -100;
  for (const auto& [y, count] : rows) {
    EXPECT_EQ(count, 1);
    EXPECT_GE(y - last, 14);
    last = y;
  }
}

TEST(CriticalDifference, NemenyiShowsItsScale) {
  const Scores scores = example(5, 20, 3);
  const Verdicts v = verdicts_of(scores, PairTest::nemenyi);
  EXPECT_NE(critical_difference_picture(scores, v).find("critical difference 1.36"),
            std::string::npos);
}

TEST(ScoresPictures, NothingToCompare) {
  const Scores none{.measure = "m", .learners = {"a", "b"}};
  const Verdicts v = verdicts_of(none);
  parsed(critical_difference_picture(none, v));
  parsed(win_tie_loss_picture(none, v));
  parsed(boxes_picture(none, v));
}

TEST(WinTieLoss, CountsPerPair) {
  Scores scores = example(3, 12, 3);
  for (SetScores& set : scores.sets) set.cells[1] = set.cells[0];
  const auto svg = parsed(win_tie_loss_picture(scores, verdicts_of(scores)));
  EXPECT_EQ(svg.select_nodes("//text[.='0/12/0']").size(), 2u);
  const Scores many = example(40, 12, 3);
  const auto large = parsed(win_tie_loss_picture(many, verdicts_of(many)));
  EXPECT_EQ(large.select_nodes("//rect[title]").size(), 1600u);
  EXPECT_LT(large.first_child().attribute("width").as_double(), 1200);
}

TEST(Boxes, BoxesForManySplitsDotsForFew) {
  Scores many = example(4, 3, 9), few = example(4, 3, 3);
  many.sets[1].cells[2] = {.status = CellStatus::over_limit};
  few.sets[0].cells[0] = {};
  const auto boxes = parsed(boxes_picture(many, verdicts_of(many)));
  EXPECT_EQ(boxes.select_nodes("//rect[@rx]").size(), 11u);
  EXPECT_EQ(boxes.select_nodes("//text[.='over the limit']").size(), 1u);
  const auto dots = parsed(boxes_picture(few, verdicts_of(few)));
  EXPECT_EQ(dots.select_nodes("//circle").size(), 11u * 4);
}

TEST(ScorePicture, LabelsWorstFirstAndCurves) {
  constexpr Index k_rows = 60, k_labels = 5;
  Matrix scores(k_rows, k_labels);
  std::vector<Index> start = {0}, decided_start = {0};
  std::vector<Id> index, decided_index;
  Random rng(3, "labels");
  for (Index i = 0; i < k_rows; ++i) {
    for (Index l = 0; l < k_labels; ++l) {
      const bool truth = l < 4 && rng.chance(0.3);  // the last label never occurs
      scores(i, l) = (truth ? 0.3 + 0.1 * static_cast<double>(l) : 0.2) + 0.3 * rng.uniform();
      if (truth) index.push_back(static_cast<Id>(l));
      if (scores(i, l) > 0.45) decided_index.push_back(static_cast<Id>(l));
    }
    start.push_back(count_of(index));
    decided_start.push_back(count_of(decided_index));
  }
  const Labels truth = Labels::from_csr(k_labels, start, index);
  const Labels decided = Labels::from_csr(k_labels, decided_start, decided_index);
  const std::vector<std::string> names = {"a", "b & c", "d", "e", "never"};
  const auto both = parsed(
      score_picture("m", truth, {.scores = &scores, .decided = &decided}, names, {}, Context()));
  EXPECT_EQ(both.select_nodes("//polyline[not(@stroke-dasharray)]").size(), 4u);
  EXPECT_EQ(both.select_nodes("//text[.='b & c']").size(), 2u);
  const auto only_scores =
      parsed(score_picture("m", truth, {.scores = &scores}, names, {}, Context()));
  EXPECT_EQ(only_scores.select_nodes("//text[.='AUC']").size(), 1u);
  const auto only_decided =
      parsed(score_picture("m", truth, {.decided = &decided}, names, {}, Context()));
  EXPECT_EQ(only_decided.select_nodes("//polyline").size(), 0u);
  const auto few =
      parsed(score_picture("m", truth, {.decided = &decided}, names, {}, Context(), 2));
  EXPECT_NE(few.select_node("//text[contains(., 'the 2 worst')]"), pugi::xpath_node());
}

}  // namespace
}  // namespace mulberry::report
