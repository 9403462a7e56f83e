#include "mulberry/study/runner.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <set>
#include <thread>

#include "mulberry/core/error.hpp"
#include "mulberry/evaluate/cross_validate.hpp"
#include "mulberry/evaluate/fold_parts.hpp"
#include "mulberry/study/study_results.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::study {
namespace {

using tests::TemporaryFolder;

const std::string k_data =
    "[[data]]\nname = \"photos\"\ngenerate = {recipe = \"photos\", rows = 60}\n";
const std::string k_learners = "[learners]\nlr = \"br_logistic\"\nknn = \"ml_knn(k=3)\"\n";

Plan plan_of(const std::string& text, int threads = 1) {
  return make_plan(parse_study(text, "s.toml"), Context(threads));
}

TEST(Runner, GivesWhatCrossValidationGives) {
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  const Plan plan = plan_of(k_data + k_learners + "[protocol]\nfolds = 3\nseed = 4\n" +
                            "[measures]\nnames = [\"micro_f1\"]\n");
  const RunCount first = run_cells(plan, store, {}, Context(2));
  EXPECT_EQ(first.made, 6);
  EXPECT_EQ(run_cells(plan, store, {}, Context(2)).there, 6);
  const StudyResults results = collect(plan, store);
  EvaluateOptions options;
  options.split.folds = 3;
  options.measures = {"micro_f1"};
  const Comparison cv = cross_validate(plan.learners, plan.data[0], options, Context(1, 4));
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(results.scores[0].sets[0].cells[k].values, cv.learners[k].estimates[0].values);
  }
  EXPECT_EQ(results.missing, 0);
}

TEST(Runner, ShardsDivideTheCells) {
  const Plan plan = plan_of(k_data + k_learners + "[protocol]\nfolds = 4\n");
  std::set<std::size_t> seen;
  for (Index shard = 1; shard <= 3; ++shard) {
    for (const std::size_t c : chosen_cells(plan, {.shard = shard, .shards = 3})) {
      EXPECT_TRUE(seen.insert(c).second);
    }
  }
  EXPECT_EQ(seen.size(), 8u);
  EXPECT_EQ(only(plan, {"knn"}).cells.size(), 4u);
  EXPECT_EQ(only(plan, {"photos"}).cells.size(), 8u);
  EXPECT_EQ(only(plan, {}).cells.size(), 8u);
  EXPECT_THROW(only(plan, {"knm"}), Error);
}

TEST(Runner, AnExactNumberOfTrainingRows) {
  const Plan plan = plan_of(k_data + k_learners + "[protocol]\ntrain_rows = 41\nrepeats = 7\n");
  ASSERT_EQ(plan.sets[0].splits.size(), 7u);
  for (const Fold& fold : plan.sets[0].splits) {
    EXPECT_EQ(fold.train.size(), 41u);
    EXPECT_EQ(fold.test.size(), 19u);
  }
  EXPECT_NE(plan.sets[0].splits[0].train, plan.sets[0].splits[1].train);
  EXPECT_THROW(plan_of(k_data + k_learners + "[protocol]\ntrain_rows = 60\n"), Error);
}

TEST(Runner, FewerRowsComeFromAllOverTheFile) {
  const TemporaryFolder folder;
  std::string text = "@relation r\n@attribute x numeric\n@attribute y {0,1}\n@data\n";
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + (i < 50 ? ",0\n" : ",1\n");
  folder.put("d.arff", text);
  const Plan plan = plan_of("[[data]]\npath = \"" + folder.file("d.arff") +
                            "\"\nrows = 10\nlabel_count = -1\n[learners]\np = "
                            "\"br(base=prior)\"\n[protocol]\nfolds = 2\n");
  ASSERT_EQ(plan.data[0].rows(), 10);
  EXPECT_EQ(plan.data[0].x.at(9, 0), 90);
  EXPECT_EQ(plan.data[0].y.positives(), 5);
}

