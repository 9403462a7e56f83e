#include "mulberry/study/study_file.hpp"

#include <gtest/gtest.h>

#include "mulberry/core/error.hpp"
#include "mulberry/study/plan.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::study {
namespace {

const std::string k_small =
    "data = [\"emotions\"]\n"
    "[learners]\n"
    "rml = \"rml(measure=f1)\"\n"
    "[protocol]\n"
    "folds = 5\n"
    "seed = 1\n";

std::string refused(const std::string& text) {
  try {
    parse_study(text, "s.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_refused(const std::string& text, const std::vector<std::string>& words) {
  const std::string message = refused(text);
  for (const std::string& word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << "expected " << word << " in: " << message;
  }
}

TEST(StudyFile, TheFormOfTheDocumentation) {
  const Study study = parse_study(
      "[[data]]\npath = \"photos.arff\"\n[learners]\nrml = \"rml(measure=f1)\"\n"
      "knn = \"ml_knn(k=10)\"\n[protocol]\nholdout = 0.5\nrepeats = 10\nseed = 3\n"
      "[measures]\nnames = [\"macro_f1\", \"ranking_loss\"]\nconvention = \"paper\"\n",
      "folder/s.toml");
  EXPECT_EQ(study.title, "s");
  ASSERT_EQ(study.data.size(), 1u);
  EXPECT_EQ(study.data[0].name, "photos");
  ASSERT_EQ(study.learners.size(), 2u);
  EXPECT_EQ(study.learners[0].name, "rml");
  EXPECT_EQ(study.learners[1].spec.text(), "ml_knn(k=10)");
  EXPECT_EQ(study.protocol.kind, ProtocolKind::holdout);
  EXPECT_EQ(study.protocol.repeats, 10);
  EXPECT_EQ(study.protocol.seed, 3u);
  EXPECT_EQ(study.measures, (std::vector<std::string>{"macro_f1", "ranking_loss"}));
  EXPECT_EQ(study.measure.convention, Convention::paper);
  EXPECT_EQ(describe_protocol(study.protocol), "10 hold-outs of 50%, stratified by label");
}

TEST(StudyFile, GridsSearchesAndPreprocessing) {
  const Study study = parse_study(
      "data = [\"a\", \"b.arff\"]\n[preprocess]\nscale = \"unit\"\n[learners]\nplain = \"ml_knn\"\n"
      "[learners.many]\nlearner = \"br_svm\"\ngrid = \"C=1,2; bias=none,free\"\n"
      "[learners.tuned]\nlearner = \"br_svm\"\ntune = {measure = \"micro_f1\", grid = \"C=1,2\", "
      "folds = 3}\npreprocess = {scale = \"standardise\", tfidf = true}\n"
      "[protocol]\ntrain_rows = 100\nhide = [0, 0.2]\nhide_mode = \"missing\"\n",
      "s.toml");
  ASSERT_EQ(study.learners.size(), 6u);
  EXPECT_EQ(study.learners[0].preprocess.scale, FeatureScale::unit);
  EXPECT_EQ(study.learners[1].name, "many base.C=1, base.bias=none");
  EXPECT_EQ(study.learners[4].name, "many base.C=2, base.bias=free");
  EXPECT_EQ(study.learners[4].spec.text(), "br(base=linear_svm(C=2, bias=free))");
  ASSERT_TRUE(study.learners[5].tune);
  EXPECT_EQ(study.learners[5].tune->search, Search::grid);
  EXPECT_EQ(study.learners[5].tune->evaluate.split.folds, 3);
  EXPECT_EQ(study.learners[5].preprocess.scale, FeatureScale::standardise);
  EXPECT_TRUE(study.learners[5].preprocess.tfidf);
  EXPECT_EQ(study.protocol.method, SplitMethod::random) << "an exact number of rows";
  std::vector<std::string> names;
  for (const StudySet& set : study_sets(study)) names.push_back(set.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "a, 20 % hidden", "b", "b, 20 % hidden"}));
}

TEST(StudyFile, WrongAndHiddenLabelsAreCrossed) {
  const std::string text = k_small +
                           "flip = [0, 0.5]\nhide = [0, 0.25]\n"
                           "[quick]\nflip = [0.25]\nhide = [0]\n";
  const auto names = [&](StudySize size) {
    std::string out;
    for (const StudySet& set : study_sets(parse_study(text, "s.toml", size)))
      out += set.name + "; ";
    return out;
  };
  EXPECT_EQ(names(StudySize::full),
            "emotions; emotions, 25 % hidden; emotions, 50 % wrong; "
            "emotions, 50 % wrong, 25 % hidden; ");
  EXPECT_EQ(names(StudySize::quick), "emotions, 25 % wrong; ");
}

TEST(StudyFile, QuickIsSmaller) {
  const std::string text = k_small +
                           "[published.macro_f1]\nrml = {emotions = [0.5, 0.01]}\n"
                           "[quick]\nrows = 50\nfolds = 2\nreplace = {rml = \"rml(C=1)\"}\n";
  const Study full = parse_study(text, "s.toml");
  const Study quick = parse_study(text, "s.toml", StudySize::quick);
  EXPECT_EQ(full.protocol.folds, 5);
  EXPECT_EQ(full.data[0].rows, 0);
  ASSERT_EQ(full.published.size(), 1u);
  EXPECT_EQ(full.published[0].deviation, 0.01);
  EXPECT_EQ(quick.protocol.folds, 2);
  EXPECT_EQ(quick.data[0].rows, 50);
  EXPECT_EQ(quick.learners[0].spec.text(), "rml(C=1)");
}

TEST(StudyFile, APointerIsNamedForWhatItIs) {
  const tests::TemporaryFolder folder;
  const std::string path = folder.put("s.toml", "version https://git-lfs.github.com/spec/v1\n");
  try {
    read_study(path);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "expected a study, found a Git LFS pointer in place of the file");
  }
}

