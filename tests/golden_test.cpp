// Model files of earlier versions must load forever and give the same predictions. The file of a
// new learner is made with scripts/golden.sh; existing ones are never changed.
#include <sstream>

#include "mulberry/core/text.hpp"
#include "tests/contract.hpp"
#include "tests/support/places.hpp"

namespace mulberry::tests::contract {
namespace {

// The scores that were written together with the model.
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

TEST(Golden, OldModelsPredictWhatTheyDid) {
  int models = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(places::source() + "/tests/models")) {
    if (entry.path().extension() != ".mb") continue;
    SCOPED_TRACE(entry.path());
    const TrainedModel model = TrainedModel::load(entry.path());
    const Matrix expected = read_scores(entry.path().string() + ".csv");
    // The data is generated again by its recipe, which must not change either.
    GenerateOptions options = find_generator(model.sets.empty() ? "linear" : "label-sets").defaults;
    options.rows = 8;
    options.features = 3;
    options.labels = 2;
    options.cardinality = 1;  // both classes of both labels
    options.set_sizes = {2, 2};
    const Dataset data = generate(model.sets.empty() ? "linear" : "label-sets", options, Context());
    const Matrix scores = model.predict(data, Context()).scores;
    ASSERT_EQ(scores.rows(), expected.rows());
    ASSERT_EQ(scores.cols(), expected.cols());
    for (Index k = 0; k < scores.size(); ++k)
      EXPECT_NEAR(scores.data()[k], expected.data()[k], 1e-9);
    ++models;
  }
  EXPECT_GE(models, 8);
}

}  // namespace
}  // namespace mulberry::tests::contract