TEST(Runner, OfficialSplitsComeFromTwoFiles) {
  const TemporaryFolder folder;
  const std::string head = "@relation r\n@attribute x numeric\n@attribute y {0,1}\n@data\n";
  folder.put("d-train.arff", head + "1,1\n2,0\n3,1\n");
  // The test file has its columns in another order.
  folder.put("d-test.arff",
             "@relation r\n@attribute y {0,1}\n@attribute x numeric\n@data\n0,4\n1,5\n");
  folder.put("d.xml", "<labels><label name=\"y\"/></labels>");
  const auto text = [&](const std::string& more) {
    return "[[data]]\npath = \"" + folder.file("d-train.arff") + "\"\ntest = \"" +
           folder.file("d-test.arff") + "\"\n" + more +
           "[learners]\np = \"br(base=prior)\"\n[protocol]\nsplit = \"official\"\n";
  };
  const Plan plan = plan_of(text(""));
  ASSERT_EQ(plan.data[0].rows(), 5);
  EXPECT_EQ(plan.data[0].x.at(3, 0), 4);
  EXPECT_EQ(plan.data[0].y.row(4).size(), 1u);
  EXPECT_EQ(plan.sets[0].splits[0].train, (std::vector<Id>{0, 1, 2}));
  EXPECT_EQ(plan.sets[0].splits[0].test, (std::vector<Id>{3, 4}));
  const Plan swapped = plan_of(text("swap = true\n"));
  EXPECT_EQ(swapped.sets[0].splits[0].train, (std::vector<Id>{0, 1}));
  EXPECT_EQ(swapped.data[0].x.at(0, 0), 4);
  EXPECT_THROW(plan_of(k_data + k_learners + "[protocol]\nsplit = \"official\"\n"), std::exception);
}

// `rows` takes rows of both files where they are one set.
TEST(Runner, RowsAreTakenFromPairsOfFiles) {
  const TemporaryFolder folder;
  std::string file = "@relation r\n@attribute x numeric\n@attribute y {0,1}\n@data\n";
  for (int i = 0; i < 12; ++i) file += std::to_string(i) + "," + std::to_string(i % 2) + "\n";
  folder.put("d-train.arff", file);
  folder.put("d-test.arff", file);
  folder.put("d.xml", "<labels><label name=\"y\"/></labels>");
  const Plan plan = plan_of("[[data]]\npath = \"" + folder.file("d-train.arff") + "\"\ntest = \"" +
                            folder.file("d-test.arff") + "\"\nrows = 8\n" +
                            "[learners]\np = \"br(base=prior)\"\n[protocol]\nfolds = 2\n");
  ASSERT_EQ(plan.data[0].rows(), 8);
  EXPECT_EQ(plan.data[0].x.at(7, 0), 9);
  EXPECT_EQ(plan.sets[0].splits[0].train.size() + plan.sets[0].splits[0].test.size(), 8u);
}

// Labels are hidden in the training part only: the truth of the test rows is complete.
TEST(Runner, HiddenLabelsComeFromTrainingRows) {
  const Plan plan = plan_of(k_data + k_learners + "[protocol]\nfolds = 3\nhide = [0, 0.6]\n");
  ASSERT_EQ(plan.sets.size(), 2u);
  EXPECT_EQ(plan.sets[0].splits[1].test, plan.sets[1].splits[1].test);
  const Fold& fold = plan.sets[1].splits[0];
  const FoldParts parts =
      evaluation_parts(plan.learners[0], plan.data[0], fold, plan.options(1, 0), Context(1));
  EXPECT_EQ(parts.test.y, data::take_rows(plan.data[0].y, fold.test));
  EXPECT_LT(parts.train.y.positives(),
            data::take_rows(plan.data[0].y, fold.train).positives() * 6 / 10);
}

