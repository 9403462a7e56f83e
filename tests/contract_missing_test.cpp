// Every learner that takes missing labels: an unknown cell is neither yes nor no, a row of which
// nothing is known is no row, and where labels are learnt apart, a cell concerns its own label
// only.
#include <limits>
#include <map>
#include <set>

#include "tests/contract.hpp"

namespace mulberry::tests::contract {
namespace {

constexpr Index k_rows = 40, k_every = 5, k_label = 1;
constexpr double k_same = 1e-6, k_different = 1e-2;
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// Learners for which a row without any label is more than no row, and why.
const std::map<std::string, std::string>& uses_unlabelled_rows() {
  static const std::map<std::string, std::string> out = {
      {"bagging", "draws rows: with more rows it draws others"},
      {"ebr", "draws rows: with more rows it draws others"},
      {"ecc", "draws rows: with more rows it draws others"},
      {"calibrated", "cuts rows into folds: with more rows they are others"},
      {"stacking", "cuts rows into folds: with more rows they are others"},
      {"threshold", "cuts rows into folds: with more rows they are others"},
      {"bp_mll", "scales features by all rows, and visits them in a random order"},
      {"cca", "takes the spread of the features from all rows"},
      {"ml_knn", "a neighbour of which nothing is known counts as one without the label"},
      {"mll_le", "learns from unlabelled rows: they are points of the graph"},
      {"mll_le_auto", "learns from unlabelled rows: they are points of the graph"},
  };
  return out;
}

bool takes_missing(const std::string& learner) {
  return tags_of(learner).missing_labels && !tags_of(learner).label_sets;
}

bool is_changed(Index row) { return row % k_every == 1; }

// `value` in some rows of a label, or of all labels (label < 0).
Dataset with_cells(Dataset data, Index label, double value) {
  Matrix y = to_dense(data.y);
  for (Index i = 0; i < y.rows(); ++i) {
    for (Index l = 0; l < y.cols(); ++l) {
      if (is_changed(i) && (label < 0 || l == label)) y(i, l) = value;
    }
  }
  data.y = labels_from_dense(y);
  return data;
}

// The rows that are not changed. Scores are compared on them: cuts of trees lie midway between rows
// of training, also of those that say nothing, so the changed rows may be on another side.
Dataset unchanged_rows(const Dataset& data) {
  std::vector<Id> kept;
  for (Index i = 0; i < data.rows(); ++i) {
    if (!is_changed(i)) kept.push_back(static_cast<Id>(i));
  }
  return take_rows(data, kept);
}

Matrix scores_after(const std::string& learner, const Dataset& training, const Dataset& data) {
  return fit_sharp(learner, training).predict(data, Context(1)).scores;
}

TEST_P(Contract, MissingIsNeitherYesNorNo) {
  if (!takes_missing(GetParam())) return;
  const Dataset data = small_data(GetParam(), k_rows), rest = unchanged_rows(data);
  const Matrix missing = scores_after(GetParam(), with_cells(data, k_label, k_nan), rest);
  for (const double value : {0.0, 1.0}) {
    const Matrix known = scores_after(GetParam(), with_cells(data, k_label, value), rest);
    EXPECT_GE(apart(missing, known), k_different) << "as if the cells were " << value;
  }
}

TEST_P(Contract, ARowWithoutLabelsIsNoRow) {
  if (!takes_missing(GetParam()) || uses_unlabelled_rows().contains(GetParam())) return;
  const Dataset data = small_data(GetParam(), k_rows), rest = unchanged_rows(data);
  const Dataset unlabelled = with_cells(data, -1, k_nan);
  const TrainedModel one = fit_sharp(GetParam(), unlabelled), two = fit_sharp(GetParam(), rest);
  const Prediction a = one.predict(rest, Context(1)), b = two.predict(rest, Context(1));
  EXPECT_LE(apart(a.scores, b.scores), k_same);
  EXPECT_EQ(one.decide(a), two.decide(b));
}

TEST_P(Contract, LabelsLearntApartSeeTheirOwnCells) {
  if (!takes_missing(GetParam()) || !tags_of(GetParam()).labels_apart) return;
  const Dataset data = small_data(GetParam(), k_rows), rest = unchanged_rows(data);
  const Matrix missing = scores_after(GetParam(), with_cells(data, k_label, k_nan), rest);
  const Matrix without = scores_after(GetParam(), rest, rest);
  const Matrix complete = scores_after(GetParam(), data, rest);
  for (Index i = 0; i < rest.rows(); ++i) {
    for (Index l = 0; l < data.labels(); ++l) {
      EXPECT_NEAR(missing(i, l), l == k_label ? without(i, l) : complete(i, l), k_same)
          << "row " << i << " label " << l;
    }
  }
}

// The others pool labels in some way: a cell of one label must be able to move the others.
TEST_P(Contract, LabelsLearntTogetherShareTheirCells) {
  if (!takes_missing(GetParam()) || tags_of(GetParam()).labels_apart) return;
  // mahr: so few rows never show that reuse is worth its price. rml: the C that is best for all
  // labels stays the same.
  const std::set<std::string> only_in_samples = {"bagging", "ebr", "mahr", "ml_knn", "rml"};
  const Dataset data = small_data(GetParam(), k_rows), rest = unchanged_rows(data);
  const Matrix missing = scores_after(GetParam(), with_cells(data, k_label, k_nan), rest);
  const Matrix complete = scores_after(GetParam(), data, rest);
  double others = 0;
  for (Index i = 0; i < rest.rows(); ++i) {
    for (Index l = 0; l < data.labels(); ++l) {
      if (l != k_label) others = std::max(others, std::abs(missing(i, l) - complete(i, l)));
    }
  }
  EXPECT_EQ(others == 0, only_in_samples.contains(GetParam())) << others;
}

// A feature without a value is not a small one, not a large one, and not 0.
TEST_P(Contract, MissingFeaturesAreNoNumbers) {
  if (!tags_of(GetParam()).missing_features) return;
  if (GetParam() == "br(base=prior)") return;  // looks at no feature
  const Dataset data = small_data(GetParam(), k_rows), rest = unchanged_rows(data);
  const auto scores = [&](double value) {
    Dataset other = data;
    Matrix x(to_dense(data.x));
    for (Index i = 0; i < x.rows(); ++i) {
      if (is_changed(i)) std::ranges::fill(x.row(i), value);
    }
    other.x = std::move(x);
    return scores_after(GetParam(), other, rest);
  };
  const Matrix missing = scores(k_nan);
  for (const double value : {0.0, -1e6, 1e6}) {
    EXPECT_GE(apart(missing, scores(value)), k_different) << "as if they were " << value;
  }
}

TEST(ContractTables, NameLearners) {
  const std::vector<std::string> names = learner_names();
  for (const auto& [name, reason] : uses_unlabelled_rows()) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
    EXPECT_TRUE(takes_missing(name)) << name;
  }
}

MULBERRY_CONTRACT_OVER_ALL(Contract);

// Parameters under which labels are learnt apart, unlike with the defaults.
INSTANTIATE_TEST_SUITE_P(WithParameters, Contract,
                         testing::Values("rml(C=1)", "forest(targets=each)", "mahr(reuse=none)"),
                         test_name);

}  // namespace
}  // namespace mulberry::tests::contract
