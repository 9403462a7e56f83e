// Text on the command line: the forms that documents show, word by word.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "mulberry/core/text.hpp"
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

TEST_F(TextCommands, IdsReachListsAndPages) {
  ok({"generate", "tagged-text", "-o", notes, "--rows", "300"});
  const std::vector<std::string> how = {"--text", "body", "--label-list", "tags", "--id", "id"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), how.begin(), how.end());
    return words;
  };
  ok(with({"fit", "br_logistic", notes, "-o", model}));
  const std::string page = scratch.file("page.html");
  ok({"report", model, "--data", notes, "-o", page});
  EXPECT_NE(slurp(page).find("[\"note1"), std::string::npos) << "the worst rows";
  spill(scratch.file("twice.csv"), slurp(notes) + slurp(notes).substr(13));
  const std::string twice = scratch.file("twice.csv");
  ok(with({"report", twice, "-o", page}));
  EXPECT_NE(slurp(page).find("\"note17\""), std::string::npos) << "the duplicates";
  ok(with({"review", notes, "--static", page, "--top", "20"}));
  EXPECT_NE(slurp(page).find("\"note"), std::string::npos) << "the questions";
  for (const char* verb : {"missing", "suspicious"}) {
    EXPECT_NE(ok(with({verb, "br_logistic", notes})).out.find(" note"), std::string::npos) << verb;
  }
  // A column of names without an option is refused with the one that fits.
  wrong({"fit", "br_logistic", notes, "--text", "body", "--label-list", "tags", "-o", model},
        "--id id names the rows by it");
}

// Ids say which row is which, whatever the order of the files.
TEST_F(TextCommands, PredictionsAreMatchedById) {
  ok({"generate", "tagged-text", "-o", notes, "--rows", "300"});
  const std::vector<std::string> how = {"--text", "body", "--label-list", "tags", "--id", "id"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), how.begin(), how.end());
    return words;
  };
  ok(with({"fit", "br_logistic", notes, "-o", model}));
  ok({"predict", model, notes, "-o", out});
  const std::string scores = scratch.file("scores.csv"), turned = scratch.file("turned.csv");
  ok({"predict", model, notes, "-o", scores, "--scores"});
  std::vector<std::string> lines = core::split(slurp(notes), '\n');
  lines.pop_back();
  std::reverse(lines.begin() + 1, lines.end());
  spill(turned, core::join(lines, "\n") + "\n");
  const auto score = [&](const std::string& truth) {
    return ok(with({"score", "--predictions", out, "--scores-file", scores, "--truth", truth,
                    "--measures", "micro_f1,macro_auc", "--csv"}))
        .out;
  };
  const std::string expected = score(notes);
  EXPECT_EQ(score(turned), expected);
  EXPECT_EQ(expected, ok({"score", model, notes, "--measures", "micro_f1,macro_auc", "--csv"}).out);
  std::vector<std::string> table = core::split(slurp(out), '\n');
  table.resize(table.size() - 3);
  spill(out, core::join(table, "\n") + "\n");
  wrong(with({"score", "--predictions", out, "--truth", turned}), "none for 'note");
  spill(out, slurp(out) + table[1] + "\n");
  wrong(with({"score", "--predictions", out, "--truth", turned}), "'note1' twice");
}

TEST_F(TextCommands, NamesOfPredictionsKeepTheirPromise) {
  ok({"generate", "tagged-text", "-o", notes, "--rows", "50"});
  ok({"fit", "br_logistic", notes, "--text", "body", "--label-list", "tags", "--id", "id", "-o",
      model});
  ok({"predict", model, notes, "-o", out});
  ok({"predict", model, notes, "-o", out + ".gz"});
  EXPECT_EQ(slurp(out + ".gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(ok({"describe", out + ".gz", "--label-count", "-6", "--id", "id"}).out,
            ok({"describe", out, "--label-count", "-6", "--id", "id"}).out);
  for (const char* name : {"p.jsonl", "p.parquet", "p.arff.gz"}) {
    wrong({"predict", model, notes, "-o", scratch.file(name)}, "ends in .csv");
  }
}

TEST_F(TextCommands, SlipsOfANewUser) {
  ok({"generate", "tagged-text", "-o", notes, "--rows", "50"});
  wrong({"fit", "br_logistic", notes, "--labels", "tags", "-o", model}, "--label-columns");
  wrong({"fit", notes, "br_logistic", "-o", model}, "Name the data last");
  wrong({"tune", notes, "br_logistic"}, "Name the data last");
  wrong({"generate", "tagged-text", "-o", "-"}, "Say which: --to csv");
  EXPECT_EQ(ok({"generate", "tagged-text", "--rows", "50", "--to", "csv", "-o", "-"}).out,
            slurp(notes));
  const std::string arff = ok({"generate", "photos", "--rows", "5", "--to", "arff", "-o", "-"}).out;
  EXPECT_EQ(arff.substr(0, 26), "@relation 'photos: -C -11'");
  EXPECT_FALSE(std::filesystem::exists("-.xml")) << "standard output has no neighbours";
  wrong({"convert", notes, "-o", "-", "--text", "body", "--label-list", "tags", "--id", "id"},
        "Say which: --to csv");
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
