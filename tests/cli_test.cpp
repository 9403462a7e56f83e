// The command line as users meet it: forms, outputs, exit codes, signals.
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/command_test.hpp"
#include "tests/support/sanitized.hpp"

namespace mulberry::tests::contract {
namespace {

using Json = nlohmann::json;

// A folder with photos.arff and a model of it.
class CommandLine : public CommandTest {
 protected:
  void SetUp() override {
    ok({"generate", "photos", "--rows", "80", "-o", data});
    ok({"fit", "br_logistic", data, "-o", model, "--quiet"});
  }
  std::string data = scratch.file("photos.arff"), model = scratch.file("photos.mb");
};

long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST_F(CommandLine, PredictWritesOneRowARow) {
  const std::string out = scratch.file("p.csv");
  ok({"predict", model, data, "-o", out});
  std::istringstream text(slurp(out));
  std::string header, row;
  std::getline(text, header);
  EXPECT_EQ(header, "sunset,night,sea,beach,boat,mountain,snow,forest,lake,city,people");
  std::getline(text, row);
  EXPECT_EQ(row.size(), 21u);
  EXPECT_EQ(row.find_first_not_of("01,"), std::string::npos);
  EXPECT_EQ(lines(slurp(out)), 81);
  for (const char* form : {"--scores", "--probabilities"}) {
    ok({"predict", model, data, "-o", out, form});
    EXPECT_EQ(lines(slurp(out)), 81);
  }
  ok({"predict", model, data, "-o", out, "--top", "2"});
  EXPECT_EQ(slurp(out).substr(0, 31), "label_1,score_1,label_2,score_2");
  wrong({"predict", model, data, "-o", out, "--scores", "--top", "2"}, "at most one of");
}

// A control character in a name moves no cursor: text for people shows it, data for programs has it.
TEST_F(CommandLine, ControlCharactersOfNamesAreShown) {
  const std::string odd = scratch.file("odd\x1b]0;name\x07.csv"), name = "l1\x1b[2J\xc2\x9b";
  std::string text = "f1\x1b[31m,l0," + name + "\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i) + "," + std::to_string(i % 2) + "," + std::to_string(i / 20) + "\n";
  }
  spill(odd, text);
  const std::string made = scratch.file("odd\x1b[31m.mb");
  std::string all;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"describe", odd},
                                             {"fit", "br_logistic", odd, "-o", made},
                                             {"inspect", made, "--all"},
                                             {"cv", "br_logistic", "ml_knn", odd},
                                             {"score", made, odd, "--per-label"},
                                             {"describe", odd + "x"},
                                             {"describe", made},
                                             {"fit", "br_logistic\x1b[31m", odd, "-o", made}}) {
    std::vector<std::string> labelled = words;
    if (words[0] != "inspect" && words[0] != "score") {
      labelled.insert(labelled.end(), {"--label-prefix", "l"});
    }
    const Outcome ended = run(scratch, labelled);
    all += ended.out + ended.err;
  }
  EXPECT_EQ(all.find_first_of("\x1b\x07"), std::string::npos) << all;
  EXPECT_EQ(all.find("\xc2\x9b"), std::string::npos) << all;
  EXPECT_NE(all.find("l1\\x1b[2J\\x9b"), std::string::npos) << all;
  const Outcome json = ok({"describe", odd, "--label-prefix", "l", "--json"});
  EXPECT_NE(Json::parse(json.out).dump().find(Json(name).dump()), std::string::npos);
  EXPECT_NE(ok({"describe", odd, "--label-prefix", "l", "--csv"}).out.find(name),
            std::string::npos);
}

TEST_F(CommandLine, DataToPredictMayLackLabels) {
  const std::string table = scratch.file("all.csv"), bare = scratch.file("bare.csv");
  ok({"convert", data, table});
  // Without its label columns, which come last.
  std::istringstream in(slurp(table));
  std::string text;
  for (std::string line; std::getline(in, line);) {
    std::size_t end = line.size();
    for (int k = 0; k < 11; ++k) end = line.rfind(',', end - 1);
    text += line.substr(0, end) + "\n";
  }
  spill(bare, text);
  ok({"predict", model, table, "-o", scratch.file("a.csv")});
  ok({"predict", model, bare, "-o", scratch.file("b.csv")});
  EXPECT_EQ(slurp(scratch.file("a.csv")), slurp(scratch.file("b.csv")));
}

// Tags that are words of the text, too.
TEST_F(CommandLine, LabelsMayBeNamedLikeFeatures) {
  const std::string train = scratch.file("t.csv"), test = scratch.file("p.csv");
  spill(train, "sea,sky,tags\n2,0,sea\n3,1,sea;sky\n0,4,sky\n0,0,\n");
  ok({"fit", "br_logistic", train, "--label-list", "tags", "-o", model, "--quiet"});
  spill(test, "sky,sea\n5,7\n");
  ok({"predict", model, test, "-o", scratch.file("o.csv")});
  EXPECT_EQ(slurp(scratch.file("o.csv")), "sea,sky\n1,1\n");
  ok({"score", model, train, "--label-list", "tags", "--quiet"});
}

