#include "mulberry/evaluate/trained_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::evaluate {
using namespace tests;
namespace {

// How much of a file this process has mapped and touched. The kernel maps up to 16 pages around one
// that is touched.
std::size_t touched_bytes(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  std::size_t bytes = 0;
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (!first.ends_with(':')) {  // the head of a mapping: addresses, flags, ..., path
      inside = line.ends_with(path);
    } else if (inside && first == "Rss:") {
      std::size_t kilobytes = 0;
      words >> kilobytes;
      bytes += kilobytes * 1024;
    }
  }
  return bytes;
}

// Few rows of many sparse features: the model is large, its training is not.
Dataset wide(Index columns, Index labels) {
  std::vector<Id> index = {0, 7, static_cast<Id>(columns - 1)};
  Csr x{3, columns, std::vector<Index>{0, 1, 2, 3}, std::move(index), std::vector<double>{1, 2, 3}};
  std::vector<Id> all;
  Dataset out{.name = "wide", .x = Features(std::move(x))};
  for (Index l = 0; l < labels; ++l) {
    out.label_names.push_back("l" + std::to_string(l));
    all.push_back(static_cast<Id>(l));
  }
  out.y = Labels(labels, {all, {}, all});
  return out;
}

TEST(TrainedModel, ALargeModelOpensWithoutReadingItsArrays) {
  constexpr Index k_columns = 1 << 20, k_labels = 16;
  const Dataset data = wide(k_columns, k_labels);
  const TemporaryFolder folder;
  const std::string path = folder.file("wide.mb");
  Matrix expected;
  {
    TrainedModel model = train("br_logistic", data, {}, Context(1));
    model.save(path);
    expected = model.predict(data, Context(1)).scores;
  }
  constexpr std::size_t k_weights = sizeof(double) * k_columns * k_labels;  // 128 MB
  {
    const TrainedModel model = TrainedModel::load(path);
    EXPECT_EQ(model.label_names.size(), at(k_labels));
    EXPECT_FALSE(model.about_json().empty());
    ASSERT_EQ(model.results.size(), 1u);
    EXPECT_EQ(model.results[0].values(0, 4), 1) << "converged";
    EXPECT_LT(touched_bytes(path), std::size_t{1} << 20);
    EXPECT_EQ(model.predict(data, Context(1)).scores, expected);
    EXPECT_GT(touched_bytes(path), k_weights / 2) << "what is touched cannot be seen here";
  }
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(k_weights / 2));
    file.put('!');
  }
  const TrainedModel damaged = TrainedModel::load(path);
  EXPECT_FALSE(damaged.about_json().empty());
  try {
    damaged.predict(data, Context(2));
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::model_file);
    EXPECT_EQ(error.where().file, path);
    EXPECT_NE(error.problem().find("checksum"), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(TrainedModel, IsTheSameWithoutAFile) {
  const Dataset data = wide(20, 3);
  const TemporaryFolder folder;
  TrainedModel model = train("br_logistic", data, {}, Context(1));
  const std::string plain = model.content();
  EXPECT_EQ(plain.find("\"target\""), std::string::npos) << "only if somebody has set it";
  model.target = "columns of words";
  model.save(folder.file("m"));
  const std::string content = model.content();
  std::ifstream file(folder.file("m"), std::ios::binary);
  EXPECT_EQ(content, std::string(std::istreambuf_iterator<char>(file), {}));
  const TrainedModel again = TrainedModel::of_content(content);
  EXPECT_EQ(again.target, "columns of words");
  EXPECT_EQ(TrainedModel::load(folder.file("m")).target, "columns of words");
  EXPECT_EQ(TrainedModel::of_content(plain).target, "");
  EXPECT_EQ(again.predict(data, Context(1)).scores, model.predict(data, Context(1)).scores);
  try {
    TrainedModel::of_content(content.substr(0, content.size() - 1));
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::model_file);
    EXPECT_EQ(error.where().file, "<memory>");
  }
}

class FixedScores : public Model {
 public:
  explicit FixedScores(Matrix scores) : scores_(std::move(scores)) {}
  Prediction predict(const View&, const Context&) const override { return {.scores = scores_}; }
  void write(ArchiveWriter&) override {}
  Summary summary() const override { return {}; }
  std::vector<Result> results() const override { return {}; }

 private:
  Matrix scores_;
};

