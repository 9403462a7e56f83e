#include "mulberry/evaluate/cell_store.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "mulberry/data/generate/generate.hpp"
#include "mulberry/evaluate/cross_validate.hpp"
#include "mulberry/evaluate/tune.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::evaluate {
namespace {

namespace fs = std::filesystem;
using tests::TemporaryFolder;

Dataset photos(Index rows = 60) {
  GenerateOptions options = find_generator("photos").defaults;
  options.rows = rows;
  return generate("photos", options, Context());
}

EvaluateOptions three_folds() {
  EvaluateOptions out;
  out.split.folds = 3;
  out.measures = {"micro_f1", "ranking_loss"};
  return out;
}

std::vector<fs::path> files_below(const std::string& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) out.push_back(entry.path());
  }
  return out;
}

std::string identity_with(const Dataset& data, const EvaluateOptions& options, const Spec& spec,
                          std::uint64_t seed = 0) {
  const Context ctx(1, seed);
  return cell_identity(CompleteSpec(spec), data_identity(data),
                       make_splits(data.y, options, Context(1, 0))[0], options, {}, ctx);
}

// As a folder where somebody else's run began and that nobody else may write to.
TEST(CellStore, AFolderThatCannotBeMadeIsTheUsersMistake) {
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  for (int k = 0; k < 256; ++k) {  // a file is in the way, whatever the digest begins with
    std::ofstream(folder.file(fmt::format("costs/{:02x}", k))) << "x";
  }
  try {
    store.keep("{\"a\":1}", {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::io);
    EXPECT_NE(std::string(error.what()).find("Name a folder where you may write"),
              std::string::npos);
  }
}

TEST(CellStore, GivesBackWhatItKeeps) {
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  SplitResult result;
  result.values = {{.name = "micro_f1", .value = 0.1, .undefined = 2},
                   {.name = "macro_auc", .value = std::nan(""), .reason = "no labels"}};
  result.values[0].higher_is_better = false;
  result.resampled = Matrix(2, 2, 0.25);
  result.resampled(1, 0) = std::nan("");
  result.converged = false;
  result.chosen = "br(base=logistic)";
  result.failure = "a \"quoted\" reason\nin two lines";
  result.fit_seconds = 1.5;
  result.peak_memory = 12345;
  EXPECT_FALSE(store.find("{\"a\":1}"));
  store.keep("{\"a\":1}", result);
  const auto found = store.find("{\"a\":1}");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->values.size(), 2u);
  EXPECT_EQ(found->values[0].value, 0.1);
  EXPECT_EQ(found->values[0].undefined, 2);
  EXPECT_FALSE(found->values[0].higher_is_better);
  EXPECT_TRUE(std::isnan(found->values[1].value));
  EXPECT_EQ(found->values[1].reason, "no labels");
  EXPECT_EQ(found->resampled(0, 1), 0.25);
  EXPECT_TRUE(std::isnan(found->resampled(1, 0)));
  EXPECT_FALSE(found->converged);
  EXPECT_EQ(found->chosen, result.chosen);
  EXPECT_EQ(found->failure, result.failure);
  EXPECT_EQ(found->fit_seconds, 1.5);
  EXPECT_EQ(found->peak_memory, 12345);
  EXPECT_FALSE(store.find("{\"a\":2}"));
  EXPECT_EQ(store.damaged(), 0);
}

// Whatever happens to one byte, or to the end of the file, the cell is not taken for a result.
TEST(CellStore, NoticesDamage) {
  const TemporaryFolder folder;
  const CellStore store(folder.path());
  SplitResult result;
  result.values = {{.name = "micro_f1", .value = 0.75}};
  store.keep("{}", result);
  const auto files = files_below(folder.path() + "/cells");
  ASSERT_EQ(files.size(), 1u);
  std::ifstream in(files[0], std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    std::ofstream(files[0], std::ios::binary) << changed;
    EXPECT_FALSE(store.find("{}")) << at;
    std::ofstream(files[0], std::ios::binary) << whole.substr(0, at);
    EXPECT_FALSE(store.find("{}")) << at;
  }
  EXPECT_EQ(store.damaged(), static_cast<Index>(2 * whole.size()));
  store.keep("{}", result);
  EXPECT_TRUE(store.find("{}"));
}