TEST_F(CommandLine, LibsvmDataToPredictMayEndBeforeTheLastFeature) {
  const std::string train = scratch.file("t.svm"), test = scratch.file("p.svm");
  spill(train, "0 1:1 3:2\n1 2:5\n0,1 1:1 2:1\n1 3:1\n");
  ok({"fit", "br_logistic", train, "-o", model, "--quiet"});
  spill(test, "0 1:1\n1 2:5\n");
  EXPECT_NE(ok({"predict", model, test, "-o", scratch.file("p.csv")}).err.find("--index-base"),
            std::string::npos);
  EXPECT_EQ(lines(slurp(scratch.file("p.csv"))), 3);
  spill(test, "0 1:1 4:1\n");
  wrong({"predict", model, test, "-o", scratch.file("p.csv")}, "p.svm: expected 3 features");
}

TEST_F(CommandLine, WordsAreCodedAsInTraining) {
  const std::string train = scratch.file("train.csv"), one = scratch.file("one.csv"),
                    all = scratch.file("all.csv"), single = scratch.file("single.csv");
  spill(train, "colour,size,l1,l2\nred,1,1,0\nblue,2,0,1\ngreen,3,1,1\nred,2,1,0\nblue,1,0,1\n");
  spill(one, "size,colour\n3,green\n");
  for (const char* coding : {"one-hot", "ordinal"}) {
    ok({"fit", "br_logistic", train, "-o", model, "--label-prefix", "l", "--nominal", coding});
    ok({"predict", model, train, "-o", all, "--scores"});
    ok({"predict", model, one, "-o", single, "--scores"});
    std::istringstream of_all(slurp(all)), of_one(slurp(single));
    std::string expected, found;
    for (int row = 0; row <= 3; ++row) std::getline(of_all, expected);
    for (int row = 0; row <= 1; ++row) std::getline(of_one, found);
    EXPECT_EQ(found, expected) << coding;
  }
  spill(one, "colour,size\ngreen,1\npurple,3\n");
  wrong({"predict", model, one, "-o", single}, "one.csv:3:1: expected a value of 'colour'");
  spill(one, "colour,size\n7,1\n");
  wrong({"predict", model, one, "-o", single}, "one.csv:2:1");
}

TEST_F(CommandLine, MissingFeaturesAreFilledAsInTraining) {
  const std::string train = scratch.file("train.csv"), row = scratch.file("row.csv");
  const std::string own = scratch.file("own.mb"), out = scratch.file("p.csv");
  spill(train, "a,b,l\n1,x,0\n2,y,1\n,x,0\n6,,1\n3,x,1\n");
  const std::vector<std::string> labels = {"--label-columns", "l"};
  wrong({"fit", "br_logistic", train, "-o", own, labels[0], labels[1]}, "train.csv:4:1");
  ok({"fit", "br_logistic", train, "-o", own, labels[0], labels[1], "--impute", "mean", "--quiet"});
  const auto scores_of = [&](const std::string& cells) {
    spill(row, "a,b\n" + cells + "\n");
    ok({"predict", own, row, "-o", out, "--scores"});
    return slurp(out);
  };
  EXPECT_EQ(scores_of(","), scores_of("3,x"));
  EXPECT_NE(scores_of(","), scores_of("1,x"));
  const Json json = Json::parse(ok({"describe", train, labels[0], labels[1], "--json"}).out);
  EXPECT_EQ(json["missing_features"], 2);
  ok({"cv", "br_logistic", train, labels[0], labels[1], "--impute", "mean", "--folds", "2",
      "--quiet"});
  // A learner that accepts missing features needs no imputation.
  ok({"fit", "adaboost_mh", train, "-o", own, labels[0], labels[1], "--quiet"});
  scores_of(",x");
  wrong({"predict", model, data, "-o", out, "--impute", "mean"}, "--impute");
  // The library says which option would help, the command spells it.
  wrong({"fit", "br_logistic", train, "-o", own, labels[0], labels[1]}, "Train with --impute mean");
}

TEST_F(CommandLine, ErrorsAboutTheDataNameItsFile) {
  const std::string other = scratch.file("other.csv");
  spill(other, "a,sunset\n1,0\n");
  const std::string out = scratch.file("p.csv");
  wrong({"predict", model, other, "-o", out}, "other.csv: ");
  wrong({"score", model, other}, "other.csv: ");
  const std::string enhancing = scratch.file("e.mb");
  ok({"fit", "mll_le", data, "-o", enhancing, "--quiet"});
  wrong({"enhance", enhancing, other}, "other.csv: ");
  std::string truth = "sunny\n";
  for (int i = 0; i < 80; ++i) truth += "1\n";
  spill(other, truth);
  wrong({"missing", "br_logistic", data, "--truth", other, "--label-prefix", "sun"}, "other.csv: ");
}

