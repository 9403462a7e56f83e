// Text on the command line: the forms that documents show, word by word.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/command_test.hpp"

namespace mulberry::tests::contract {
namespace {

class TextCommands : public CommandTest {
 protected:
  std::string notes = scratch.file("notes.csv"), model = scratch.file("notes.mb"),
              out = scratch.file("out.csv");
};

TEST_F(TextCommands, TagsForNotes) {
  ok({"generate", "tagged-text", "-o", notes, "--rows", "300"});
  EXPECT_EQ(slurp(notes).substr(0, 13), "id,body,tags\n");
  ok({"fit", "br_logistic", notes, "--text", "body", "--label-list", "tags", "--id", "id", "-o",
      model});
  spill(
      scratch.file("new.csv"),
      "id,body\n7,I was charged twice this month\n8,\"Hi, the app crashes when I open a file\"\n");
  ok({"predict", model, scratch.file("new.csv"), "-o", out, "--top", "2"});
  const std::string predicted = slurp(out);
  EXPECT_EQ(predicted.substr(0, 35), "id,label_1,score_1,label_2,score_2\n");
  EXPECT_NE(predicted.find("\n7,billing,"), std::string::npos) << predicted;
  EXPECT_NE(predicted.find("\n8,bug,"), std::string::npos) << predicted;
  // The model remembers how its data is read.
  const std::string scored = ok({"score", model, notes, "--measures", "micro_f1"}).out;
  EXPECT_NE(scored.find("300 rows, 6 labels"), std::string::npos) << scored;
  EXPECT_NE(ok({"inspect", model}).out.find("text           body"), std::string::npos);
  ok({"cv", "br_logistic", "br_svm", notes, "--text", "body", "--label-list", "tags", "--ignore",
      "id", "--folds", "3", "--text-ngrams", "1-2"});
  ok({"tune", "br_logistic", notes, "--text", "body", "--label-list", "tags", "--ignore", "id",
      "--measure", "micro_f1", "--grid", "C=1,10", "--folds", "3"});
}

TEST_F(TextCommands, EveryFormatThatHoldsTextGivesTheSameModel) {
  ok({"generate", "tagged-text", "-o", notes, "--rows", "80"});
  const std::vector<std::string> common = {"--text", "body", "--id", "id"};
  std::string expected;
  for (const std::string name : {"a.csv", "a.tsv", "a.jsonl", "a.arff", "a.npz", "a.jsonl.gz"}) {
    const std::string path = scratch.file(name);
    std::vector<std::string> convert = {"convert", notes, path, "--label-list", "tags"};
    convert.insert(convert.end(), common.begin(), common.end());
    ok(convert);
    std::vector<std::string> fit = {"fit", "br_logistic", path, "-o", model, "--quiet"};
    fit.insert(fit.end(), common.begin(), common.end());
    const bool listed = name != "a.arff" && name != "a.npz";
    if (listed) fit.insert(fit.end(), {"--label-list", "tags"});
    ok(fit);
    ok({"predict", model, path, "-o", out, "--scores"});
    if (expected.empty()) expected = slurp(out);
    EXPECT_EQ(slurp(out), expected) << name;
  }
  const Outcome numbers = run(scratch, {"convert", notes, scratch.file("a.svm"), "--label-list",
                                        "tags", "--text", "body", "--ignore", "id"});
  EXPECT_EQ(numbers.code, 1);
  EXPECT_NE(numbers.err.find("cannot hold it"), std::string::npos) << numbers.err;
}

TEST_F(TextCommands, TextWithoutTheOptionIsExplained) {
  ok({"generate", "tagged-text", "-o", notes});
  const Outcome outcome = run(scratch, {"fit", "br_logistic", notes, "--label-list", "tags",
                                        "--ignore", "id", "-o", model});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("--text body turns its words into features"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace mulberry::tests::contract
