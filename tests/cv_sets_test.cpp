// mulberry cv over several data sets.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/process.hpp"

namespace mulberry::tests::contract {
namespace {

using Json = nlohmann::json;

class CvSets : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* seed : {"1", "2", "3"}) {
      const std::string path = scratch.file(std::string("photos") + seed + ".arff");
      const Outcome made =
          run(scratch, {"generate", "photos", "--rows", "80", "--seed", seed, "-o", path});
      EXPECT_EQ(made.code, 0) << made.err;
      data.push_back(path);
    }
  }
  Outcome cv(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"cv", "br_logistic", "br(base=prior)"};
    words.insert(words.end(), data.begin(), data.end());
    words.insert(words.end(), {"--folds", "3", "--measures", "macro_f1,ranking_loss", "--quiet"});
    words.insert(words.end(), more.begin(), more.end());
    return run(scratch, words);
  }
  Scratch scratch;
  std::vector<std::string> data;
};

TEST_F(CvSets, TablesAndTestsPerMeasure) {
  const std::string picture = scratch.file("ranks.svg");
  const Outcome outcome = cv({"--picture", picture});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* words :
       {"3 data sets; 3 folds", "macro_f1 ↑: mean ± deviation", "ranking_loss ↓: mean", "photos2",
        "mean rank", "Friedman over 2 learners and 3 sets",
        "With 3 sets and 1 pair no difference can be significant"}) {
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  }
  EXPECT_NE(slurp(picture).find("Mean ranks: macro_f1"), std::string::npos);
}

TEST_F(CvSets, SameValuesAsOneByOne) {
  const Outcome all = cv({"--json"});
  ASSERT_EQ(all.code, 0) << all.err;
  const Json together = Json::parse(all.out);
  EXPECT_EQ(together.at("sets").size(), 3u);
  const Outcome one = run(scratch, {"cv", "br_logistic", "br(base=prior)", data[1], "--folds", "3",
                                    "--measures", "macro_f1,ranking_loss", "--json", "--quiet"});
  const Json alone = Json::parse(one.out);
  EXPECT_EQ(together.at("mean").at("macro_f1").at("photos2").at("br_logistic"),
            alone.at("learners")[0].at("measures").at("macro_f1").at("mean"));
  EXPECT_EQ(cv({"--csv"}).out.substr(0, 12), "measure,set,");
}

TEST_F(CvSets, AFileThatIsNotThereIsNamed) {
  const std::string absent = scratch.file("photos4.arff");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{absent, data[0]}, {data[0], absent, data[1]}, {data[0], absent}}) {
    std::vector<std::string> all = {"cv", "br_logistic", "br(base=logistic(tolerance=1e-5))"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run(scratch, all);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("photos4.arff"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("Check the path"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("photos1.arff"), std::string::npos) << outcome.err;
  }
}

TEST_F(CvSets, OptionsForOneSetAreRefused) {
  const Outcome over = cv({"--over", "base.C=1,2"});
  EXPECT_EQ(over.code, 1);
  EXPECT_NE(over.err.find("expected one data set with --over, found 3"), std::string::npos)
      << over.err;
  EXPECT_EQ(cv({"--intervals"}).code, 1);
  const Outcome one = run(scratch, {"cv", "br_logistic", data[0], "--test", "nemenyi"});
  EXPECT_EQ(one.code, 1);
  EXPECT_NE(one.err.find("expected several data sets with --test, found one"), std::string::npos);
}

TEST_F(CvSets, TheTestIsAChoice) {
  const Json json =
      Json::parse(cv({"--test", "nemenyi", "--alpha", "0.2", "--rope", "0", "--json"}).out);
  const Json& tests = json.at("tests").at("macro_f1");
  EXPECT_EQ(tests.at("test"), "nemenyi");
  EXPECT_EQ(tests.at("alpha"), 0.2);
  EXPECT_EQ(tests.at("bayesian").at("rope"), 0.0);
  EXPECT_NE(cv({"--test", "nemenyi"}).out.find("Nemenyi's test at 0.05"), std::string::npos);
  const Outcome wrong = cv({"--test", "nemenji"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("Did you mean 'nemenyi'?"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace mulberry::tests::contract