TEST(Runner, WrongLabelsComeFromTrainingRows) {
  const auto parts_of = [](const std::string& more) {
    const Plan plan = plan_of(k_data + k_learners + "[protocol]\nfolds = 3\n" + more);
    const Fold& fold = plan.sets[0].splits[0];
    FoldParts parts =
        evaluation_parts(plan.learners[0], plan.data[0], fold, plan.options(0, 0), Context(1));
    EXPECT_EQ(parts.test.y, data::take_rows(plan.data[0].y, fold.test)) << more;
    return parts;
  };
  const Labels truth = parts_of("").train.y;
  const Labels wrong = parts_of("flip = 0.5\n").train.y;
  const Labels both = parts_of("flip = 0.5\nhide = 0.6\n").train.y;
  const auto shared = [](const Labels& a, const Labels& b) {  // labels that a row has in both
    Index out = 0;
    for (Index i = 0; i < a.rows(); ++i) {
      for (const Id l : a.row(i)) out += b.cell(i, l) == data::Cell::positive ? 1 : 0;
    }
    return out;
  };
  EXPECT_EQ(wrong.positives(), truth.positives());
  EXPECT_LT(shared(wrong, truth), truth.positives() * 7 / 10);
  EXPECT_EQ(shared(both, wrong), both.positives());  // hidden after they were replaced
  EXPECT_LT(both.positives(), wrong.positives());
  EXPECT_EQ(parts_of("flip = [0]\n").train.y, truth);
}

TEST(Runner, ASearchSeesTheTrainingPartOnly) {
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  const Plan plan = plan_of(k_data +
                            "[learners.tuned]\nlearner = \"ml_knn\"\ntune = {measure = "
                            "\"micro_f1\", grid = \"k=1,3,9\", folds = 3}\n[protocol]\nholdout = "
                            "0.4\n[measures]\nnames = [\"micro_f1\"]\n");
  run_cells(plan, store, {}, Context(1));
  const StudyResults results = collect(plan, store);
  ASSERT_EQ(results.chosen[0][0].size(), 1u);
  // The same search by hand.
  const Fold& fold = plan.sets[0].splits[0];
  TuneOptions options;
  options.measure = "micro_f1";
  options.search = Search::grid;
  options.trials = 200;
  options.axes = parse_grid("k=1,3,9", "ml_knn");
  options.evaluate.split.folds = 3;
  const TuneResult found = tune("ml_knn", take_rows(plan.data[0], fold.train), options, Context(1));
  EXPECT_EQ(results.chosen[0][0][0], found.trials[found.best].spec.text());
}

TEST(Runner, WhatALearnerCannotDoIsAResult) {
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  const Plan plan =
      plan_of(k_data + "[learners]\nds = \"dsml\"\nlr = \"br_logistic\"\n[protocol]\nfolds = 2\n" +
              "[measures]\nnames = [\"micro_f1\"]\n");
  EXPECT_EQ(run_cells(plan, store, {}, Context(1)).made, 4);
  const StudyResults results = collect(plan, store);
  ASSERT_EQ(results.failures.size(), 1u);
  EXPECT_EQ(results.failures[0].learner, "ds");
  EXPECT_EQ(results.failures[0].splits, 2);
  EXPECT_EQ(results.scores[0].sets[0].cells[0].status, compare::CellStatus::failed);
  EXPECT_EQ(results.scores[0].sets[0].cells[1].status, compare::CellStatus::measured);
}

