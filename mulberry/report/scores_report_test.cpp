#include "mulberry/report/scores_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mulberry/core/index.hpp"

namespace mulberry::report {
namespace {

using Json = nlohmann::json;

// The first learner is better by 0.1 on every set.
Scores example(std::size_t learners, std::size_t sets) {
  Scores out{.measure = "macro_f1"};
  for (std::size_t k = 0; k < learners; ++k) out.learners.push_back("learner_" + std::to_string(k));
  for (std::size_t s = 0; s < sets; ++s) {
    Random rng(5, "example", s);
    SetScores set{.name = "set & " + std::to_string(s),
                  .splits = std::vector<SplitRows>(5, {80, 20})};
    for (std::size_t k = 0; k < learners; ++k) {
      ScoreCell cell{.status = CellStatus::measured};
      for (int i = 0; i < 5; ++i)
        cell.values.push_back((k == 0 ? 0.75 : 0.5) + 0.01 * rng.normal());
      set.cells.push_back(cell);
    }
    out.sets.push_back(set);
  }
  return out;
}

Verdicts verdicts_of(const Scores& scores, PairTest test = PairTest::wilcoxon_holm) {
  return judge(scores, {.test = test, .bayesian = {.draws = 1000}}, Context(1, 1));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ScoresReport, TableMarksBestAndWorse) {
  Scores scores = example(3, 10);
  scores.sets[1].cells[2] = {.status = CellStatus::over_limit};
  const std::string text = scores_text(scores, verdicts_of(scores), false);
  EXPECT_TRUE(has(text, "macro_f1 ↑: mean ± deviation over splits; * best; • worse")) << text;
  EXPECT_TRUE(has(text, "over the limit"));
  EXPECT_TRUE(has(text, "\nmean rank             1.00*")) << text;
  EXPECT_TRUE(has(text, "Friedman over 3 learners and 10 sets: chi-square")) << text;
  EXPECT_TRUE(has(text, "learner_0 is better than learner_")) << text;
  EXPECT_TRUE(has(text, "Against learner_0, the best by mean rank")) << text;
  EXPECT_TRUE(has(text, "10/0/0")) << text;
}

// A reader of the table would take the only one in bold for the winner.
TEST(ScoresReport, AllOfEqualsAreMarked) {
  Scores scores = example(3, 10);
  for (SetScores& set : scores.sets) set.cells[2] = set.cells[0];
  const Verdicts verdicts = verdicts_of(scores);
  const std::string text = scores_text(scores, verdicts, false);
  const std::string line = text.substr(text.find("\nmean rank"), text.find("\nFriedman"));
  EXPECT_TRUE(has(line, "1.50*             3.00•             1.50*")) << text;
  const auto stars = std::ranges::count(text, '*');
  EXPECT_EQ(stars, 2 * 11 + 1) << text;  // ten sets and the rank, and the legend
  const std::string csv = scores_rows(std::span(&scores, 1), std::span(&verdicts, 1)).csv();
  for (const char* learner : {"learner_0", "learner_2"}) {
    const std::string row = csv.substr(csv.find(learner));
    EXPECT_TRUE(has(row.substr(0, row.find('\n')), ",5,1,1.5")) << row;
  }
}

TEST(ScoresReport, ManyLearnersAreRowsByRank) {
  Scores scores = example(9, 12);
  std::swap(scores.learners[0], scores.learners[4]);
  const std::string text = scores_text(scores, verdicts_of(scores), false);
  EXPECT_TRUE(has(text, "learner    mean rank ")) << text;
  const auto first = text.find("\nlearner_4 ");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_LT(first, text.find("\nlearner_0 "));
  EXPECT_FALSE(has(text, "±"));
}

TEST(ScoresReport, SaysWhatCannotBeShown) {
  const Scores few = example(4, 3);
  const std::string text = scores_text(few, verdicts_of(few), false);
  EXPECT_TRUE(has(text, "no two learners differ")) << text;
  EXPECT_TRUE(has(text, "With 3 sets and 6 pairs no difference can be significant at 0.05"))
      << text;
  const Scores one = example(2, 1);
  const std::string single = scores_text(one, verdicts_of(one), false);
  EXPECT_FALSE(has(single, "Friedman")) << single;
  EXPECT_FALSE(has(single, "mean rank  ")) << single;
}

TEST(ScoresReport, IncompleteSetsAreNamed) {
  Scores scores = example(3, 6);
  scores.sets[2].cells[1] = {};
  const std::string text = scores_text(scores, verdicts_of(scores), false);
  EXPECT_TRUE(has(text, "ranks and tests use the 5 of 6 sets on which no result is missing"))
      << text;
}

TEST(ScoresReport, LatexIsEscaped) {
  Scores scores = example(3, 6);
  scores.learners[1] = "br_svm(C=10^3) 100% #1 {x} ~ \\a $b$";
  const std::vector<Scores> all = {scores};
  const std::vector<Verdicts> verdicts = {verdicts_of(scores)};
  const std::string latex = scores_latex(all, verdicts);
  EXPECT_TRUE(has(latex, "\\begin{tabular}{lrrr}\n\\toprule\nset & A & B & C \\\\\n\\midrule\n"))
      << latex;
  EXPECT_TRUE(has(latex, "set \\& 0 & \\textbf{0.7")) << latex;
  EXPECT_TRUE(has(latex, " $\\pm$ 0.0")) << latex;
  EXPECT_TRUE(has(latex, "\\textsuperscript{$\\bullet$}")) << latex;
  EXPECT_TRUE(has(latex, "\\midrule\nmean rank & \\textbf{1.00}")) << latex;
  EXPECT_TRUE(has(latex, "\\bottomrule\n\\end{tabular}\n")) << latex;
  EXPECT_TRUE(has(latex, "% B = br_svm(C=10^3)")) << latex;  // in a comment: as it is
  Table table({{"br_svm(C=10^3) 100% #1 {x} ~ \\a $b$", "", false}});
  EXPECT_TRUE(has(table.latex(),
                  "br\\_svm(C=10\\textasciicircum{}3) 100\\% \\#1 \\{x\\} \\textasciitilde{} "
                  "\\textbackslash{}a \\$b\\$ \\\\"))
      << table.latex();
}

TEST(ScoresReport, RowsForSpreadsheets) {
  Scores scores = example(2, 3);
  scores.sets[0].cells[1] = {.status = CellStatus::failed};
  const std::vector<Scores> all = {scores};
  const std::vector<Verdicts> verdicts = {verdicts_of(scores)};
  const std::string csv = scores_rows(all, verdicts).csv();
  EXPECT_TRUE(
      has(csv, "measure,set,learner,status,mean,deviation,splits,best,rank,p_against_best\n"));
  EXPECT_TRUE(has(csv, "macro_f1,set & 0,learner_1,failed,,,0,0,2,\n")) << csv;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 3);
}

TEST(ScoresReport, JsonHasEverything) {
  Scores scores = example(3, 8);
  scores.sets[3].cells[2] = {.status = CellStatus::over_limit};
  const std::vector<Scores> all = {scores};
  const std::vector<Verdicts> verdicts = {verdicts_of(scores)};
  const Json json = Json::parse(scores_json(all, verdicts));
  EXPECT_EQ(json.at("learners").size(), 3u);
  EXPECT_EQ(json.at("sets").size(), 8u);
  EXPECT_NEAR(json.at("mean").at("macro_f1").at("set & 0").at("learner_0").get<double>(), 0.75,
              0.02);
  EXPECT_TRUE(json.at("mean").at("macro_f1").at("set & 3").at("learner_2").is_null());
  EXPECT_EQ(json.at("status").at("macro_f1").at("set & 3").at("learner_2"), "over the limit");
  EXPECT_EQ(json.at("ranks").at("macro_f1").at("learner_0"), 1.0);
  const Json& tests = json.at("tests").at("macro_f1");
  EXPECT_LT(tests.at("friedman").at("iman_davenport_p").get<double>(), 0.01);
  EXPECT_EQ(tests.at("wilcoxon_holm").at("learner_0").at("learner_1"),
            verdicts[0].wilcoxon_holm(0, 1));
  EXPECT_EQ(tests.at("nemenyi").at("critical_difference"), verdicts[0].critical_difference);
  EXPECT_EQ(tests.at("bayesian").at("best"), "learner_0");
  EXPECT_GT(tests.at("bayesian").at("against").at("learner_1").at("better").get<double>(), 0.9);
  EXPECT_EQ(tests.at("resampled_t").at("set & 0").at("best"), "learner_0");
  EXPECT_EQ(tests.at("groups")[0], (Json{"learner_1", "learner_2"})) << tests.at("groups");
}

}  // namespace
}  // namespace mulberry::report
