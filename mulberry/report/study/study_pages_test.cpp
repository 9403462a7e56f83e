#include "mulberry/report/study/study_pages.hpp"

#include <gtest/gtest.h>

#include "mulberry/study/runner.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::report {
namespace {

// Three sets are enough to speak of ranks; a bar in a name does not end its cell of a table.
TEST(StudyPages, APublishedTableHasItsStatistics) {
  const tests::TemporaryFolder folder;
  const CellStore store(folder.path());
  std::string text = "title = \"t\"\ncosts = true\n";
  for (const char* name : {"a|b", "c", "d"}) {
    text += std::string("[[data]]\nname = \"") + name +
            "\"\ngenerate = {recipe = \"photos\", rows = 40, seed = " + std::to_string(name[0]) +
            "}\n";
  }
  text +=
      "[learners]\nlr = \"br_logistic\"\nknn = \"ml_knn\"\n[protocol]\nfolds = 2\n[measures]\n"
      "names = [\"micro_f1\"]\n[published.micro_f1]\nlr = {\"a|b\" = 0.1}\n";
  const Plan plan = make_plan(parse_study(text, "t.toml"), Context(1));
  run_cells(plan, store, {}, Context(2));
  const StudyResults results = collect(plan, store);
  const auto verdicts = verdicts_of(results, {}, Context(1));
  const StudyPage page = published_page(plan.study, results, verdicts, "command");
  for (const char* words :
       {"## Mean ranks", "Friedman over 2 learners and 3 sets", "| a\\|b | `lr` | 0.1000 |",
        "Wilcoxon's signed-rank test with Holm's correction", "](t-micro_f1-ranks.svg)",
        "## Time and memory", "1 better", "| learner | a\\|b | c | d |"}) {
    EXPECT_NE(page.text.find(words), std::string::npos) << words << " in " << page.text;
  }
  EXPECT_EQ(page.text.find(", 0 |"), std::string::npos) << "memory that was not measured";
  ASSERT_EQ(page.pictures.size(), 1u);
  EXPECT_NE(page.pictures[0].svg.find("<svg"), std::string::npos);
}

}  // namespace
}  // namespace mulberry::report