// A cell within its limits is the cell that has none; one beyond them is another result.
TEST(Runner, LimitsAreKept) {
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  const std::string text =
      k_data + k_learners + "[protocol]\nfolds = 2\n[measures]\nnames = [\"micro_f1\"]\n";
  const Plan free = plan_of(text), limited = plan_of(text + "[limits]\ncpu_seconds = 60\n");
  EXPECT_EQ(run_cells(limited, store, {}, Context(2)).made, 4);
  EXPECT_EQ(run_cells(free, store, {}, Context(1)).there, 4);
  const StudyResults results = collect(limited, store);
  EXPECT_GT(results.costs[0][0].peak_memory, 0);
  const Plan slow = plan_of(
      "[[data]]\nname = \"d\"\ngenerate = {recipe = \"linear\", rows = 3000, features = 100, "
      "labels "
      "= 60}\n[learners]\nslow = \"mahr(rounds=5000)\"\n[protocol]\nholdout = 0.5\nrepeats = "
      "3\n[measures]\n"
      "names = [\"micro_f1\"]\n[limits]\ncpu_seconds = 1\n" +
      std::string(tests::k_sanitized ? "" : "memory_gb = 4\n"));
  const RunCount count = run_cells(slow, store, {}, Context(1));
  EXPECT_EQ(count.made, 1) << "one split settles the others";
  EXPECT_EQ(count.settled, 2);
  EXPECT_EQ(count.there, 0) << "nothing was there in a new folder";
  EXPECT_EQ(count.left, 0);
  const StudyResults over = collect(slow, store);
  EXPECT_EQ(over.missing, 0);
  ASSERT_EQ(over.failures.size(), 1u);
  EXPECT_EQ(over.failures[0].reason, "over the limit of 1 CPU seconds");
  EXPECT_EQ(over.failures[0].splits, 3);
  const RunCount again = run_cells(slow, store, {}, Context(1));
  EXPECT_EQ(again.there, 1);
  EXPECT_EQ(again.settled, 2) << "and is not tried again";
}

TEST(Runner, TheBudgetStopsBeginnings) {
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  const Plan plan = plan_of(k_data + k_learners + "[protocol]\nfolds = 20\nrepeats = 40\n");
  const RunCount count = run_cells(plan, store, {.budget_minutes = 0.002}, Context(1));
  EXPECT_GT(count.left, 0);
  EXPECT_EQ(count.made + count.left, 1600);
}

TEST(Runner, PublishedValuesHaveTheirRemarks) {
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  const Study study = parse_study(
      k_data + k_learners +
          "[protocol]\nfolds = 2\n[measures]\nnames = [\"hamming_loss\"]\n[published]\nwithin = "
          "0.02\n[published.hamming_loss]\nlr = {photos = 0.05}\nknn = {photos = "
          "0.9}\n[[remarks]]\n"
          "learner = \"knn\"\ntext = \"the paper measures something else\"\n",
      "s.toml");
  const Plan plan = make_plan(study, Context(1));
  run_cells(plan, store, {}, Context(1));
  const auto lines = compare_published(study, collect(plan, store));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].remark, "");
  EXPECT_FALSE(lines[1].reached);
  EXPECT_EQ(lines[1].remark, "the paper measures something else");
}

// With several betas a cell measures at each of them, and a learner that was trained for one is not
// compared at the others.
TEST(Runner, SeveralBetas) {
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  const std::string head = k_data + "[learners]\nplain = \"br_logistic\"\n";
  const std::string rest =
      "[protocol]\nfolds = 2\n[measures]\nnames = [\"macro_fbeta\", \"micro_f1\"]\n";
  const Plan plan = plan_of(head + "\"for 2\" = {learner = \"br_logistic(C=2)\", beta = 2}\n" +
                            rest + "betas = [0.5, 2]\n");
  run_cells(plan, store, {}, Context(1));
  const StudyResults results = collect(plan, store);
  ASSERT_EQ(results.scores.size(), 3u);
  EXPECT_EQ(results.scores[0].measure, "macro_fbeta, beta 0.5");
  EXPECT_EQ(results.scores[0].learners, (std::vector<std::string>{"plain"}));
  EXPECT_EQ(results.scores[1].measure, "macro_fbeta, beta 2");
  EXPECT_EQ(results.scores[1].learners, (std::vector<std::string>{"plain", "for 2"}));
  EXPECT_EQ(results.scores[2].learners.size(), 2u);
  EXPECT_EQ(results.missing, 0);
  const Plan single = plan_of(head + rest + "beta = 2\n");
  run_cells(single, store, {}, Context(1));
  EXPECT_EQ(collect(single, store).scores[0].sets[0].cells[0].values,
            results.scores[1].sets[0].cells[0].values);
}

