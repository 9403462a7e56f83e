// `mulberry run` as users meet it: killed at any moment, in shards, with damaged cells, stopped by
// Ctrl-C, under a budget, with many tiny cells.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/command_test.hpp"

namespace mulberry::tests::contract {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

// All cells of a work folder by their names.
std::map<std::string, std::string> cells_of(const std::string& work) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(work + "/cells")) {
    if (entry.is_regular_file()) {
      out[fs::relative(entry.path(), work).string()] = slurp(entry.path().string());
    }
  }
  return out;
}

class Studies : public CommandTest {
 protected:
  void SetUp() override {
    spill(study,
          "[[data]]\nname = \"photos\"\ngenerate = {recipe = \"photos\", rows = 150}\n"
          "[[data]]\nname = \"linear\"\ngenerate = {recipe = \"linear\", rows = 200, labels = 8}\n"
          "[learners]\nlr = \"br_logistic\"\nknn = \"ml_knn\"\n[learners.grid]\nlearner = "
          "\"br_svm\"\ngrid = \"C=0.1,1\"\n[learners.tuned]\nlearner = \"br_logistic\"\ntune = "
          "{measure = \"macro_f1\", grid = \"C=0.1,1,10\", folds = 3}\n[protocol]\nfolds = 5\n"
          "repeats = 4\nseed = 1\n[measures]\nnames = [\"macro_f1\", \"ranking_loss\"]\n");
  }
  // The result and the cells of a run that nothing disturbs.
  void undisturbed() {
    expected = ok({"run", study, "--work", scratch.file("plain"), "--json", "--threads", "2"}).out;
    cells = cells_of(scratch.file("plain"));
    ASSERT_EQ(cells.size(), 200u);
  }
  void expect_same(const std::string& work) {
    EXPECT_EQ(ok({"run", study, "--work", work, "--json", "--collect"}).out, expected);
    EXPECT_EQ(cells_of(work), cells);
  }
  std::string study = scratch.file("study.toml"), expected;
  std::map<std::string, std::string> cells;
};

TEST_F(Studies, KilledAtTwentyMomentsTheEndIsTheSame) {
  const auto begin = Clock::now();
  undisturbed();
  const auto whole = std::chrono::duration<double>(Clock::now() - begin).count();
  std::mt19937 random(7);
  int killed = 0;
  // A run that gets to its end starts again in another folder, so that twenty are really killed.
  for (int folder = 0; killed < 20 && folder < 200; ++folder) {
    const std::string work = scratch.file("killed" + std::to_string(folder));
    while (true) {
      Process process(scratch, {"run", study, "--work", work, "--json", "--threads", "2"});
      const double moment = std::uniform_real_distribution<double>(0, 0.5 * whole)(random);
      std::this_thread::sleep_for(std::chrono::duration<double>(moment));
      process.signal(SIGKILL);
      const Outcome outcome = process.wait();
      if (outcome.code == 0) break;
      ++killed;
    }
    expect_same(work);
  }
  EXPECT_GE(killed, 20);
}