TEST_F(CommandLine, LabelSetsSurviveConversions) {
  const std::string cars = scratch.file("cars.npz"), arff = scratch.file("cars.arff");
  const std::string back = scratch.file("back.npz");
  ok({"generate", "label-sets", "--rows", "40", "-o", cars});
  ok({"convert", cars, arff});
  ok({"convert", arff, back});
  const auto sets_of = [&](const std::string& path) {
    return Json::parse(ok({"describe", path, "--json"}).out)["label_sets"];
  };
  EXPECT_FALSE(sets_of(cars).empty());
  EXPECT_EQ(sets_of(arff), sets_of(cars));
  EXPECT_EQ(sets_of(back), sets_of(cars));
}

// Names in Latin-1 are the same names, in training and afterwards.
TEST_F(CommandLine, TheTruthBesideHiddenLabelsKeepsItsSets) {
  const std::string table = scratch.file("sets.csv");
  spill(table, "a,s\n1,u\n2,v\n3,u\n");
  ok({"hide", table, "--label-sets", "s", "-o", scratch.file("hid.arff")});
  EXPECT_NE(slurp(scratch.file("hid-truth.xml")).find("mulberry-set"), std::string::npos);
  EXPECT_EQ(slurp(scratch.file("hid.xml")).find("mulberry-set"), std::string::npos);
}

TEST_F(CommandLine, ScoresDataInLatin1) {
  const std::string train = scratch.file("train.arff"), own = scratch.file("own.mb");
  spill(train,
        "@relation r\n@attribute x numeric\n@attribute caf\xe9 {0,1}\n@data\n1,0\n2,1\n3,1\n0,0\n");
  spill(scratch.file("train.xml"), "<labels><label name=\"caf\xe9\"/></labels>");
  ok({"fit", "br_logistic", train, "-o", own, "--quiet"});
  ok({"score", own, train, "--json"});
  const std::string table = scratch.file("table.csv");
  spill(table, "x,caf\xe9\n1,0\n2,1\n");
  ok({"score", own, table, "--json"});
  spill(table, "x,caf\xc3\xa9\n1,0\n2,1\n");
  ok({"score", own, table, "--json"});
}

TEST_F(CommandLine, HelpOfFitShowsRanges) {
  EXPECT_NE(ok({"fit", "ml_knn", "--help"}).out.find("at least 1"), std::string::npos);
}

TEST_F(CommandLine, PredictionsOverSetsAreScored) {
  const std::string cars = scratch.file("cars.arff"), sets = scratch.file("sets.csv"),
                    binary = scratch.file("binary.csv"), odd = scratch.file("odd.csv");
  ok({"generate", "cars", "--rows", "60", "-o", cars});
  ok({"fit", "independent(base=prior)", cars, "-o", model, "--label-sets", "brand,type"});
  ok({"predict", model, cars, "-o", sets});
  ok({"predict", model, cars, "-o", binary, "--binary"});
  const auto score = [&](const std::string& file) {
    return Json::parse(ok({"score", "--predictions", file, "--truth", cars, "--label-sets",
                           "brand,type", "--json"})
                           .out);
  };
  EXPECT_EQ(score(sets), score(binary));  // the prior predicts one class of each set
  spill(odd, "brand,type\nlada,small\n");
  wrong({"score", "--predictions", odd, "--truth", cars, "--label-sets", "brand,type"}, "lada");
}

TEST_F(CommandLine, ScoresKnowHowRareLabelsAre) {
  const Json scored = Json::parse(ok({"score", model, data, "--json"}).out);
  EXPECT_TRUE(scored.at("measures").contains("propensity_precision_at_k"));
  spill(scratch.file("bare.csv"), "a,b\n1,2\n");
  wrong({"score", model, scratch.file("bare.csv")}, "the labels of the model");
}

TEST_F(CommandLine, ParametersOfTheBaseAreOptions) {
  const auto base = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"fit", "br", data, "-o", model, "--json", "--base.C", "3"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(ok(words).out).at("parameters").at("base");
  };
  EXPECT_EQ(base({}).at("learner"), "linear_svm");
  EXPECT_EQ(base({}).at("parameters").at("C"), 3);
  EXPECT_EQ(base({"--base", "logistic"}).at("learner"), "logistic");
  EXPECT_EQ(base({"--base", "logistic"}).at("parameters").at("C"), 3);
  wrong({"fit", "logistic", data, "-o", model}, "br(base=logistic)");
}

TEST_F(CommandLine, WritesToStandardOutput) {
  const std::string file = scratch.file("p.csv");
  ok({"predict", model, data, "-o", file});
  EXPECT_EQ(ok({"predict", model, data, "-o", "/dev/stdout"}).out, slurp(file));
}

