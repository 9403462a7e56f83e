// Every learner on data of every kind: shapes, threads, sparse, degenerate labels, bad values.
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/contract.hpp"

namespace mulberry::tests::contract {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

void expect_usable(const Prediction& prediction, const TrainedModel& model, Index rows) {
  ASSERT_EQ(prediction.scores.rows(), rows);
  ASSERT_EQ(prediction.scores.cols(), static_cast<Index>(model.label_names.size()));
  for (const double v : prediction.scores.values()) ASSERT_TRUE(std::isfinite(v));
  if (prediction.scale != Scale::margin) {
    for (const double v : prediction.scores.values()) {
      ASSERT_GE(v, 0);
      ASSERT_LE(v, 1);
    }
  }
  const Labels decided = model.decide(prediction);
  ASSERT_EQ(decided.rows(), rows);
  for (std::size_t s = 0; s < model.sets.size(); ++s) {
    for (const Id c : classes_of(decided, model.sets, s)) ASSERT_GE(c, 0);
  }
}

TEST_P(Contract, PredictsOneScoreARowAndLabel) {
  const Dataset data = small_data(GetParam());
  const TrainedModel model = fit_small(GetParam(), data);
  expect_usable(model.predict(data, Context(2)), model, data.rows());
  const Dataset none = take_rows(data, std::vector<Id>{});
  expect_usable(model.predict(none, Context(2)), model, 0);
}

TEST_P(Contract, ProbabilityTagMeansProbabilities) {
  const Dataset data = small_data(GetParam());
  const TrainedModel model = fit_small(GetParam(), data);
  EXPECT_EQ(model.predict(data, Context(1)).scale == Scale::probability,
            tags_of(GetParam()).probabilities);
}

TEST_P(Contract, SameBitsForAnyNumberOfThreads) {
  // Enough rows that sums over them are cut into parts; fewer where the cost is cubic.
  const Dataset data = small_data(GetParam(), tags_of(GetParam()).distances ? 300 : 1100);
  const TrainedModel one = fit_small(GetParam(), data, 1);
  const Matrix expected = one.predict(data, Context(1)).scores;
  for (const int threads : {2, 8}) {
    const TrainedModel other = fit_small(GetParam(), data, threads);
    EXPECT_EQ(other.predict(data, Context(threads)).scores, expected) << threads << " threads";
  }
}

// Values of another program: floats, and values stored by column.
TEST_P(Contract, FloatsAndColumnsAreReadAsDoubles) {
  Dataset plain = small_data(GetParam());
  const Index n = plain.rows(), d = plain.columns();
  const Matrix x(to_dense(plain.x));
  Matrix rounded(n, d);
  std::vector<float> floats, by_column(static_cast<std::size_t>(n * d));
  std::vector<double> columns(by_column.size());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) {
      const auto v = static_cast<float>(x(i, j));
      const auto place = static_cast<std::size_t>(j * n + i);
      floats.push_back(v);
      by_column[place] = v;
      columns[place] = rounded(i, j) = v;
    }
  }
  plain.x = std::move(rounded);
  const Matrix expected = fit_small(GetParam(), plain).predict(plain, Context(1)).scores;
  const auto strided = [&](const auto* values, Index row_step, Index col_step) {
    Dataset out = plain;
    out.x =
        Features(std::make_shared<const data::Strided>(values, n, d, row_step, col_step, nullptr));
    return out;
  };
  for (const Dataset& other : {strided(floats.data(), d, 1), strided(by_column.data(), 1, n),
                               strided(columns.data(), 1, n)}) {
    EXPECT_EQ(fit_small(GetParam(), other).predict(other, Context(1)).scores, expected);
  }
}