TEST_F(Studies, ThreeShardsMakeTheWhole) {
  undisturbed();
  const std::string work = scratch.file("shards");
  for (const char* shard : {"2/3", "3/3", "1/3"}) {
    ok({"run", study, "--work", work, "--shard", shard, "--quiet"});
  }
  expect_same(work);
  // Folders of several machines are put together by copying.
  const std::string apart = scratch.file("apart"), together = scratch.file("together");
  for (const char* shard : {"1/2", "2/2"}) {
    ok({"run", study, "--work", apart + shard[0], "--shard", shard, "--quiet"});
    fs::copy(apart + shard[0], together,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  expect_same(together);
}

TEST_F(Studies, DamagedCellsAreMadeAgain) {
  undisturbed();
  const std::string work = scratch.file("plain");
  int k = 0;
  for (const auto& [name, bytes] : cells) {
    if (++k > 5) break;
    std::string damaged = bytes;
    if (k == 1) damaged.clear();
    if (k == 2) damaged.resize(damaged.size() / 2);
    if (k >= 3) damaged[damaged.size() - 20] ^= 4;
    spill(work + "/" + name, damaged);
  }
  const Json partial = Json::parse(ok({"run", study, "--work", work, "--json", "--collect"}).out);
  EXPECT_EQ(partial["missing"], 5);
  const Outcome outcome = ok({"run", study, "--work", work, "--json"});
  EXPECT_NE(outcome.err.find("195 were there, 5 made now; 5 damaged"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(outcome.out, expected);
  expect_same(work);
}

TEST_F(Studies, AnInterruptedRunSaysWhatIsFinished) {
  const std::string work = scratch.file("stopped");
  spill(study, slurp(study) + "[limits]\ncpu_seconds = 100\n");
  Process process(scratch, {"run", study, "--work", work, "--json", "--threads", "1"});
  for (int wait = 0; wait < 3000 && !fs::exists(work + "/cells"); ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  process.signal(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_NE(outcome.err.find("of 200 cells are finished"), std::string::npos) << outcome.err;
  EXPECT_GT(Json::parse(outcome.out)["missing"], 0);
}

TEST_F(Studies, PartsOfAStudy) {
  const std::string work = scratch.file("parts");
  const Json plan = Json::parse(
      ok({"run", study, "--work", work, "--dry-run", "--json", "--only", "knn,photos"}).out);
  EXPECT_FALSE(fs::exists(work)) << "nothing ran";
  ok({"run", study, "--work", work, "--collect", "--json"});
  EXPECT_FALSE(fs::exists(work)) << "nothing ran";
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0]["cells"], 20);
  EXPECT_EQ(plan[0]["finished"], 0);
  ok({"run", study, "--work", work, "--only", "knn,photos", "--quiet"});
  EXPECT_EQ(cells_of(work).size(), 20u);
  const Json part = Json::parse(
      ok({"run", study, "--work", work, "--collect", "--json", "--only", "knn,photos"}).out);
  EXPECT_EQ(part["learners"], Json({"knn"}));
  EXPECT_EQ(part["missing"], 0);
  EXPECT_EQ(run(scratch, {"run", study, "--work", work, "--collect", "--only", "kn"}).code, 1);
  const Outcome wrong = run(scratch, {"run", study, "--work", work, "--only", "kn"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("Did you mean 'knn'"), std::string::npos) << wrong.err;
  EXPECT_EQ(run(scratch, {"run", study, "--work", work, "--shard", "4/3"}).code, 1);
}

TEST_F(Studies, TheObjectHasWhatProgramsNeed) {
  undisturbed();
  const Json json = Json::parse(expected);
  EXPECT_EQ(json["learners"].size(), 5u);
  EXPECT_EQ(json["sets"], (Json{"photos", "linear"}));
  EXPECT_GT(json["mean"]["macro_f1"]["photos"]["lr"], 0.3);
  EXPECT_EQ(json["missing"], 0);
  EXPECT_EQ(json["ranks"]["macro_f1"].size(), 5u);
  EXPECT_TRUE(json["tests"]["macro_f1"].contains("friedman"));
  EXPECT_FALSE(json.contains("costs"));
  const Json costs = Json::parse(
      ok({"run", study, "--work", scratch.file("plain"), "--json", "--collect", "--costs"}).out);
  EXPECT_EQ(costs["costs"].size(), 10u);
  const std::string latex = scratch.file("t.tex"), csv = scratch.file("t.csv"),
                    page = scratch.file("t.md");
  ok({"run", study, "--work", scratch.file("plain"), "--collect", "--latex", latex, "--csv", csv,
      "--page", page, "--pictures", scratch.file("drawn"), "--test", "nemenyi", "--rope", "0.02"});
  for (const char* picture :
       {"macro_f1-ranks.svg", "ranking_loss-wins.svg", "macro_f1-boxes.svg"}) {
    EXPECT_NE(slurp(scratch.file("drawn/") + picture).find("</svg>"), std::string::npos) << picture;
  }
  EXPECT_NE(slurp(latex).find("tabular"), std::string::npos);
  EXPECT_NE(slurp(csv).find("ranking_loss,linear,knn"), std::string::npos);
  EXPECT_NE(slurp(page).find("| `knn` |"), std::string::npos);
  EXPECT_NE(slurp(page).find("(drawn/macro_f1-ranks.svg)"), std::string::npos);
}

// cv and tune keep their splits in the same kind of store.
TEST_F(Studies, ComparisonsAndSearchesGoOn) {
  const std::string data = scratch.file("photos.arff"), work = scratch.file("cv");
  ok({"generate", "photos", "--rows", "120", "-o", data});
  const std::vector<std::string> cv = {"cv", "br_logistic", "ml_knn",  data,     "--folds",
                                       "4",  "--csv",       "--quiet", "--work", work};
  const std::string first = ok(cv).out;
  EXPECT_EQ(cells_of(work).size(), 8u);
  EXPECT_EQ(ok(cv).out, first) << "the times, too: nothing ran again";
  const std::vector<std::string> tune = {"tune",     "br_logistic", data,      "--measure",
                                         "micro_f1", "--grid",      "C=0.1,1", "--json",
                                         "--quiet",  "--work",      work};
  const std::string found = ok(tune).out;
  EXPECT_EQ(cells_of(work).size(), 18u);
  EXPECT_EQ(ok(tune).out, found);
}

// Fewer repeats are the first ones of the study: nothing is computed twice.
TEST_F(Studies, RepeatsCanBeFewer) {
  const std::string work = scratch.file("some");
  ok({"run", study, "--work", work, "--json", "--repeats", "1"});
  EXPECT_EQ(cells_of(work).size(), 50u);
  const Json some =
      Json::parse(ok({"run", study, "--work", work, "--json", "--collect", "--repeats", "1"}).out);
  EXPECT_EQ(some["missing"], 0);
  EXPECT_EQ(Json::parse(ok({"run", study, "--work", work, "--json", "--collect"}).out)["missing"],
            150);
  undisturbed();
  ok({"run", study, "--work", work, "--json"});
  expect_same(work);
  EXPECT_EQ(run(scratch, {"run", study, "--work", work, "--repeats", "0"}).code, 1);
}

TEST_F(Studies, ThePagesOfResultsKeepWhatIsThere) {
  const std::string page = scratch.file("docs/results.md");
  fs::create_directories(fs::path(page).parent_path());
  const std::vector<std::string> pages = {"reproduce", "--work", scratch.file("none"),
                                          "--quick",   "--page", page};
  ok(pages);
  EXPECT_NE(slurp(page).find("| mahr-tables2-4 |"), std::string::npos);
  ok({"reproduce", "mahr-tables2-4", "--quick", "--only", "data-union,mahr_id", "--work",
      scratch.file("cells"), "--repeats", "1"});
  const std::string one = scratch.file("docs/results/mahr-figure3.md");
  spill(one,
        "# mahr-figure3\n\nSome text.\n\n| command | protocol | CPU time, half of that on two "
        "cores | published values |\n|---|---|--:|---|\n| `it` | once | 3 min | 2 agree |\n");
  ok(pages);
  const std::string list = slurp(page);
  EXPECT_NE(list.find("(results/mahr-figure3.md) | Hamming loss"), std::string::npos) << list;
  EXPECT_NE(list.find("| `it` | once | 3 min | 2 agree |"), std::string::npos) << list;
}

TEST_F(Studies, ThePapersAreListed) {
  const Json list = Json::parse(ok({"reproduce", "--json"}).out);
  EXPECT_GT(list.size(), 15u);
  EXPECT_EQ(run(scratch, {"reproduce", "rml-table33"}).code, 1);
  for (const Json& one : list) EXPECT_GT(one["cells"], 0) << one;
}

// The runner itself costs little: far less than the 6 ms that 10,000 cells per minute allow.
TEST_F(Studies, TinyCellsAreCheap) {
  spill(
      study,
      "[[data]]\nname = \"d\"\ngenerate = {recipe = \"linear\", rows = 200, features = 2, labels = "
      "2}\n[learners]\np = \"br(base=prior)\"\n[protocol]\nfolds = 10\nrepeats = 200\n[measures]\n"
      "names = [\"hamming_loss\"]\n");
  const auto begin = Clock::now();
  ok({"run", study, "--work", scratch.file("tiny"), "--json", "--threads", "1"});
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  EXPECT_EQ(cells_of(scratch.file("tiny")).size(), 2000u);
  EXPECT_LT(seconds, 24) << "2,000 cells; the usual time is a tenth of this on a quiet machine";
}

}  // namespace
}  // namespace mulberry::tests::contract