TEST_F(CommandLine, JsonIsOneObject) {
  const Json fit =
      Json::parse(ok({"fit", "br_svm", data, "-o", scratch.file("m"), "--C", "3", "--json"}).out);
  EXPECT_EQ(fit.at("learner"), "br");
  EXPECT_EQ(fit.at("parameters").at("base").at("parameters").at("C"), 3);
  const Json inspect = Json::parse(ok({"inspect", model, "--json"}).out);
  EXPECT_EQ(inspect.at("labels").size(), 11u);
  EXPECT_TRUE(inspect.at("results").contains("certificate"));
  EXPECT_TRUE(ok({"list", "eps"}).out.find("label powerset") != std::string::npos);
  const Json list = Json::parse(ok({"list", "--json"}).out);
  EXPECT_GE(list.at("learners").size(), 2u);
  const Json described = Json::parse(ok({"describe", data, "--json"}).out);
  EXPECT_EQ(described.at("rows"), 80);
  EXPECT_EQ(described.at("labels"), 11);
  const Json scored = Json::parse(ok({"score", model, data, "--json"}).out);
  EXPECT_EQ(scored.at("convention"), "sklearn");
  EXPECT_TRUE(scored.at("measures").contains("macro_f1"));
  EXPECT_TRUE(scored.contains("undefined"));
}

TEST_F(CommandLine, ScoresOfAnotherToolsPredictions) {
  const std::string decided = scratch.file("d.csv"), scores = scratch.file("s.csv");
  ok({"predict", model, data, "-o", decided});
  ok({"predict", model, data, "-o", scores, "--scores"});
  const Json ours = Json::parse(ok({"score", model, data, "--json"}).out);
  const Json theirs = Json::parse(ok({"score", "--predictions", decided, "--scores-file", scores,
                                      "--probabilities", "--truth", data, "--json"})
                                      .out);
  // Only a model knows how rare the labels were in training.
  Json measures = ours.at("measures");
  EXPECT_EQ(measures.erase("propensity_precision_at_k"), 1u);
  EXPECT_EQ(measures, theirs.at("measures"));
  wrong({"score", "--predictions", decided}, "--truth");
  wrong({"score", "--truth", data}, "--predictions");
}

TEST_F(CommandLine, MissingAndSuspiciousLabels) {
  for (const std::string verb : {"missing", "suspicious"}) {
    const std::string damaged = scratch.file(verb + ".arff");
    const std::string truth = scratch.file(verb + "-truth.arff");
    ok({"hide", data, "--share", "0.4", "--mode", verb == "missing" ? "negative" : "flip", "-o",
        damaged});
    const std::vector<std::string> ask = {verb,    "br_logistic", damaged,   "--truth", truth,
                                          "--top", "7",           "--folds", "3"};
    const auto with = [&](const char* more) {
      std::vector<std::string> words = ask;
      words.emplace_back(more);
      return ok(words).out;
    };
    const Json found = Json::parse(with("--json"));
    ASSERT_EQ(found.at("cells").size(), 7u);
    Index right = 0;
    double before = verb == "missing" ? 1 : 0;
    for (const Json& cell : found.at("cells")) {
      right += cell.at("right").get<bool>() ? 1 : 0;
      const double chance = cell.at("chance");
      EXPECT_TRUE(verb == "missing" ? chance <= before : chance >= before);
      before = chance;
      EXPECT_GE(cell.at("row"), 1);
    }
    const Json& recovery = found.at("recovery");
    EXPECT_DOUBLE_EQ(recovery.at("precision").at("7"), static_cast<double>(right) / 7);
    EXPECT_GT(recovery.at("auc"), 0.6);
    EXPECT_EQ(with("--csv").rfind("row,label,chance,score,gap,right\n", 0), 0u);
    EXPECT_NE(with("--quiet").find("AUC over all cells"), std::string::npos);
    EXPECT_NE(ok({verb, "--help"}).out.find("score of the label minus the mean score"),
              std::string::npos);
  }
  wrong({"missing", "br_logistic", data, "--json", "--csv"}, "found both");
  wrong({"missing", "br_logistic", data, "--folds", "1"}, "--folds");
  wrong({"missing", "no_such", data}, "no_such");
}

TEST_F(CommandLine, TheReferencePageIsUpToDate) {
  const std::string page = ok({"list", "--markdown"}).out;
  EXPECT_EQ(page, slurp(places::source() + "/docs/reference.md"))
      << "build/mulberry list --markdown > docs/reference.md";
  wrong({"list", "rml", "--markdown"}, "whole reference page");
}