// Times and values of other data are shown and not judged.
TEST(Runner, WhatIsNotCompared) {
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  const std::string text = k_data +
                           "[learners]\nlr = \"br_logistic\"\n[protocol]\nfolds = 2\n"
                           "[measures]\nnames = [\"micro_f1\"]\n[published]\nwithin = 1\n";
  const std::string values =
      "[published.micro_f1]\nlr = {photos = 0.5}\n"
      "[published.fit_seconds]\nlr = {photos = 1e9}\n";
  const Plan same = plan_of(text + values);
  run_cells(same, store, {}, Context(1));
  const auto lines = compare_published(same.study, collect(same, store));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].comparable && lines[0].reached);
  EXPECT_FALSE(lines[1].comparable || lines[1].reached);
  EXPECT_GE(lines[1].ours, 0);
  const Plan other = plan_of(text + "other_data = true\n" + values);
  const auto others = compare_published(other.study, collect(other, store));
  EXPECT_FALSE(others[0].comparable || others[0].reached);
  EXPECT_EQ(others[0].ours, lines[0].ours);
}

// As many machines as learners: none has all the cells of one learner.
TEST(Runner, ShardsDivideTheCellsOfEachLearner) {
  const Plan plan = plan_of(k_data + k_learners + "[protocol]\nholdout = 0.5\nrepeats = 20\n");
  for (Index shard = 1; shard <= 2; ++shard) {
    Index of_each[] = {0, 0};
    for (const std::size_t c : chosen_cells(plan, {.shard = shard, .shards = 2})) {
      ++of_each[plan.cells[c].learner];
    }
    EXPECT_GT(std::min(of_each[0], of_each[1]), 3);
  }
}

// A part of a plan has the results of the whole one.
TEST(Runner, APartOfAPlan) {
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  const Plan plan =
      plan_of(k_data +
              "[[data]]\nname = \"more\"\ngenerate = {recipe = \"photos\", rows = 50, seed = 2}\n" +
              k_learners + "[protocol]\nfolds = 2\n[measures]\nnames = [\"micro_f1\"]\n" +
              "[published.micro_f1]\nlr = {photos = 0.5}\nknn = {more = 0.5}\n");
  run_cells(plan, store, {}, Context(1));
  const Plan part = only(plan, {"knn", "more"});
  ASSERT_EQ(part.cells.size(), 2u);
  const StudyResults all = collect(plan, store), some = collect(part, store);
  EXPECT_EQ(some.missing, 0);
  EXPECT_EQ(some.learners, (std::vector<std::string>{"knn"}));
  EXPECT_EQ(some.sets, (std::vector<std::string>{"more"}));
  EXPECT_EQ(some.scores[0].sets[0].cells[0].values, all.scores[0].sets[1].cells[1].values);
  EXPECT_EQ(compare_published(part.study, some).size(), 1u);
}

