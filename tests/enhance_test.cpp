// mulberry enhance from the command line: training rows, models, other rows, pictures, mistakes.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/command_test.hpp"

namespace mulberry::tests::contract {
namespace {

using Json = nlohmann::json;

class Enhance : public CommandTest {
 protected:
  void SetUp() override { ok({"generate", "photos", "--rows", "60", "-o", data}); }
  std::string data = scratch.file("photos.arff"), model = scratch.file("photos.mb");
};

long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST_F(Enhance, WritesTrainingRowsOfALearnerAndOfItsModel) {
  const std::string fresh = scratch.file("fresh.csv"), stored = scratch.file("stored.csv");
  const Outcome said = ok({"enhance", "mll_le", data, "-o", fresh});
  EXPECT_NE(said.out.find("60 training rows"), std::string::npos);
  EXPECT_NE(said.out.find("no probabilities"), std::string::npos) << "what the numbers are not";
  ok({"fit", "mll_le", data, "-o", model, "--quiet"});
  ok({"enhance", model, "-o", stored});
  EXPECT_EQ(slurp(fresh), slurp(stored));
  std::istringstream text(slurp(fresh));
  std::string header, first;
  std::getline(text, header);
  std::getline(text, first);
  EXPECT_EQ(header, "row,sunset,night,sea,beach,boat,mountain,snow,forest,lake,city,people");
  EXPECT_EQ(first.substr(0, 2), "1,");
  EXPECT_EQ(lines(slurp(fresh)), 61);
}

TEST_F(Enhance, OtherRowsAreThoseThatPredictScores) {
  const std::string values = scratch.file("values.csv"), scores = scratch.file("scores.csv");
  ok({"fit", "mll_le", data, "-o", model, "--quiet"});
  ok({"enhance", model, data, "-o", values, "--rows", "1,4-5"});
  ok({"predict", model, data, "--scores", "-o", scores});
  std::istringstream ours(slurp(values)), theirs(slurp(scores));
  std::string row, expected;
  std::getline(ours, row);
  std::vector<std::string> predicted;
  while (std::getline(theirs, expected)) predicted.push_back(expected);
  for (const std::size_t i : {1U, 4U, 5U}) {
    std::getline(ours, row);
    EXPECT_EQ(row, std::to_string(i) + "," + predicted[i]);
  }
  EXPECT_FALSE(std::getline(ours, row));
}

TEST_F(Enhance, ShowsChosenRows) {
  const std::string picture = scratch.file("rows.svg");
  const Outcome text =
      ok({"enhance", "mll_le", data, "--rows", "2,7", "--most", "3", "--picture", picture});
  const std::string svg = slurp(picture);
  EXPECT_NE(svg.find("row 2"), std::string::npos);
  EXPECT_NE(svg.find("row 7"), std::string::npos);
  EXPECT_EQ(svg.find("row 3"), std::string::npos);
  EXPECT_NE(text.out.find("given"), std::string::npos);
  const Json json = Json::parse(ok({"enhance", "mll_le", data, "--rows", "2", "--json"}).out);
  ASSERT_EQ(json["rows"].size(), 1U);
  EXPECT_EQ(json["rows"][0]["row"], 2);
  EXPECT_EQ(json["rows"][0]["values"].size(), 11U);
}

TEST_F(Enhance, SaysWhatIsWrong) {
  wrong({"enhance", "mll_le"}, "expected a learner and data, or a model");
  wrong({"enhance", "br", data}, "expected a model with the result 'numerical_labels'");
  wrong({"enhance", "mll_le", data, "--rows", "61"}, "expected row numbers from 1 to 60");
  wrong({"enhance", "mll_le", data, "--rows", "two"}, "found 'two'");
}

}  // namespace
}  // namespace mulberry::tests::contract