// Every mistake names its line and, where there is one, the nearest name.
TEST(StudyFile, MistakesHaveALineAndANextStep) {
  EXPECT_EQ(refused(k_small), "");
  expect_refused("data = [", {"s.toml:1", "TOML"});
  expect_refused("[,[data]]\n", {"s.toml:1:2", "TOML"});
  // A letter that toml++ cannot look up; in quotes and comments any will do.
  expect_refused("a = \"\"\"\n\u03e8 \\\" '\n\"\"\"\n# \u03e8\n\u03e8 = 1\n",
                 {"s.toml:5:1", "quotes"});
  expect_refused("a = -\"\"\"\n", {"s.toml:1:6", "in the middle of a word"});
  expect_refused("", {"expected data", "data = "});
  expect_refused(k_small + "sede = 2\n", {"s.toml:7", "'sede'", "Did you mean 'seed'"});
  expect_refused("dta = 1\n" + k_small, {"s.toml:1", "Did you mean 'data'"});
  expect_refused(k_small + "holdout = 0.5\n",
                 {"s.toml:7", "one of folds", "found folds and holdout"});
  expect_refused(k_small + "repeats = 0\n", {"s.toml:7", "whole number from 1"});
  expect_refused(k_small + "repeats = \"x\"\n", {"s.toml:7", "found 'x'"});
  expect_refused(k_small + "stratify = \"label\"\n", {"s.toml:7", "Did you mean 'labels'"});
  expect_refused(k_small + "hide = [0.5, 1]\n", {"s.toml:7", "below 1"});
  expect_refused(k_small + "flip = 1\n", {"s.toml:7", "below 1"});
  expect_refused(k_small + "[quick]\nflip = [-0.1]\n", {"s.toml:8", "below 1"});
  expect_refused(k_small + "[measures]\nnames = [\"macro_f\"]\n", {"s.toml:8", "macro_f1"});
  expect_refused(k_small + "[measures]\nconvention = \"papr\"\n", {"s.toml:8", "paper"});
  expect_refused(k_small + "[learners.x]\nlearner = \"mlknn\"\n", {"s.toml:7", "ml_knn"});
  expect_refused(k_small + "[learners.x]\nlearner = \"ml_knn(kk=3)\"\n", {"s.toml:7", "kk"});
  expect_refused(k_small + "[learners.x]\nlerner = \"ml_knn\"\n", {"s.toml:8", "'learner'"});
  expect_refused(k_small + "[learners.x]\ngrid = \"k=1,2\"\n", {"s.toml:7", "expected a learner"});
  expect_refused(k_small + "[learners.x]\nlearner = \"ml_knn\"\ngrid = \"q=1,2\"\n",
                 {"s.toml:7", "q"});
  expect_refused(k_small + "[learners.x]\nlearner = \"ml_knn\"\ntune = {}\n",
                 {"s.toml:9", "expected a measure"});
  expect_refused(k_small + "[preprocess]\nscale = \"units\"\n", {"s.toml:7", "unit"});
  expect_refused(k_small + "[published.macro_f1]\nrm = {emotions = 1}\n",
                 {"s.toml:8", "Did you mean 'rml'"});
  expect_refused(k_small + "[published.macro_f1]\nrml = {emotion = 1}\n",
                 {"s.toml:8", "Did you mean 'emotions'"});
  expect_refused(k_small + "[published.macro_f1]\nrml = {emotions = \"x\"}\n",
                 {"s.toml:8", "0.44"});
  expect_refused(k_small + "[quick]\nlearners = [\"rmll\"]\n", {"s.toml:8", "Did you mean 'rml'"});
  expect_refused(k_small + "[limits]\ncpu_seconds = -1\n", {"s.toml:8", "a number from"});
  expect_refused("data = [\"a\", \"a\"]\n[learners]\nx = \"br\"\n[protocol]\nfolds = 2\n",
                 {"s.toml:1", "two data sets"});
  expect_refused(
      "data = [{generate = {recipe = \"photoss\"}}]\n[learners]\nx = \"br\"\n[protocol]\n"
      "folds = 2\n",
      {"s.toml:1", "photos"});
}