// Most values are 0, so that the sparse form stores less than all of them: of two signs in most
// columns, all positive in one, negative in another, and none at all in the last.
Dataset data_with_zeros(const std::string& learner) {
  Dataset data = small_data(learner);
  Matrix x(to_dense(data.x));
  for (Index i = 0; i < x.rows(); ++i) {
    for (double& value : x.row(i)) value = std::abs(value) < 0.8 ? 0.0 : value;
    x(i, 1) = std::abs(x(i, 1));
    x(i, 2) = -std::abs(x(i, 2));
    x(i, 5) = 0;
  }
  data.x = std::move(x);
  return data;
}

TEST_P(Contract, DenseEqualsSparse) {
  const Dataset dense = data_with_zeros(GetParam());
  Dataset sparse = dense;
  sparse.x = to_sparse(dense.x);
  ASSERT_LT(sparse.x.sparse().value.size(), static_cast<std::size_t>(dense.rows() * 4));
  const TrainedModel one = fit_small(GetParam(), dense), two = fit_small(GetParam(), sparse);
  const Matrix scores = one.predict(dense, Context(1)).scores;
  EXPECT_LE(apart(scores, two.predict(sparse, Context(1)).scores), 1e-9);
  EXPECT_LE(apart(scores, one.predict(sparse, Context(1)).scores), 1e-9) << "trained on dense";
  EXPECT_LE(apart(scores, two.predict(dense, Context(1)).scores), 1e-9) << "trained on sparse";
}

TEST_P(Contract, RowsArePredictedOnTheirOwn) {
  const Dataset data = small_data(GetParam());
  const TrainedModel model = fit_small(GetParam(), data);
  std::vector<Id> backwards(static_cast<std::size_t>(data.rows()));
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  const Matrix forward = model.predict(data, Context(1)).scores;
  const Matrix reversed = model.predict(take_rows(data, backwards), Context(1)).scores;
  for (Index i = 0; i < data.rows(); ++i) {
    for (Index l = 0; l < forward.cols(); ++l) {
      EXPECT_NEAR(forward(i, l), reversed(data.rows() - 1 - i, l),
                  1e-12 * std::max(1.0, std::abs(forward(i, l))));
    }
  }
}

// Changes the labels of every row; only for learners without exclusive sets.
Dataset relabelled(Dataset data, const std::vector<Id>& labels) {
  data.y = Labels(data.labels(),
                  std::vector<std::vector<Id>>(static_cast<std::size_t>(data.rows()), labels));
  return data;
}

TEST_P(Contract, LabelsOfOneClass) {
  if (tags_of(GetParam()).label_sets) return;  // every row has exactly one label of each set
  for (const std::vector<Id>& labels : {std::vector<Id>{}, {0, 1, 2, 3}, {1}}) {
    const Dataset data = relabelled(small_data(GetParam(), 12), labels);
    const TrainedModel model = fit_small(GetParam(), data);
    const Prediction prediction = model.predict(data, Context(1));
    expect_usable(prediction, model, data.rows());
    EXPECT_EQ(model.decide(prediction), data.y) << labels.size() << " labels in every row";
  }
}

// The same rows, of which none has label 1 and, unless labels are exclusive, all have label 2.
Dataset with_one_class(const Dataset& data, bool sets) {
  std::vector<std::vector<Id>> labels;
  for (Index i = 0; i < data.rows(); ++i) {
    std::vector<Id> row;
    for (const Id l : data.y.row(i)) {
      if (sets && l == 1) row.push_back(0);  // another class of the same set
      if (l != 1 && (sets || l != 2)) row.push_back(l);
    }
    if (!sets) row.push_back(2);
    labels.push_back(std::move(row));
  }
  Dataset out = data;
  out.y = Labels(data.labels(), labels);
  return out;
}