TEST_F(CommandLine, ListFindsLearnersByAbility) {
  const Json found = Json::parse(ok({"list", "--can", "missing_labels", "--json"}).out);
  ASSERT_FALSE(found["learners"].empty());
  for (const Json& learner : found["learners"]) {
    const auto tags = learner["tags"].get<std::vector<std::string>>();
    EXPECT_NE(std::find(tags.begin(), tags.end(), "missing_labels"), tags.end());
  }
  EXPECT_EQ(lines(ok({"list", "--can", "missing_labels"}).out),
            static_cast<long>(found["learners"].size()));
  wrong({"list", "--can", "missing_lables"}, "missing_labels");
}

TEST_F(CommandLine, MistakesAreNamed) {
  wrong({"fitt"}, "Did you mean 'fit'?");
  wrong({"fit", "br_svn", data, "-o", "x"}, "Did you mean 'br_svm'?");
  wrong({"fit", "br_svm", data, "-o", "x", "--Cc", "1"}, "Did you mean '--C'?");
  wrong({"fit", "br_svm", data, "-o", "x", "--C", "-1"}, "'C'");
  wrong({"fit", "br_svm", data, "-o", "x", "--C", "-1"},
        "`mulberry list linear_svm` shows all parameters");
  wrong({"fit", "qqqqqqqq", data, "-o", "x"}, "`mulberry list` shows all of them");
  wrong({"inspect", data}, "`mulberry fit -o` has written");
  wrong({"fit", "br_svm", data}, "-o MODEL");
  wrong({"fit", "br_svm", scratch.file("absent.arff"), "-o", "x"}, "absent.arff");
  wrong({"fit", "br_svm", "-o", "x"}, "arguments");
  wrong({"fit", "br_svm", data, "-o"}, "needs a value");
  wrong({"fit", "br_svm", data, "-o", "x", "-o", "y"}, "twice");
  wrong({"predict", data, data, "-o", "x"}, "expected a model file");
  wrong({"fit", "br_svm", data, "-o", scratch.file("no/such/folder")}, "no/such/folder");
  wrong({"inspect", scratch.file("absent")}, "absent");
  wrong({"fit", "br_svm", data, "-o", "x", "--threads", "0"}, "--threads");
  wrong({"fit", "br_svm", data, "-o", "x", "--label-count", "0"}, "--label-count");
  const std::string weighted = scratch.file("w.csv");
  spill(weighted, "a,w,l1,l2\n1,2,0,1\n3,1,1,0\n");
  wrong(
      {"fit", "br(base=msvr)", weighted, "--label-prefix", "l", "--weight-column", "w", "-o", "x"},
      "br(base=msvr) cannot use instance weights. These can, as they are: ");
  wrong({"list", "logistik"}, "Did you mean 'logistic'?");
  wrong({"list", "tre"}, "Did you mean 'tree'?");
  wrong({"describe", model}, "found a model");
  wrong({"describe", "-"}, "/dev/stdin");
  wrong({"describe", data, "--label-columns", "zzz"}, "The columns are 'brightness', ");
}

// No verb overwrites its input, and a missing folder is reported before the work.
TEST_F(CommandLine, OutputsAreNoInputs) {
  const std::string before = slurp(data), trained = slurp(model),
                    part = scratch.file("a-train.arff");
  spill(part, before);
  const std::string other = "an output other than the input";
  wrong({"fit", "br_svm", data, "-o", data}, other);
  wrong({"predict", model, data, "-o", data}, other);
  wrong({"predict", model, data, "-o", model}, other);
  wrong({"convert", data, data}, other);
  wrong({"hide", data, "-o", data}, other);
  wrong({"describe", data, "--picture", data}, other);
  wrong({"split", part, "--label-count", "-11", "-o", scratch.file("a")}, other);
  wrong({"score", model, data, "--picture", scratch.file("no/a.svg")}, "no/a.svg");
  // The label file next to the data is also an input, and so are files named by options.
  const std::string labels = scratch.file("photos.xml"), names = slurp(labels);
  wrong({"fit", "br_svm", data, "-o", labels}, other);
  wrong({"fit", "br_svm", data, "--label-xml", labels, "-o", labels}, other);
  wrong({"score", "--predictions", part, "--truth", data, "--picture", part}, other);
  EXPECT_EQ(slurp(labels), names);
  // Reported before the work: the data is not even opened.
  wrong({"fit", "br_svm", scratch.file("absent"), "-o", scratch.file("")}, "found the folder");
  wrong({"fit", "br_svm", scratch.file("absent"), "-o", ""}, "an empty name");
  std::filesystem::create_directory(scratch.file("parts"));
  ok({"split", data, "-o", scratch.file("parts")});  // a prefix may be the name of a folder
  EXPECT_EQ(slurp(data), before);
  EXPECT_EQ(slurp(model), trained);
  EXPECT_EQ(slurp(part), before);
}