TEST(StudyFile, FiguresAndBetas) {
  const std::string betas = k_small + "[measures]\nnames = [\"macro_fbeta\"]\nbetas = [0.1, 10]\n";
  EXPECT_EQ(parse_study(betas, "s.toml").betas, (std::vector<double>{0.1, 10}));
  expect_refused(k_small + "[measures]\nbetas = [0]\n", {"s.toml:8:", "betas"});
  expect_refused(
      "[learners.late]\nlearner = \"rml\"\nbeta = 3\n[protocol]\nfolds = 2\n"
      "[measures]\nbetas = [1, 2]\n[[data]]\npath = \"a\"\n",
      {"s.toml:1:", "the beta of 'late', 3"});
  const Study study =
      parse_study(k_small + "[figure]\naxis = \"hypotheses\"\nper_label = [\"rml\"]\n", "s.toml");
  EXPECT_EQ(study.figure.axis, "hypotheses");
  expect_refused(k_small + "[figure]\nper_label = [\"rlm\"]\n", {"s.toml:8:", "rml"});
}

TEST(StudyFile, WhatCanBePublished) {
  const std::string head = k_small +
                           "[measures]\nnames = [\"set_accuracy\", \"macro_fbeta\"]\n"
                           "betas = [0.1, 10]\nresults = [\"reuse_score\"]\n";
  const Study study = parse_study(
      head +
          "[published]\nother_data = true\n[published.\"set_accuracy:freq\"]\n"
          "rml = {emotions = 0.5}\n[published.\"macro_fbeta, beta 0.1\"]\nrml = {emotions = 0.5}\n"
          "[published.\"reuse_score[a, b]\"]\nrml = {emotions = 0.5}\n"
          "[published.fit_seconds]\nrml = {emotions = 12}\n",
      "s.toml");
  EXPECT_EQ(study.published.size(), 4u);
  EXPECT_TRUE(study.other_data);
  // What never matches a result is a mistake, with the line of its name.
  expect_refused(head + "[published.macro_f1]\nrml = {emotions = 0.5}\n",
                 {"s.toml:11:", "does not measure 'macro_f1'"});
  expect_refused(head + "[published.\"set_acuracy:freq\"]\nrml = {emotions = 0.5}\n",
                 {"s.toml:11:", "set_acuracy"});
  expect_refused(head + "[[remarks]]\ntext = \"a\"\ndata = \"emotion\"\n",
                 {"s.toml:13:", "Did you mean 'emotions'?"});
  expect_refused(head + "[[remarks]]\ntext = \"a\"\nmeasure = \"set_acuracy\"\n",
                 {"s.toml:13:", "Did you mean 'set_accuracy'?"});
}

// The place is where the wrong key stands.
TEST(StudyFile, PlacesOfMistakes) {
  const std::string head = "data = [\"emotions\"]\n[learners]\nrml = \"rml\"\n";
  expect_refused(head + "[protocol]\nseed = 1\nfolds = 5\nholdout = 0.5\n",
                 {"s.toml:7:", "found folds and holdout"});
  expect_refused(head +
                     "[protocol]\nfolds = 5\n[measures]\nnames = [\"macro_f1\"]\n"
                     "convention = \"skl\"\n",
                 {"s.toml:8:"});
  expect_refused(head + "[protocol]\ntrain_rows = 5\ngroup = \"x\"\n", {"s.toml:6:", "group"});
  const Study many = parse_study(
      "[[data]]\ngenerate = {recipe = \"photos\", rows = 50}\n[learners]\nk = \"ml_knn\"\n"
      "[protocol]\nseed = 1\nfolds = 100000\n",
      "s.toml");
  try {
    make_plan(many, Context(1));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("s.toml:7:"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mulberry::study