TEST_P(Contract, LabelsOfOneClassStandBelowOrAboveTheOthers) {
  const bool sets = tags_of(GetParam()).label_sets;
  const Dataset data = with_one_class(small_data(GetParam(), 30), sets);
  ASSERT_TRUE(data.y.column(1).empty());
  TrainedModel model = fit_small(GetParam(), data);
  const Matrix scores = model.predict(data, Context(1)).scores;
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index l = 0; l < scores.cols(); ++l) {
      if (l != 1) {
        ASSERT_LT(scores(i, 1), scores(i, l)) << "row " << i << " label " << l;
      }
      if (l != 2 && !sets) {
        ASSERT_GT(scores(i, 2), scores(i, l)) << "row " << i << " label " << l;
      }
    }
  }
  EXPECT_EQ(TrainedModel::of_content(model.content()).predict(data, Context(1)).scores, scores);
}

TEST_P(Contract, OneRow) {
  const Dataset data = small_data(GetParam(), 1);
  if (tags_of(GetParam())
          .label_sets) {  // a single row has no information about combinations of sets
    EXPECT_THROW(fit_small(GetParam(), data), Error);
    return;
  }
  const TrainedModel model = fit_small(GetParam(), data);
  expect_usable(model.predict(data, Context(1)), model, 1);
}

TEST_P(Contract, OneFeature) {
  Dataset data = small_data(GetParam(), 20);
  data.x = take_columns(data.x, std::vector<Id>{2});
  data.feature_names.clear();
  const TrainedModel model = fit_small(GetParam(), data);
  expect_usable(model.predict(data, Context(1)), model, data.rows());
}

// Learners that only order the labels.
bool ranks_labels(const std::string& learner) { return learner == "mlr_gl" || learner == "mlr_l1"; }

TEST_P(Contract, OneLabel) {
  if (tags_of(GetParam()).label_sets) return;
  Dataset data = small_data(GetParam(), 20);
  data.y = take_labels(data.y, std::vector<Id>{1});
  data.label_names = {"only"};
  if (ranks_labels(GetParam())) {  // there is nothing to rank
    EXPECT_THROW(fit_small(GetParam(), data), Error);
    return;
  }
  const TrainedModel model = fit_small(GetParam(), data);
  expect_usable(model.predict(data, Context(1)), model, data.rows());
}

TEST_P(Contract, ConstantAndEmptyFeatures) {
  Dataset data = small_data(GetParam(), 20);
  data.x = Matrix(data.rows(), 3, 0.0);
  data.feature_names.clear();
  const TrainedModel model = fit_small(GetParam(), data);
  expect_usable(model.predict(data, Context(1)), model, data.rows());
}

TEST_P(Contract, NothingToLearnFromIsAnError) {
  const Dataset data = small_data(GetParam(), 5);
  EXPECT_THROW(fit_small(GetParam(), take_rows(data, std::vector<Id>{})), Error);
  Dataset no_labels = data;
  no_labels.y = take_labels(data.y, std::vector<Id>{});
  no_labels.label_names.clear();
  no_labels.sets = {};
  EXPECT_THROW(fit_small(GetParam(), no_labels), Error);
  Dataset no_features = data;
  no_features.x = take_columns(data.x, std::vector<Id>{});
  no_features.feature_names.clear();
  EXPECT_THROW(fit_small(GetParam(), no_features), Error);
}

TEST_P(Contract, NanInfinityAndHugeValuesAreRejectedUnlessTagged) {
  const Dataset good = small_data(GetParam(), 20);
  const TrainedModel model = fit_small(GetParam(), good);
  for (const double bad : {k_nan, std::numeric_limits<double>::infinity(), -1e101}) {
    Matrix x(to_dense(good.x));
    x(3, 2) = bad;
    Dataset data = good;
    data.x = std::move(x);
    if (std::isnan(bad) && tags_of(GetParam()).missing_features) {
      expect_usable(model.predict(data, Context(1)), model, data.rows());
      const TrainedModel other = fit_small(GetParam(), data);
      expect_usable(other.predict(data, Context(1)), other, data.rows());
      continue;
    }
    EXPECT_THROW(fit_small(GetParam(), data), Error);
    try {
      model.predict(data, Context(1));
      ADD_FAILURE() << "expected an error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("row 4, column 3"), std::string::npos)
          << error.what();
    }
  }
}

