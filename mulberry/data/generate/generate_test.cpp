#include "mulberry/data/generate/generate.hpp"

#include <gtest/gtest.h>

#include <set>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::data {
namespace {

double share(const Dataset& data, Index label) {
  return static_cast<double>(data.y.column(label).size()) / static_cast<double>(data.rows());
}

bool same(const Dataset& a, const Dataset& b) { return a.x == b.x && a.y == b.y; }

GenerateOptions small(std::string_view id) {
  GenerateOptions options = find_generator(id).defaults;
  options.rows = 3000;
  return options;
}

TEST(Generate, EveryGeneratorIsCompleteAndRepeats) {
  std::set<std::string_view> ids;
  for (const Generator& generator : generator_table()) {
    SCOPED_TRACE(generator.id);
    EXPECT_TRUE(ids.insert(generator.id).second);
    const GenerateOptions options = small(generator.id);
    const Dataset data = generate(generator.id, options, Context(1, 7));
    EXPECT_EQ(data.rows(), 3000);
    EXPECT_EQ(data.y.rows(), 3000);
    EXPECT_EQ(count_of(data.feature_names), data.columns());
    EXPECT_EQ(count_of(data.label_names), data.labels());
    EXPECT_EQ(data.attributes, data.columns());
    EXPECT_EQ(data.name, generator.id);
    require_finite(data.x);
    require_label_sets(data.y, data.sets);
    EXPECT_TRUE(same(data, generate(generator.id, options, Context(4, 7))));
    EXPECT_FALSE(same(data, generate(generator.id, options, Context(1, 8))));
  }
}

TEST(Generate, RowsAreAPrefixOfLongerData) {
  for (const char* id : {"data-inde", "label-sets", "photos", "cars"}) {
    GenerateOptions options = small(id);
    const Dataset longer = generate(id, options, Context(1, 3));
    options.rows = 10;
    const std::vector<Id> first = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_TRUE(same(take_rows(longer, first), generate(id, options, Context(1, 3)))) << id;
  }
}

TEST(Generate, GroupsKeepTheirRules) {
  GenerateOptions options;
  options.rows = 20000;
  for (const double prevalence : {0.3, 0.5}) {
    options.prevalence = prevalence;
    const Dataset inde = generate("data-inde", options, Context(1, 1));
    for (Index l = 0; l < 4; ++l) EXPECT_NEAR(share(inde, l), prevalence, 0.015);
    double none = 1;
    for (int l = 0; l < 4; ++l) none *= 1 - prevalence;
    EXPECT_NEAR(share(inde, 4), none, 0.015);
    // A label is a threshold of its group's sum: no positive sum is below a negative one.
    double lowest_positive = 5, highest_negative = 0;
    for (Index i = 0; i < inde.rows(); ++i) {
      double sum = 0;
      for (Index j = 5; j < 10; ++j) sum += inde.x.at(i, j);
      if (inde.y.cell(i, 1) == Cell::positive) {
        lowest_positive = std::min(lowest_positive, sum);
      } else {
        highest_negative = std::max(highest_negative, sum);
      }
    }
    EXPECT_LT(highest_negative, lowest_positive);
  }
  const auto on = [](const Dataset& data, Index i, Index l) {
    return data.y.cell(i, l) == Cell::positive;
  };
  const Dataset equal = generate("data-equal", options, Context(1, 1));
  const Dataset unions = generate("data-union", options, Context(1, 1));
  for (Index i = 0; i < options.rows; ++i) {
    EXPECT_EQ(on(equal, i, 0), on(equal, i, 1));
    EXPECT_EQ(on(equal, i, 2), on(equal, i, 3));
    EXPECT_EQ(on(unions, i, 0), on(unions, i, 1) || on(unions, i, 2) || on(unions, i, 3));
    EXPECT_EQ(on(unions, i, 4), !on(unions, i, 0));
  }
}

TEST(Generate, LinearHasTheCardinalityAndSparsityAskedFor) {
  GenerateOptions options;
  options.rows = 2000;
  options.features = 50;
  options.labels = 8;
  options.sparsity = 0.9;
  for (const double cardinality : {0.0, 1.5, 7.5, 8.0}) {  // 7.5 of 8: frequencies are capped at 1
    options.cardinality = cardinality;
    const Dataset data = generate("linear", options, Context(1, 5));
    EXPECT_NEAR(static_cast<double>(data.y.positives()) / 2000.0, cardinality, 0.01);
    ASSERT_TRUE(data.x.is_sparse());
    EXPECT_NEAR(static_cast<double>(data.x.stored()) / (2000.0 * 50.0), 0.1, 0.01);
  }
  options.sparsity = 1.0;
  EXPECT_EQ(generate("linear", options, Context(1, 5)).x.stored(), 0);
  options.sparsity = 0.0;
  EXPECT_FALSE(generate("linear", options, Context(1, 5)).x.is_sparse());
}

TEST(Generate, NoiseHidesTheDirectionOfALabel) {
  GenerateOptions options;
  options.rows = 4000;
  options.features = 1;
  options.labels = 1;
  options.cardinality = 0.5;
  const auto gap = [&](double noise) {  // difference of the feature's mean with and without label
    options.noise = noise;
    const Dataset data = generate("linear", options, Context(1, 2));
    double sum[2] = {0, 0};
    for (Index i = 0; i < data.rows(); ++i) {
      sum[data.y.cell(i, 0) == Cell::positive ? 1 : 0] += data.x.at(i, 0);
    }
    return std::abs(sum[1] - sum[0]) / 2000.0;
  };
  EXPECT_GT(gap(0.0), 1.5);
  EXPECT_LT(gap(1.0), 0.1);
}

TEST(Generate, DependenceTiesTheSets) {
  GenerateOptions options;
  options.rows = 6000;
  options.set_sizes = {6, 3, 1};
  for (const double dependence : {0.0, 0.5, 1.0}) {
    options.dependence = dependence;
    const Dataset data = generate("label-sets", options, Context(1, 4));
    const auto a = classes_of(data.y, data.sets, 0), b = classes_of(data.y, data.sets, 1);
    double agree = 0;
    for (std::size_t i = 0; i < a.size(); ++i) agree += a[i] / 2 == b[i] ? 1.0 : 0.0;
    EXPECT_NEAR(agree / 6000.0, dependence + (1 - dependence) / 3, 0.03);
  }
}

TEST(Generate, PhotosAndCarsReadWell) {
  const Dataset photos = generate("photos", Context(1, 1));
  for (Index i = 0; i < photos.rows(); ++i) EXPECT_GE(photos.y.row(i).size(), 1u);
  for (Index l = 0; l < photos.labels(); ++l) {
    EXPECT_GT(share(photos, l), 0.03) << photos.label_names[at(l)];
    EXPECT_LT(share(photos, l), 0.6);
  }
  const Dataset cars = generate("cars", Context(1, 1));
  EXPECT_EQ(cars.sets.size(), 2u);
  for (Index i = 0; i < cars.rows(); ++i) {
    for (Index j = 0; j < cars.columns(); ++j) EXPECT_GT(cars.x.at(i, j), 0.0);
  }
}

TEST(Generate, RefusesWhatCannotBe) {
  GenerateOptions options;
  options.rows = 0;
  EXPECT_THROW(generate("linear", options, Context()), Error);
  options.rows = 5;
  options.cardinality = 11;  // of 10 labels
  EXPECT_THROW(generate("linear", options, Context()), Error);
  EXPECT_NO_THROW(generate("data-inde", options, Context()));       // does not use it
  EXPECT_THROW(generate("label-sets", options, Context()), Error);  // no sets
  try {
    generate("liner", Context());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.remedy().find("linear"), std::string::npos);
  }
}

}  // namespace
}  // namespace mulberry::data
