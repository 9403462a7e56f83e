#include "mulberry/evaluate/shuffled_importance.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mulberry/core/random.hpp"

namespace mulberry::evaluate {
namespace {

// Label 0 follows feature 0, label 1 feature 2; feature 1 is noise.
Dataset two_rules(bool sparse) {
  constexpr Index k_rows = 300;
  Matrix x(k_rows, 3);
  std::vector<std::vector<Id>> rows(k_rows);
  Random random(1, "two rules");
  for (Index i = 0; i < k_rows; ++i) {
    for (double& v : x.row(i)) v = random.chance(0.3) ? 0.0 : random.normal();
    if (x(i, 0) > 0) rows[at(i)].push_back(0);
    if (x(i, 2) > 0) rows[at(i)].push_back(1);
  }
  Dataset out;
  out.x = sparse ? Features(to_sparse(Features(std::move(x)))) : Features(std::move(x));
  out.y = Labels(2, rows);
  out.feature_names = {"first", "noise", "third"};
  out.label_names = {"a", "b"};
  return out;
}

ShuffledImportance importance_of(const Dataset& data, int threads = 1) {
  const Context ctx(threads);
  const TrainedModel model = train(CompleteSpec(parse_spec("br_logistic")), data, {}, ctx);
  return shuffled_importance(model, data, 1000, ctx);
}

TEST(ShuffledImportance, FindsWhatLabelsDependOn) {
  const ShuffledImportance found = importance_of(two_rules(false));
  ASSERT_EQ(found.features.size(), 3u);
  EXPECT_EQ(found.rows, 300);
  EXPECT_EQ(found.features.back().name, "noise");
  EXPECT_NEAR(found.features.back().loss, 0, 0.01);
  for (const ShuffledFeature& f : found.features) {
    if (f.name == "noise") continue;
    const std::size_t own = f.name == "first" ? 0 : 1;
    EXPECT_GT(f.per_label[own], 0.3) << f.name;
    EXPECT_NEAR(f.per_label[1 - own], 0, 0.02) << f.name;
    EXPECT_DOUBLE_EQ(f.loss, (f.per_label[0] + f.per_label[1]) / 2);
  }
}

TEST(ShuffledImportance, SparseIsLikeDenseForAnyNumberOfThreads) {
  const ShuffledImportance dense = importance_of(two_rules(false));
  const ShuffledImportance threads = importance_of(two_rules(false), 3);
  const ShuffledImportance sparse = importance_of(two_rules(true));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(dense.features[k].per_label, threads.features[k].per_label);
    EXPECT_EQ(dense.features[k].name, sparse.features[k].name);
    EXPECT_NEAR(dense.features[k].loss, sparse.features[k].loss, 1e-3);
  }
}

TEST(ShuffledImportance, AnAttributeOfWordsIsOneFeature) {
  Dataset data = two_rules(false);
  data.feature_names = {"colour=red", "colour=blue", "third"};
  data.nominal_columns = {{.begin = 0, .size = 2}};
  EXPECT_EQ(shuffled_features(data), 2);
  const ShuffledImportance found = importance_of(data);
  EXPECT_TRUE(
      std::ranges::any_of(found.features, [](const auto& f) { return f.name == "colour"; }));
}

}  // namespace
}  // namespace mulberry::evaluate