TEST_P(Contract, MissingFeaturesAreFilledWhenAskedFor) {
  Dataset data = small_data(GetParam(), 20);
  Matrix x(to_dense(data.x));
  for (const Index i : {0, 3, 11}) x(i, 2) = k_nan;
  data.x = std::move(x);
  const TrainedModel model = train(CompleteSpec(parse_spec(GetParam())), data,
                                   {.preprocess = {.impute = Impute::mean}}, Context(1, 7));
  Dataset one = take_rows(data, std::vector<Id>{3}), filled = one;
  Matrix row(to_dense(one.x));
  row(0, 2) = model.preprocessing.fill[2];
  filled.x = std::move(row);
  EXPECT_EQ(model.predict(one, Context(1)).scores, model.predict(filled, Context(1)).scores);
}

TEST_P(Contract, MissingLabelsAreTakenOrRefused) {
  if (tags_of(GetParam()).label_sets) return;
  Dataset data = small_data(GetParam(), 30);
  Matrix y(to_dense(data.y));
  for (Index i = 0; i < data.rows(); i += 3) y(i, i % 4) = k_nan;
  data.y = labels_from_dense(y);
  if (tags_of(GetParam()).missing_labels) {
    const TrainedModel model = fit_small(GetParam(), data);
    expect_usable(model.predict(data, Context(1)), model, data.rows());
  } else {
    try {
      fit_small(GetParam(), data);
      ADD_FAILURE() << "expected an error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::unsupported);
      EXPECT_NE(std::string(error.what()).find("br"), std::string::npos) << "must name who can";
    }
  }
}

TEST_P(Contract, LabelWithoutAnyObservedCell) {
  const Tags tags = tags_of(GetParam());
  if (tags.label_sets || !tags.missing_labels) return;
  Dataset data = small_data(GetParam(), 20);
  Matrix y(to_dense(data.y));
  for (Index i = 0; i < data.rows(); ++i) y(i, 2) = k_nan;
  data.y = labels_from_dense(y);
  const TrainedModel model = fit_small(GetParam(), data);
  expect_usable(model.predict(data, Context(1)), model, data.rows());
}

TEST_P(Contract, WeightsAreTakenOrRefused) {
  Dataset data = small_data(GetParam(), 30);
  data.weights.assign(30, 1.0);
  if (!tags_of(GetParam()).weights) {
    EXPECT_THROW(fit_small(GetParam(), data), Error);
    return;
  }
  const Matrix weighted = fit_small(GetParam(), data).predict(data, Context(1)).scores;
  data.weights.clear();
  EXPECT_EQ(fit_small(GetParam(), data).predict(data, Context(1)).scores, weighted);
}

TEST_P(Contract, FeaturesInAnotherOrderAreMatchedByName) {
  Dataset data = small_data(GetParam());
  data.feature_names = {"a", "b", "c", "d", "e", "f"};
  const TrainedModel model = fit_small(GetParam(), data);
  const std::vector<Id> order = {5, 3, 1, 0, 2, 4};
  Dataset shuffled = data;
  shuffled.x = take_columns(data.x, order);
  for (std::size_t j = 0; j < order.size(); ++j) {
    shuffled.feature_names[j] = data.feature_names[static_cast<std::size_t>(order[j])];
  }
  EXPECT_EQ(model.predict(shuffled, Context(1)).scores, model.predict(data, Context(1)).scores);
  shuffled.feature_names[0] = "unknown";
  try {
    model.predict(shuffled, Context(1));
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'f'"), std::string::npos) << error.what();
  }
}

MULBERRY_CONTRACT_OVER_ALL(Contract);

}  // namespace
}  // namespace mulberry::tests::contract