TEST(TrainedModel, ScoresThatAreNoNumbersAreAnError) {
  const Dataset data = wide(9, 2);
  TrainedModel model = train("br_logistic", data, {}, Context(1));
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Matrix scores(3, 2, 0.5);
    scores(1, 1) = bad;
    model.model = std::make_unique<FixedScores>(std::move(scores));
    try {
      model.predict(data, Context(1));
      ADD_FAILURE() << "expected an error for " << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::data);
      EXPECT_NE(error.problem().find("in row 2 for the label 'l1'"), std::string::npos)
          << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

TEST(TrainedModel, MissingFeaturesOfOneRowAreFilledFromTheTrainingRows) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  // A number, and a nominal attribute of three values.
  const Matrix x(5, 4, std::vector<double>{1,       0,       1,       0,        //
                                           missing, 0,       1,       0,        //
                                           3,       1,       0,       0,        //
                                           8,       missing, missing, missing,  //
                                           4,       0,       0,       1});
  Dataset data{.x = Features(x),
               .y = Labels(1, {{0}, {}, {0}, {}, {}}),
               .feature_names = {"a", "b=x", "b=y", "b=z"},
               .label_names = {"l"},
               .nominal_columns = {{1, 3}}};
  const TrainOptions options{.preprocess = {.impute = Impute::mean}};
  const TemporaryFolder folder;
  for (const bool sparse : {false, true}) {
    if (sparse) data.x = Features(to_sparse(x));
    TrainedModel model = train("br_logistic", data, options, Context(1));
    EXPECT_EQ(model.preprocessing.fill, (std::vector<double>{4, 0, 1, 0}));
    model.save(folder.file("model"));
    const TrainedModel loaded = TrainedModel::load(folder.file("model"));
    EXPECT_EQ(loaded.preprocess.impute, Impute::mean);
    EXPECT_TRUE(loaded.reading({}).keep_missing);
    Dataset row{.x = Features(Matrix(1, 4, missing)),
                .has_labels = false,
                .feature_names = {"b=z", "b=y", "b=x", "a"}};  // in another order
    Dataset filled = row;
    filled.x = Features(Matrix(1, 4, std::vector<double>{0, 1, 0, 4}));
    EXPECT_EQ(loaded.predict(row, Context(1)).scores, loaded.predict(filled, Context(1)).scores);
    row.x = Features(Matrix(1, 4, std::numeric_limits<double>::infinity()));
    EXPECT_THROW(loaded.predict(row, Context(1)), Error);
  }
  EXPECT_THROW(train("br_logistic", data, {}, Context(1)), Error) << "nobody asked to fill";
}

// A column with one word becomes one column with its name, like a numeric column.
TEST(TrainedModel, WordsAreNoNumbers) {
  const Dataset data{.x = Features(Matrix(2, 1, std::vector<double>{1, 2})),
                     .y = Labels(1, {{0}, {}}),
                     .feature_names = {"a"},
                     .label_names = {"l"}};
  const TrainedModel model = train("br_logistic", data, {}, Context(1));
  Dataset words = data;
  EXPECT_NO_THROW(model.predict(words, Context(1)));
  words.nominal = {.names = {"a"}, .values = {{"x"}}};
  EXPECT_THROW(model.predict(words, Context(1)), Error);
}

TEST(TrainedModel, ResultsNameTheFeaturesThatTheLearnerSees) {
  Dataset data{.x = Features(Matrix(4, 3, std::vector<double>{1, 0, 5, 2, 0, 5, 3, 0, 6, 4, 0, 6})),
               .y = Labels(1, {{}, {}, {0}, {0}}),
               .feature_names = {"size", "constant", "weight"},
               .label_names = {"l"}};
  TrainOptions options;
  options.preprocess.drop_constant = true;
  const TrainedModel model =
      train(CompleteSpec(parse_spec("forest(trees=3)")), data, options, Context(1));
  using Names = std::vector<std::string>;
  EXPECT_EQ(model.names_along(Axis::features, {}, 2, 1), (Names{"size", "weight"}));
  EXPECT_EQ(model.names_along(Axis::labels, {}, 1, 1), Names{"l"});
  EXPECT_EQ(model.names_along(Axis::numbered, {}, 2, 1), (Names{"1", "2"}));
  data.feature_names.clear();
  const TrainedModel unnamed =
      train(CompleteSpec(parse_spec("forest(trees=3)")), data, options, Context(1));
  EXPECT_EQ(unnamed.names_along(Axis::features, {}, 2, 1), (Names{"1", "2"}));
}

// Rules between labels are kept, and decisions can be asked to obey them.
TEST(TrainedModel, KeepsRulesBetweenLabels) {
  Dataset data{.name = "rules"};
  data.x = Features(Matrix(4, 1, std::vector<double>{-2, -1, 1, 2}));
  data.label_names = {"dog", "animal", "day", "night"};
  data.y = Labels(4, {{0, 1, 2}, {0, 2}, {3}, {1, 3}});
  data.rules = {.parent = {1, -1, -1, -1}, .implied = {{0, 2}}, .exclusive = {{2, 3}}};
  const TemporaryFolder folder;
  TrainedModel model = train("br_logistic", data, {}, Context(1));
  model.save(folder.file("a.mb"));
  const TrainedModel loaded = TrainedModel::load(folder.file("a.mb"));
  EXPECT_EQ(loaded.rules, data.rules);
  const Prediction prediction = loaded.predict(data, Context(1));
  const Labels decided = loaded.decide_consistently(prediction, Context(1));
  EXPECT_TRUE(broken_rules(decided, data.rules, data.label_names).empty());
  data.rules = {};
  EXPECT_THROW(
      train("br_logistic", data, {}, Context(1)).decide_consistently(prediction, Context(1)),
      Error);
}

}  // namespace
}  // namespace mulberry::evaluate