TEST_F(CommandLine, HelpOfEveryVerbHasAnExample) {
  const Outcome overview = ok({"--help"});
  std::istringstream text(overview.out);
  int verbs = 0;
  for (std::string line; std::getline(text, line);) {
    if (line.rfind("  ", 0) != 0 || line.size() < 15 || line[2] == ' ' ||
        line.rfind("  mulberry", 0) == 0)
      continue;
    const std::string verb = line.substr(2, line.find(' ', 2) - 2);
    EXPECT_NE(ok({verb, "--help"}).out.find("example:\n  "), std::string::npos) << verb;
    ++verbs;
  }
  EXPECT_GE(verbs, 12);
  EXPECT_NE(ok({"fit", "br_svm", "--help"}).out.find("--C"), std::string::npos);
}

// Copied from the help into a shell, in an empty folder. The demo is left to `make demo`.
// A parameter of a learner is an option of `fit` as well: none may have the name of another option.
TEST_F(CommandLine, ParametersDoNotClashWithOptionsOfFit) {
  const std::string help = ok({"fit", "--help"}).out;
  std::set<std::string> taken = {"help"};
  for (std::size_t at = 0; (at = help.find("--", at)) != std::string::npos;) {
    const std::size_t begin = at + 2;
    at = help.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", begin);
    // Options stand at the start of a line, perhaps after a short form; `--parameter` in the usage
    // and `--C` in the example do not.
    const std::size_t line = help.rfind('\n', begin) + 1;
    const bool listed = begin - line <= 8 && help[line] == ' ';
    if (listed) taken.insert(help.substr(begin, at - begin));
  }
  ASSERT_TRUE(taken.contains("output") && taken.contains("threads") && taken.contains("scale") &&
              taken.contains("label-xml") && taken.contains("drop-constant"));
  EXPECT_FALSE(taken.contains("parameter"));
  EXPECT_GE(taken.size(), 20u);
  for (const Learner& learner : all_learners()) {
    for (const ParamInfo& info : learner.params) {
      EXPECT_FALSE(taken.contains(info.name)) << learner.id << " " << info.name;
    }
  }
  for (const BaseLearner& base : base_learners()) {
    for (const ParamInfo& info : base.params) {
      EXPECT_FALSE(taken.contains(info.name)) << base.id << " " << info.name;
    }
  }
}

TEST_F(CommandLine, ExamplesOfTheHelpWork) {
  const std::string command = places::command();
  const std::string path = "PATH=" + command.substr(0, command.rfind('/')) + ":$PATH; ";
  for (const char* verb :
       {"describe", "fit", "predict", "score", "cv", "tune", "tradeoff", "list", "inspect",
        "relations", "enhance", "convert", "split", "hide", "missing", "suspicious", "generate"}) {
    const std::string help = ok({verb, "--help"}).out;
    const std::string example = help.substr(help.find("example:\n  ") + 11);
    const Scratch folder;
    const Outcome outcome =
        Process(folder, {"-c", "cd " + folder.file("") + "; " + path + example}, "/bin/bash")
            .wait();
    EXPECT_EQ(outcome.code, 0) << example << outcome.err;
  }
}

TEST_F(CommandLine, SplitsAndConversionsKeepEveryRow) {
  ok({"split", data, "--holdout", "0.25", "--seed", "3", "-o", scratch.file("part")});
  const auto rows = [&](const std::string& name) {
    return Json::parse(ok({"describe", scratch.file(name), "--json"}).out).at("rows").get<int>();
  };
  EXPECT_EQ(rows("part-train.arff") + rows("part-test.arff"), 80);
  for (const char* name : {"a.libsvm", "a.csv.gz", "a.npz", "a.arff.zst"})
    ok({"convert", data, scratch.file(name)});
  EXPECT_EQ(rows("a.npz"), 80);
  EXPECT_EQ(rows("a.arff.zst"), 80);
  ok({"split", data, "--folds", "4", "--indices", "-o", scratch.file("fold")});
  EXPECT_EQ(lines(slurp(scratch.file("fold-4-train.txt"))) +
                lines(slurp(scratch.file("fold-4-test.txt"))),
            80);
}

TEST_F(CommandLine, PartsHaveTheFormatOfTheData) {
  const auto first_line = [&](const std::string& name) {
    const std::string text = slurp(scratch.file(name));
    return text.substr(0, text.find('\n'));
  };
  std::string rows;
  for (int i = 0; i < 8; ++i) rows += "0,1 1:1 2:2\n1 1:2\n";
  spill(scratch.file("d.txt"), rows);
  ok({"split", scratch.file("d.txt"), "-o", scratch.file("d")});
  EXPECT_NE(first_line("d-train.txt").find(" 1:"), std::string::npos);
  spill(scratch.file("x.txt"), "16 3 2\n" + rows);
  ok({"split", scratch.file("x.txt"), "-o", scratch.file("x")});
  EXPECT_EQ(first_line("x-train.txt"), "12 3 2");
  spill(scratch.file("t.data"), "a,l\n1,0\n2,1\n3,0\n4,1\n5,0\n6,1\n");
  ok({"split", scratch.file("t.data"), "--label-columns", "l", "-o", scratch.file("t")});
  EXPECT_EQ(first_line("t-test.data"), "a,l");
  ok({"hide", scratch.file("t.data"), "--label-columns", "l", "-o", scratch.file("hidden")});
  EXPECT_EQ(first_line("hidden-truth"), "a,l");
}