// A learner that cannot take gaps says so in its cells, and the others run.
TEST(Runner, GapsConcernTheLearnersThatCannotTakeThem) {
  const TemporaryFolder folder;
  std::string text = "@relation r\n@attribute x numeric\n@attribute y {0,1}\n@data\n";
  for (int i = 0; i < 40; ++i) {
    text += (i % 5 == 0 ? "?" : std::to_string(i % 7)) + (i % 2 == 0 ? ",0\n" : ",1\n");
  }
  folder.put("d.arff", text);
  const auto failures = [&](const std::string& more) {
    const CellStore store(folder.file(more.empty() ? "gaps" : "filled"));
    const Plan plan =
        plan_of("[[data]]\npath = \"" + folder.file("d.arff") + "\"\nlabel_count = -1\n" + more +
                "[learners]\nlr = \"br_logistic\"\nforest = \"forest(trees=3)\"\n"
                "[protocol]\nfolds = 2\n[measures]\nnames = [\"micro_f1\"]\n");
    run_cells(plan, store, {}, Context(1));
    return collect(plan, store).failures;
  };
  const auto gaps = failures("");
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].learner, "lr");
  EXPECT_NE(gaps[0].reason.find("missing"), std::string::npos) << gaps[0].reason;
  EXPECT_TRUE(failures("preprocess = {impute = \"mean\"}\n").empty());
}

// Text, lists of labels, ids and groups: tables as people have them.
TEST(Runner, TablesWithTextAndGroups) {
  const TemporaryFolder folder;
  std::string train = "id,text,author,labels\n", test = train;
  for (int i = 0; i < 40; ++i) {
    (i % 2 == 0 ? train : test) += "r" + std::to_string(i) +
                                   (i % 4 < 2 ? ",good day," : ",bad night,") +
                                   std::to_string(i % 8) + (i % 4 < 2 ? ",joy\n" : ",joy;anger\n");
  }
  folder.put("t.csv", train);
  folder.put("u.csv", test);
  const std::string head = "[[data]]\npath = \"" + folder.file("t.csv") +
                           "\"\ntext = \"text\"\nid = \"id\"\nlabel_list = \"labels\"\n";
  const std::string rest = "[learners]\nlr = \"br_logistic\"\n[measures]\nnames = [\"micro_f1\"]\n";
  const Plan plan = plan_of(head + rest + "[protocol]\nfolds = 2\ngroup = \"author\"\n");
  ASSERT_EQ(plan.data[0].columns(), 1);
  for (const Fold& fold : plan.sets[0].splits) {
    std::set<double> authors;
    for (const Id i : fold.train) authors.insert(plan.data[0].x.at(i, 0));
    for (const Id i : fold.test) EXPECT_FALSE(authors.contains(plan.data[0].x.at(i, 0)));
  }
  EXPECT_EQ(describe_protocol(plan.study.protocol),
            "2 folds, stratified by label, groups kept together");
  const Plan official = plan_of(head + "test = \"" + folder.file("u.csv") + "\"\n" + rest +
                                "[protocol]\nsplit = \"official\"\n");
  ASSERT_EQ(official.data[0].texts.size(), 1u);
  EXPECT_EQ(official.data[0].texts[0].texts.rows(), 40);
  const CellStore store(folder.file("cells"));
  run_cells(official, store, {}, Context(1));
  EXPECT_EQ(collect(official, store).scores[0].sets[0].cells[0].values, std::vector<double>{1});
}

// 64 cells at once: the threads of the pool, and none that a cell has started for itself.
TEST(Runner, CellsDoNotMultiplyThreads) {
  if (tests::k_sanitized) GTEST_SKIP() << "sanitizers start threads as well";
  const auto running = [] {
    Index out = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      out += task.exists() ? 1 : 0;
    }
    return out;
  };
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  const Plan plan =
      plan_of("[[data]]\nname = \"p\"\ngenerate = {recipe = \"photos\", rows = 200}\n" +
              k_learners + "ridge = \"ridge\"\n[protocol]\nholdout = 0.5\nrepeats = 64\n");
  const Index before = running();
  std::atomic<bool> done = false;
  std::atomic<Index> most = 0;
  std::thread observer([&] {
    while (!done) most = std::max<Index>(most, running());
  });
  run_cells(plan, store, {}, Context(64));
  done = true;
  observer.join();
  EXPECT_GT(most, before + 8) << "64 threads are not there";
  EXPECT_LE(most, before + 64 + 1);
}

}  // namespace
}  // namespace mulberry::study
