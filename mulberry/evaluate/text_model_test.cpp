// Models of text: fitted on training rows only, kept in the file, read as in training.
#include <gtest/gtest.h>

#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/write/write.hpp"
#include "mulberry/evaluate/cross_validate.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::evaluate {
namespace {

Dataset notes(Index rows = 200) {
  GenerateOptions options = data::find_generator("tagged-text").defaults;
  options.rows = rows;
  return data::generate("tagged-text", options, Context(1, 3));
}

std::vector<Id> range(Id begin, Id end) {
  std::vector<Id> out;
  for (Id i = begin; i < end; ++i) out.push_back(i);
  return out;
}

TEST(TextModel, KnowsNoWordOfOtherRows) {
  Dataset data = notes();
  std::vector<std::string> rows;
  for (Index i = 0; i < data.rows(); ++i) {
    rows.push_back(std::string(data.texts[0].texts[i]) + (i < 150 ? " inside" : " outside"));
  }
  data.texts[0].texts = Texts(rows);
  const TrainedModel model = train("br_logistic", take_rows(data, range(0, 150)), {}, Context());
  const auto names = model.text.feature_names();
  EXPECT_TRUE(std::ranges::find(names, "body:inside") != names.end());
  EXPECT_TRUE(std::ranges::find(names, "body:outside") == names.end());
  // Weights come from training rows, too: every one of them has the word.
  const auto column = std::ranges::find(names, "body:inside") - names.begin();
  EXPECT_EQ(model.text.parts[0].idf()[at(column)], 1.0);
}

// Texts that say nothing: whoever looked at the test rows would be above chance.
TEST(TextModel, CrossValidationOfNoiseIsAtChance) {
  double mean = 0;
  constexpr int k_sets = 6;
  for (std::uint64_t seed = 0; seed < k_sets; ++seed) {
    Random random(seed, "text_model_test");
    std::vector<std::string> rows;
    std::vector<std::vector<Id>> labels(120);
    for (auto& row : labels) {
      std::string text;
      for (int k = 0; k < 6; ++k)
        text += " w" + std::to_string(static_cast<int>(random.uniform() * 60));
      rows.push_back(text);
      for (Id l = 0; l < 3; ++l) {
        if (random.chance(0.4)) row.push_back(l);
      }
    }
    Dataset data{.x = Matrix(120, 0), .y = Labels(3, labels), .label_names = {"a", "b", "c"}};
    data.texts = {{"t", Texts(rows)}};
    EvaluateOptions options;
    options.split.folds = 4;
    options.measures = {"macro_auc"};
    const std::vector<CompleteSpec> specs = {"br_logistic"};
    mean += cross_validate(specs, data, options, Context(1, seed)).learners[0].estimates[0].mean;
  }
  EXPECT_NEAR(mean / k_sets, 0.5, 0.05);
}

TEST(TextModel, FileHoldsWordsAndHowToRead) {
  const tests::TemporaryFolder folder;
  const std::string train_file = folder.file("train.csv"), path = folder.file("m.mb");
  write_dataset(notes(), train_file);
  const ReadOptions options{.label_list = "tags", .text = {"body"}, .id_column = "id"};
  const Dataset data = read_dataset(train_file, options);
  for (const char* units : {"words", "chars"}) {
    for (const char* hash : {"0", "128"}) {
      Spec spec("preprocessing");
      spec.set("text_units", std::string(units));
      spec.set("text_ngrams", std::string("1-2"));
      spec.set("text_hash", std::string(hash));
      TrainedModel model = train("br_logistic", data,
                                 {.preprocess = read_params<PreprocessOptions>(spec)}, Context());
      model.save(path);
      const TrainedModel loaded = TrainedModel::load(path);
      // No option is repeated.
      const Dataset again = read_dataset(train_file, loaded.reading({}));
      EXPECT_EQ(again.label_names, data.label_names);
      EXPECT_EQ(again.ids, data.ids);
      EXPECT_EQ(loaded.predict(again, Context()).scores, model.predict(data, Context()).scores);
      EXPECT_NE(loaded.about_json().find("\"text_units\":\"" + std::string(units)),
                std::string::npos);
    }
  }
}

TEST(TextModel, NewDataMayLackLabelsAndIds) {
  const tests::TemporaryFolder folder;
  const std::string train_file = folder.file("train.csv");
  write_dataset(notes(), train_file);
  const TrainedModel model =
      train("br_logistic",
            read_dataset(train_file, {.label_list = "tags", .text = {"body"}, .id_column = "id"}),
            {}, Context());
  ReadOptions options = model.reading({});
  options.labels_optional = true;
  const Dataset bare =
      read_dataset(folder.put("new.csv", "body\n\"the invoice is wrong\"\n\n"), options);
  EXPECT_FALSE(bare.has_labels);
  EXPECT_EQ(model.predict(bare, Context()).scores.rows(), 1);
  const Dataset other = read_dataset(folder.put("other.csv", "text\nhello\n"), options);
  EXPECT_THROW(model.predict(other, Context()), Error);
  // A label that no row lists is absent from every row.
  const Dataset few =
      read_dataset(folder.put("few.csv", "body,tags\nthe invoice is wrong,billing\n"), options);
  const Labels truth = align_labels(few, model.label_names, model.sets);
  EXPECT_EQ(truth.count(), 6);
  EXPECT_EQ(truth.positives(), 1);
}

}  // namespace
}  // namespace mulberry::evaluate
