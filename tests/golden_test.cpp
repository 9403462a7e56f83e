// Model files of earlier versions must load forever and predict what they predicted then.
// A new learner's file is made with scripts/golden.sh; existing ones are never changed.
#include <map>
#include <sstream>

#include "mulberry/core/text.hpp"
#include "mulberry/data/read/read.hpp"
#include "tests/contract.hpp"
#include "tests/support/golden_files.hpp"
#include "tests/support/places.hpp"

namespace mulberry::tests::contract {
namespace {

// The scores that the version which wrote the model wrote next to it.
Matrix read_scores(const std::string& path) {
  std::istringstream in(slurp(path));
  std::string line;
  std::getline(in, line);
  std::vector<double> values;
  Index rows = 0;
  for (; std::getline(in, line); ++rows) {
    for (const std::string& cell : split(line, ',')) values.push_back(*parse_number(cell));
  }
  const Index cols = rows > 0 ? static_cast<Index>(values.size()) / rows : 0;
  return {rows, cols, std::move(values)};
}

// The data is made again by its recipe, which is part of what must not change.
Dataset golden_data(bool sets) {
  const std::string recipe = sets ? "label-sets" : "linear";
  GenerateOptions options = find_generator(recipe).defaults;
  options.rows = 8;
  options.features = 3;
  options.labels = 2;
  options.cardinality = 1;  // both classes of both labels
  options.set_sizes = {2, 2};
  return generate(recipe, options, Context());
}

// The data that a model is asked about: made by its recipe, or the table for models of columns that
// are no numbers.
Dataset data_for(const std::filesystem::path& path, const TrainedModel& model) {
  if (!path.stem().string().starts_with("columns_")) return golden_data(!model.sets.empty());
  return data::read_dataset(places::source() + "/tests/models/columns.csv", model.reading({}));
}

TEST(Golden, OldModelsPredictWhatTheyDid) {
  for (const auto& path : golden_files()) {
    SCOPED_TRACE(path);
    const TrainedModel model = TrainedModel::load(path);
    const Matrix expected = read_scores(path.string() + ".csv");
    const Dataset data = data_for(path, model);
    ASSERT_EQ(expected.rows(), data.rows());
    ASSERT_EQ(expected.cols(), count_of(model.label_names));
    const Matrix scores = model.predict(data, Context()).scores;
    EXPECT_LE(apart(scores, expected), 1e-9);
  }
}

// A model that is loaded and saved again is the same model: what an old version wrote is kept.
TEST(Golden, OldModelsAreSavedAsTheyWere) {
  const Scratch scratch;
  for (const auto& path : golden_files()) {
    SCOPED_TRACE(path);
    TrainedModel model = TrainedModel::load(path);
    model.save(scratch.file("again"));
    const TrainedModel again = TrainedModel::load(scratch.file("again"));
    const Dataset data = data_for(path, model);
    EXPECT_EQ(again.predict(data, Context()).scores, model.predict(data, Context()).scores);
    EXPECT_EQ(again.spec, model.spec);
    EXPECT_EQ(again.label_names, model.label_names);
    EXPECT_EQ(again.fingerprint, model.fingerprint);
  }
}

TEST(Golden, EveryLearnerHasAFile) {
  std::map<std::string, std::string> known;  // what each file holds
  for (const auto& path : golden_files()) {
    const Spec spec = TrainedModel::load(path).spec;
    const SpecValue* base = spec.find("base");
    known[path.stem()] = path.stem().string().starts_with("base_") ? as_spec(*base).id : spec.id;
  }
  const char* remedy = ": run scripts/golden.sh build/mulberry and commit the files that it adds";
  for (const Learner& learner : all_learners()) {
    EXPECT_EQ(known[learner.id], learner.id) << "no model file of " << learner.id << remedy;
  }
  for (const BaseLearner& base : base_learners()) {
    EXPECT_EQ(known["base_" + base.id], base.id) << "no model file of " << base.id << remedy;
  }
}

}  // namespace
}  // namespace mulberry::tests::contract