TEST_F(CommandLine, GroupsMayBeWords) {
  std::string text = "who,two,a,l\n";
  for (int i = 0; i < 24; ++i) {
    text += std::string(1, static_cast<char>('p' + i % 6)) + (i % 2 == 0 ? ",u," : ",v,") +
            std::to_string(i) + "," + std::to_string(i % 3 == 0) + "\n";
  }
  const std::string table = scratch.file("g.csv");
  spill(table, text);
  for (const std::string coding : {"one-hot", "ordinal"}) {
    ok({"split", table, "--label-columns", "l", "--group", "who", "--folds", "3", "--nominal",
        coding, "--indices", "-o", scratch.file("g")});
    for (const std::string fold : {"1", "2", "3"}) {
      std::istringstream test(slurp(scratch.file("g-" + fold + "-test.txt")));
      std::map<int, int> rows_of;
      for (int row = 0; test >> row;) ++rows_of[row % 6];
      EXPECT_EQ(rows_of.size(), 2u);
      for (const auto& [who, rows] : rows_of) EXPECT_EQ(rows, 4) << who;
    }
  }
  ok({"split", table, "--label-columns", "l", "--group", "two", "-o", scratch.file("h")});
  wrong({"split", table, "--label-columns", "l", "--group", "whu", "-o", scratch.file("h")},
        "Did you mean 'who'?");
  wrong({"split", table, "--label-columns", "l", "--group", "l", "-o", scratch.file("h")},
        "a label");
  spill(table, text + ",u,1,0\n");
  wrong({"split", table, "--label-columns", "l", "--group", "who", "-o", scratch.file("h")},
        "g.csv: expected a group in every row");
}

TEST_F(CommandLine, HidesLabelsAndKeepsTheTruth) {
  ok({"hide", data, "--share", "0.4", "--seed", "1", "-o", scratch.file("hidden.arff")});
  const auto positives = [&](const std::string& name) {
    return Json::parse(ok({"describe", scratch.file(name), "--json"}).out)
        .at("label_cardinality")
        .get<double>();
  };
  EXPECT_LT(positives("hidden.arff"), positives("photos.arff"));
}

TEST_F(CommandLine, TradeoffTrainsForEachBetaWhereItCan) {
  const std::string picture = scratch.file("curve.svg");
  const Json out = Json::parse(
      ok({"tradeoff", "rml(C=1)", "rml(C=1,measure=f1)", "br_logistic", data, "--beta", "0.1..10",
          "--points", "3", "--holdout", "0.3", "--json", "--picture", picture})
          .out);
  EXPECT_EQ(out.at("betas"), Json::parse("[0.1, 1.0, 10.0]"));
  const Json& curves = out.at("curves");
  ASSERT_EQ(curves.size(), 3u);
  EXPECT_TRUE(curves[0].at("trained_for_beta").get<bool>());
  EXPECT_FALSE(curves[1].at("trained_for_beta").get<bool>());
  EXPECT_FALSE(curves[2].at("trained_for_beta").get<bool>());
  EXPECT_EQ(curves[0].at("mean")[1], curves[1].at("mean")[1]);  // F_1 is what f1 trains for
  EXPECT_NE(curves[0].at("mean")[2], curves[1].at("mean")[2]);
  EXPECT_NE(slurp(picture).find("</svg>"), std::string::npos);
  wrong({"tradeoff", "rml", data, "--beta", "10..1"}, "goes up");
  wrong({"tradeoff", "rml", data, "--beta", "0,1"}, "--beta");
}

TEST_F(CommandLine, CrossValidatesOverAParameter) {
  const std::string picture = scratch.file("over.svg");
  const Json out =
      Json::parse(ok({"cv", "br_svm", "ml_knn", data, "--over", "C=0.1,1,10", "--folds", "2",
                      "--measures", "macro_f1", "--json", "--picture", picture})
                      .out);
  EXPECT_EQ(out.at("learners").size(), 4u);  // ml_knn has no C and is trained once
  const Json& over = out.at("over");
  EXPECT_EQ(over.at("parameter"), "C");
  EXPECT_EQ(over.at("values"), Json::parse("[0.1, 1.0, 10.0]"));
  EXPECT_EQ(over.at("curves")[0].at("learners"), Json::parse("[0, 1, 2]"));
  EXPECT_EQ(over.at("curves")[1].at("learners"), Json::parse("[3, 3, 3]"));
  const Json alone = Json::parse(
      ok({"cv", "br_svm(C=10)", data, "--folds", "2", "--measures", "macro_f1", "--json"}).out);
  EXPECT_EQ(out.at("learners")[2].at("measures").at("macro_f1").at("mean"),
            alone.at("learners")[0].at("measures").at("macro_f1").at("mean"));
  EXPECT_NE(slurp(picture).find("</svg>"), std::string::npos);
  EXPECT_NE(ok({"cv", "ml_knn", data, "--over", "k=3..5", "--folds", "2"}).out.find("\n4  "),
            std::string::npos);
  wrong({"cv", "br_svm", data, "--over", "rounds=1..3"}, "'rounds'");
  wrong({"cv", "br_svm", data, "--over", "C"}, "'C'");
  wrong({"cv", "br_svm", data, "--over", "C=3..1"}, "'C=3..1'");
}