TEST(CellStore, TheIdentityCoversWhatAResultDependsOn) {
  const Dataset data = photos();
  const EvaluateOptions options = three_folds();
  const std::string usual = identity_with(data, options, "br_logistic");
  EXPECT_EQ(identity_with(data, options, parse_spec("br(base=logistic)")), usual)
      << "two ways to write one learner";
  EXPECT_NE(identity_with(data, options, parse_spec("br_logistic(C=2)")), usual);
  EXPECT_NE(identity_with(data, options, "br_logistic", 1), usual);
  EXPECT_NE(usual.find("\"revisions\":\"br 1, logistic 1\""), std::string::npos) << usual;
  EXPECT_NE(identity_with(photos(61), options, "br_logistic"), usual);
  const auto changed = [&](const auto& change) {
    EvaluateOptions other = options;
    change(other);
    return cell_identity("br_logistic", data_identity(data),
                         make_splits(data.y, options, Context(1, 0))[0], other, {}, Context(1, 0));
  };
  EXPECT_EQ(changed([](auto&) {}), usual);
  EXPECT_NE(changed([](auto& o) { o.measures = {"micro_f1"}; }), usual);
  EXPECT_NE(changed([](auto& o) { o.results = {"certificate"}; }), usual);
  EXPECT_NE(changed([](auto& o) { o.measure.convention = Convention::paper; }), usual);
  EXPECT_NE(changed([](auto& o) { o.measure.ties = Ties::best; }), usual);
  EXPECT_NE(changed([](auto& o) { o.measure.undefined = Undefined::one; }), usual);
  EXPECT_NE(changed([](auto& o) { o.measure.k = 3; }), usual);
  EXPECT_NE(changed([](auto& o) { o.measure.beta = 2; }), usual);
  EXPECT_NE(changed([](auto& o) { o.preprocess.scale = FeatureScale::unit; }), usual);
  EXPECT_NE(changed([](auto& o) { o.hide = HideOptions{.share = 0.2}; }), usual);
  EXPECT_NE(changed([](auto& o) { o.flip = 0.2; }), usual);
  EXPECT_EQ(usual.find("flip"), std::string::npos) << "earlier cells have no such field";
  EXPECT_NE(changed([](auto& o) { o.bootstrap = 10; }), usual);
  const auto splits = make_splits(data.y, options, Context(1, 0));
  EXPECT_NE(
      cell_identity("br_logistic", data_identity(data), splits[1], options, {}, Context(1, 0)),
      usual);
  Dataset weighted = data;
  weighted.weights.assign(static_cast<std::size_t>(data.rows()), 1.0);
  weighted.weights[3] = 2;
  EXPECT_NE(data_identity(weighted), data_identity(data));
  Dataset with_sets = data;
  with_sets.sets = {{"place"}, {{0, 1}}};
  EXPECT_NE(data_identity(with_sets), data_identity(data));
}

// Cross-validation and tuning take finished splits from the store and give the same answer.
TEST(CellStore, ComparisonsGoOn) {
  const TemporaryFolder folder;
  CellStore store(folder.path());
  const Dataset data = photos();
  const std::vector<CompleteSpec> specs = {"br_logistic", "ml_knn"};
  EvaluateOptions options = three_folds();
  options.bootstrap = 20;
  const Comparison plain = cross_validate(specs, data, options, Context(1));
  options.store = &store;
  options.only_stored = true;
  const Comparison empty = cross_validate(specs, data, options, Context(1));
  EXPECT_EQ(empty.learners[0].unfinished, 3);
  EXPECT_TRUE(empty.measures.empty());
  options.only_stored = false;
  cross_validate({specs.data(), 1}, data, options, Context(1));
  EXPECT_EQ(files_below(folder.path() + "/cells").size(), 3u);
  cross_validate(specs, data, options, Context(2));
  EXPECT_EQ(files_below(folder.path() + "/cells").size(), 6u);
  options.only_stored = true;  // nothing is trained any more
  const Comparison kept = cross_validate(specs, data, options, Context(1));
  ASSERT_EQ(kept.measures, plain.measures);
  for (std::size_t k = 0; k < specs.size(); ++k) {
    EXPECT_EQ(kept.learners[k].unfinished, 0);
    for (std::size_t m = 0; m < plain.measures.size(); ++m) {
      EXPECT_EQ(kept.learners[k].estimates[m].values, plain.learners[k].estimates[m].values);
      EXPECT_EQ(kept.learners[k].estimates[m].low, plain.learners[k].estimates[m].low);
    }
  }
}

TEST(CellStore, SearchesGoOn) {
  const TemporaryFolder folder;
  CellStore store(folder.path());
  const Dataset data = photos();
  TuneOptions options;
  options.search = Search::grid;
  options.axes = parse_grid("base.C=0.1,1,10", "br_logistic");
  options.evaluate.split.folds = 2;
  options.outer = 2;
  const TuneResult plain = tune("br_logistic", data, options, Context(1));
  options.evaluate.store = &store;
  tune("br_logistic", data, options, Context(1));
  options.evaluate.only_stored = true;
  const TuneResult kept = tune("br_logistic", data, options, Context(1));
  EXPECT_EQ(kept.trials[kept.best].spec, plain.trials[plain.best].spec);
  EXPECT_EQ(kept.trials[kept.best].estimate.values, plain.trials[plain.best].estimate.values);
  EXPECT_EQ(kept.outer->values, plain.outer->values);
}

}  // namespace
}  // namespace mulberry::evaluate
