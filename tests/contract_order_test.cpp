// Every learner: the order of rows, features and labels in the data means nothing, except where a
// table says why; a learner that a table names in vain is an error as well.
#include <map>
#include <numeric>

#include "tests/contract.hpp"

namespace mulberry::tests::contract {
namespace {

constexpr Index k_rows = 40;
constexpr double k_same = 1e-6;

using Reasons = std::map<std::string, std::string>;

const Reasons& rows_matter() {
  static const Reasons out = {
      {"bagging", "draws rows by number"},
      {"ebr", "draws rows by number"},
      {"ecc", "draws rows by number"},
      {"eps", "draws rows by number"},
      {"dsml", "draws rows by number"},
      {"forest", "draws rows by number"},
      {"br(base=forest)", "draws rows by number"},
      {"mss_boost", "draws rows by number"},
      {"bp_mll", "visits rows in a random order"},
      {"calibrated", "deals rows to folds by number"},
      {"stacking", "deals rows to folds by number"},
      {"mll_le_auto", "deals rows to folds by number"},
  };
  return out;
}

const Reasons& features_matter() {
  static const Reasons out = {
      {"bp_mll", "starts from random weights of each feature"},
      {"mss_boost", "draws features by number"},
      {"forest", "draws features by number"},
      {"br(base=forest)", "draws features by number"},
      {"br(base=boost)", "two features may gain the same: the first one is taken"},
  };
  return out;
}

const Reasons& labels_matter() {
  static const Reasons out = {
      {"cc", "a chain in the order of the labels"},
      {"pcc", "a chain in the order of the labels"},
      {"ecc", "chains in random orders of labels by number"},
      {"epcc", "chains in random orders of labels by number"},
      {"bp_mll", "starts from random weights of each label"},
      {"mss_boost", "draws again for each label by number"},
  };
  return out;
}

// Backwards, the first in the middle: no element stays where it was.
std::vector<Id> mixed(Index count) {
  std::vector<Id> out(static_cast<std::size_t>(count));
  std::iota(out.rbegin(), out.rend(), 0);
  std::rotate(out.begin(), out.begin() + count / 2, out.end());
  return out;
}

Matrix scores_after(const std::string& learner, const Dataset& training, const Dataset& data) {
  return fit_sharp(learner, training).predict(data, Context(1)).scores;
}

TEST_P(Contract, OrderOfRows) {
  const Dataset data = small_data(GetParam(), k_rows);
  const double found = apart(scores_after(GetParam(), data, data),
                             scores_after(GetParam(), take_rows(data, mixed(k_rows)), data));
  EXPECT_EQ(found > k_same, rows_matter().contains(GetParam())) << found;
}

TEST_P(Contract, OrderOfFeatures) {
  const Dataset data = small_data(GetParam(), k_rows);
  Dataset other = data;
  other.x = take_columns(data.x, mixed(data.columns()));
  other.feature_names.clear();  // otherwise they are matched by name
  const double found =
      apart(scores_after(GetParam(), data, data), scores_after(GetParam(), other, other));
  EXPECT_EQ(found > k_same, features_matter().contains(GetParam())) << found;
}

TEST_P(Contract, OrderOfLabels) {
  if (tags_of(GetParam()).label_sets) return;  // the sets have their own order
  const Dataset data = small_data(GetParam(), k_rows);
  const std::vector<Id> order = mixed(data.labels());
  Dataset other = data;
  other.y = take_labels(data.y, order);
  const Matrix expected = scores_after(GetParam(), data, data);
  const Matrix found = scores_after(GetParam(), other, data);
  Matrix back(found.rows(), found.cols());
  for (Index i = 0; i < found.rows(); ++i) {
    for (Index l = 0; l < found.cols(); ++l) {
      back(i, order[static_cast<std::size_t>(l)]) = found(i, l);
    }
  }
  const double changed = apart(expected, back);
  EXPECT_EQ(changed > k_same, labels_matter().contains(GetParam())) << changed;
}

TEST(ContractTables, NameLearners) {
  const std::vector<std::string> names = learner_names();
  for (const Reasons* table : {&rows_matter(), &features_matter(), &labels_matter()}) {
    for (const auto& [name, reason] : *table) {
      EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
    }
  }
}

MULBERRY_CONTRACT_OVER_ALL(Contract);

}  // namespace
}  // namespace mulberry::tests::contract