TEST_F(CommandLine, KernelModelsAreSaved) {
  const std::string kernel = scratch.file("kernel.mb");
  ok({"fit", "rml", data, "--kernel", "rbf", "--C", "10", "-o", kernel});
  EXPECT_NE(ok({"inspect", kernel}).out.find("gamma"), std::string::npos);
  const double f1 = Json::parse(ok({"score", kernel, data, "--measures", "macro_f1", "--json"}).out)
                        .at("measures")
                        .at("macro_f1")
                        .get<double>();
  EXPECT_GT(f1, 0.5);
}

TEST_F(CommandLine, CompletionScriptsKnowTheVerbs) {
  for (const char* shell : {"bash", "zsh"}) {
    const std::string script = ok({"completion", shell}).out;
    EXPECT_NE(script.find("predict"), std::string::npos);
    EXPECT_NE(script.find("br_svm"), std::string::npos);
  }
}

// The completions of a partial word, from the script in its shell.
TEST_F(CommandLine, CompletionCompletes) {
  spill(scratch.file("two words.csv"), "");
  spill(scratch.file("c.bash"), ok({"completion", "bash"}).out + R"sh(
complete_last() {
  COMP_WORDS=(mulberry "$@"); COMP_CWORD=$#; _mulberry
  local IFS=,; echo "${COMPREPLY[*]}"
}
cd "${0%/*}"
complete_last pre
complete_last fit br_s
complete_last fit br_logistic --tol
complete_last missing ml_k
complete_last relations x --learner mahr_
complete_last generate data-u
complete_last describe two
complete_last fit ml_knn x --scale un
complete_last help gene
)sh");
  const Outcome outcome = Process(scratch, {scratch.file("c.bash")}, "/bin/bash").wait();
  EXPECT_EQ(outcome.out,
            "predict\nbr_svm\n--tolerance\nml_knn\nmahr_id\ndata-union\ntwo words.csv\nunit\n"
            "generate\n")
      << outcome.err;
}

// Signals: the run below takes minutes unless it is stopped.
void expect_stopped_by(int signal) {
  const Scratch scratch;
  const std::string data = scratch.file("big.npz"), model = scratch.file("model.mb");
  ASSERT_EQ(run(scratch, {"generate", "linear", "--rows", "12000", "--features", "300", "--labels",
                          "120", "-o", data})
                .code,
            0);
  Process process(scratch, {"fit", "br_svm", data, "-o", model, "--tolerance", "1e-12", "--C",
                            "1000", "--threads", "2"});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  process.signal(signal);
  const auto asked = std::chrono::steady_clock::now();
  const Outcome outcome = process.wait();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
  EXPECT_EQ(outcome.code, 128 + signal) << outcome.err;
  EXPECT_LT(seconds, 60);  // one second by design; test machines may be very busy
  EXPECT_FALSE(std::filesystem::exists(model));
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(data).parent_path())) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name == "big.npz" || name == ".out" || name == ".err") << name;
  }
}

TEST(Signals, InterruptStopsCleanly) { expect_stopped_by(SIGINT); }
TEST(Signals, TerminateStopsCleanly) { expect_stopped_by(SIGTERM); }

// While data is read or generated nobody polls; the process must still end.
TEST(Signals, StopReadingAndMakingData) {
  if (k_thread_sanitized)
    GTEST_SKIP() << "the sanitizer keeps a signal back while a pipe is opened";
  const Scratch scratch;
  const std::string pipe = scratch.file("pipe"), output = scratch.file("output");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"fit", "br_svm", pipe, "-o", output},
        {"generate", "linear", "--rows", "2000000", "--features", "500", "-o", output}}) {
    for (const int signal : {SIGINT, SIGTERM}) {
      Process process(scratch, words);
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      process.signal(signal);
      const Outcome outcome = process.wait();
      EXPECT_EQ(outcome.code, 128 + signal) << words[0] << outcome.err;
      EXPECT_FALSE(std::filesystem::exists(output));
    }
  }
}

}  // namespace
}  // namespace mulberry::tests::contract
