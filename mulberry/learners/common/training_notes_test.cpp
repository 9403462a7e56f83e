// The notes of learners before training, as their records give them.
#include <gtest/gtest.h>

#include <numeric>

#include "mulberry/data/generate/generate.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::learners {
namespace {

// Data with this many rows; only their number matters.
Dataset rows_of(Index rows) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = 2;
  options.labels = 3;
  options.cardinality = 1;
  return generate("linear", options, Context(1, 1));
}

std::string notes(const char* spec, Index rows) {
  std::string out;
  const Dataset data = rows_of(rows);
  for (const std::string& text : training_notes(CompleteSpec(parse_spec(spec)), view_of(data))) {
    out += text + "\n";
  }
  return out;
}

TEST(TrainingNotes, SayWhatAKernelTakes) {
  EXPECT_EQ(notes("mlr_gl", 1000), "");
  EXPECT_EQ(notes("mlr_gl", 4000), "mlr_gl: kernel values take 128.0 MB\n");
  EXPECT_EQ(notes("mlr_gl(precision=single)", 4000), "");
  EXPECT_EQ(notes("mlr_l1(memory=0.1)", 4000),
            "mlr_l1: kernel values would take 128.0 MB, more than memory=0.1 GB: they are kept in "
            "single precision, 64.0 MB\n");
  EXPECT_EQ(notes("svm(memory=0.01, kernel=rbf)", 4000),
            "svm: the kernel values of 4000 rows do not fit into memory=0.01 GB: they are computed "
            "whenever needed, which takes much longer; for so many rows use br_svm or br_logistic, "
            "which are linear, or a kernel over a sample of the rows, 'ridge(landmarks=500)'\n");
  EXPECT_EQ(notes("rank_svm", 4000), "rank_svm: kernel values take 128.0 MB\n");
}

TEST(TrainingNotes, SayWhatABaseTakes) {
  EXPECT_EQ(notes("threshold(base=mlr_gl)", 4000), notes("mlr_gl", 4000));
  EXPECT_EQ(notes("threshold(base=bagging(base=svm(memory=0.01)))", 4000),
            notes("svm(memory=0.01)", 4000));
}

TEST(TrainingNotes, SayWhatPairsTake) {
  Dataset data = rows_of(10);
  std::vector<Id> half(400);
  std::iota(half.begin(), half.end(), Id{0});
  data.y = Labels(1000, std::vector<std::vector<Id>>(10, half));  // 10 x 400 x 600 pairs
  const auto of = [&](const char* spec) {
    return training_notes(CompleteSpec(parse_spec(spec)), view_of(data));
  };
  const std::string expected = ": the pairs of labels of all rows take 134.4 MB";
  EXPECT_EQ(of("mlr_l1(mode=exact)"), std::vector<std::string>{"mlr_l1" + expected});
  EXPECT_EQ(of("rank_svm"), std::vector<std::string>{"rank_svm" + expected});
  EXPECT_TRUE(of("mlr_gl").empty());
}

TEST(TrainingNotes, NeedNoKernelWhereThereIsNone) {
  EXPECT_EQ(notes("mlr_gl(kernel=linear, memory=0)", 4000), "");
  EXPECT_EQ(notes("mlr_gl(landmarks=10, memory=0)", 4000), "");
  EXPECT_EQ(notes("br_logistic", 4000), "");
}

TEST(TrainingNotes, WarnOfASmallEta) {
  EXPECT_NE(notes("mlr_gl(eta=1)", 10).find("eta=1 is not above 1"), std::string::npos);
  EXPECT_EQ(notes("mlr_gl(eta=1.01)", 10), "");
  EXPECT_EQ(notes("mlr_gl(eta=auto)", 10), "");
}

TEST(TrainingNotes, SayWhatDenseCopiesOfSparseDataTake) {
  const std::vector<Index> start(1001, 0);
  Dataset data;
  data.x = Features(Csr{.rows = 1000, .cols = 20000, .start = start, .index = {}, .value = {}});
  data.y = Labels(2, std::vector<std::vector<Id>>(1000, std::vector<Id>{0}));
  const auto of = [&](const char* spec) {
    return training_notes(CompleteSpec(parse_spec(spec)), view_of(data));
  };
  EXPECT_EQ(
      of("br(base=rbf_network)"),
      std::vector<std::string>{"br(base=rbf_network): sparse features become dense, which takes "
                               "160.0 MB for each copy"});
  EXPECT_EQ(of("threshold(base=br(base=rbf_network))").size(), 1u);
  EXPECT_TRUE(of("br_logistic").empty());
  data.x = Features(Matrix(1000, 20));
  EXPECT_TRUE(of("br(base=rbf_network)").empty());
}

TEST(TrainingNotes, SayWhatTrainingTakesIfItIsMuch) {
  EXPECT_EQ(notes("rml", 20), "");
  const std::string much = notes("rml(kernel=rbf)", 6000);
  EXPECT_NE(much.find("rml: training takes up to "), std::string::npos) << much;
  EXPECT_NE(much.find(" for kernel values"), std::string::npos) << much;
}

}  // namespace
}  // namespace mulberry::learners
