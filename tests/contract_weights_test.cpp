// Every learner that takes weights: a row of weight 2 is two rows, one of weight 0 is no row, and
// weights that differ make a difference.
#include <map>

#include "mulberry/model/row_weights.hpp"
#include "tests/contract.hpp"
#include "tests/support/saved.hpp"

namespace mulberry::tests::contract {
namespace {

constexpr Index k_rows = 40;
constexpr double k_same = 1e-6, k_different = 1e-3;

// Learners for which a row of weight 2 is not exactly two rows, and why. For them the other tests
// of this file hold, and that heavy rows pull.
const std::map<std::string, std::string>& not_copies() {
  static const std::map<std::string, std::string> out = {
      {"bagging", "draws rows: two copies are drawn apart"},
      {"ebr", "draws rows: two copies are drawn apart"},
      {"ecc", "draws rows: two copies are drawn apart"},
      {"eps", "draws rows: two copies are drawn apart"},
      {"dsml", "draws as many rows as there are, by weight"},
      {"forest", "draws rows: two copies are drawn apart"},
      {"br(base=forest)", "draws rows: two copies are drawn apart"},
      {"ridge", "leaves rows out one by one: of two copies one stays"},
      {"br(base=ridge)", "leaves rows out one by one: of two copies one stays"},
      {"calibrated", "cuts rows into folds: two copies may be in two of them"},
      {"stacking", "cuts rows into folds: two copies may be in two of them"},
      {"threshold", "cuts rows into folds: two copies may be in two of them"},
  };
  return out;
}

// Without some cells, where the learner allows it: what is computed of observed cells must take
// weights into account as well.
Dataset weightless_data(const std::string& learner) {
  Dataset data = small_data(learner, k_rows);
  if (!tags_of(learner).missing_labels) return data;
  Matrix y = to_dense(data.y);
  for (Index i = 0; i < k_rows; i += 7) y(i, i % 4) = std::numeric_limits<double>::quiet_NaN();
  data.y = labels_from_dense(y);
  return data;
}

// With labels among the features: nothing is left to learn after a few steps, which are then
// limited by how much there is to learn from.
Dataset with_answers(Dataset data) {
  Matrix x(to_dense(data.x));
  for (Index i = 0; i < data.rows(); ++i) {
    for (Index l = 0; l < data.labels(); ++l) x(i, l) = data.y.cell(i, l) == Cell::positive ? 1 : 0;
  }
  data.x = std::move(x);
  return data;
}

std::vector<double> pattern(Index step, double weight) {
  std::vector<double> out(static_cast<std::size_t>(k_rows), 1.0);
  for (std::size_t i = 0; i < out.size(); i += static_cast<std::size_t>(step)) out[i] = weight;
  return out;
}

Dataset weighted(Dataset data, std::vector<double> weights) {
  data.weights = std::move(weights);
  return data;
}

// Row i as often as weights[i] says, copies next to each other.
Dataset repeated(const Dataset& data, const std::vector<double>& weights) {
  std::vector<Id> rows;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    rows.insert(rows.end(), static_cast<std::size_t>(weights[i]), static_cast<Id>(i));
  }
  return take_rows(data, rows);
}

// The same scores and decisions for all rows of `data`.
void expect_same(const TrainedModel& one, const TrainedModel& two, const Dataset& data,
                 double tolerance) {
  const Prediction a = one.predict(data, Context(1)), b = two.predict(data, Context(1));
  EXPECT_LE(apart(a.scores, b.scores), tolerance);
  EXPECT_EQ(one.decide(a), two.decide(b));
}

TEST_P(Contract, WeightTwoIsTwoRows) {
  if (!tags_of(GetParam()).weights || not_copies().contains(GetParam())) return;
  const Dataset data = weightless_data(GetParam());
  const std::vector<double> weights = pattern(3, 2);
  for (const Dataset& one : {data, with_answers(data)}) {
    expect_same(fit_sharp(GetParam(), weighted(one, weights)),
                fit_sharp(GetParam(), repeated(one, weights)), one, k_same);
  }
}

TEST_P(Contract, WeightZeroIsNoRow) {
  if (!tags_of(GetParam()).weights) return;
  const Dataset data = weightless_data(GetParam());
  const std::vector<double> weights = pattern(4, 0);
  expect_same(fit_small(GetParam(), weighted(data, weights)),
              fit_small(GetParam(), repeated(data, weights)), data, 0);
}

TEST_P(Contract, WeightsThatDifferChangeTheModel) {
  if (!tags_of(GetParam()).weights) return;
  const Dataset data = weightless_data(GetParam());
  for (const double weight : {0.2, 5.0}) {
    const Dataset other = weighted(data, pattern(3, weight));
    EXPECT_GE(apart(fit_small(GetParam(), data).predict(data, Context(1)).scores,
                    fit_small(GetParam(), other).predict(data, Context(1)).scores),
              k_different)
        << "weight " << weight;
  }
}

// A row with the labels of another one, which the others contradict: the more it weighs, the more
// the model follows it.
TEST_P(Contract, HeavyRowsPull) {
  if (!tags_of(GetParam()).weights) return;
  Dataset data = small_data(GetParam(), k_rows);
  Index other = 1;
  while (std::ranges::equal(data.y.row(other), data.y.row(0))) ++other;
  std::vector<std::vector<Id>> labels;
  for (Index i = 0; i < k_rows; ++i) {
    const auto row = data.y.row(i == 0 ? other : i);
    labels.emplace_back(row.begin(), row.end());
  }
  const Labels before = data.y;
  data.y = Labels(data.labels(), labels);
  const auto scores = [&](double weight) {
    std::vector<double> weights(static_cast<std::size_t>(k_rows), 1.0);
    weights[0] = weight;
    return fit_small(GetParam(), weighted(data, weights)).predict(data, Context(1)).scores;
  };
  const Matrix light = scores(0.01), heavy = scores(100);
  double pull = 0;
  for (Index l = 0; l < data.labels(); ++l) {
    const bool is = data.y.cell(0, l) == Cell::positive, was = before.cell(0, l) == Cell::positive;
    if (is != was) pull += (is ? 1 : -1) * (heavy(0, l) - light(0, l));
  }
  EXPECT_GT(pull, 0);
}

TEST_P(Contract, ImpossibleWeightsAreRefused) {
  if (!tags_of(GetParam()).weights) return;
  const Dataset data = small_data(GetParam(), k_rows);
  for (const double bad :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    try {
      fit_small(GetParam(), weighted(data, pattern(39, bad)));
      ADD_FAILURE() << "expected an error for weight " << bad;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("in row 1"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(fit_small(GetParam(), weighted(data, pattern(1, 0))), Error);
}

// The largest and smallest weights that are taken, with features of ordinary size, give models that
// can be loaded, with finite scores (predict throws otherwise); what lies beyond them is refused
// before training.
TEST_P(Contract, ExtremeWeightsGiveFiniteScores) {
  if (!tags_of(GetParam()).weights) return;
  const Dataset data = small_data(GetParam(), k_rows);
  const Dataset easy = with_answers(data);  // without an error, the steps of boosting are longest
  for (const double weight : {k_largest_weight, k_smallest_weight}) {
    for (const Index step : {1, 3}) {
      for (const Dataset& rows : {data, easy}) {
        SCOPED_TRACE("weight " + std::to_string(weight) + ", every " + std::to_string(step));
        TrainedModel model = fit_small(GetParam(), weighted(rows, pattern(step, weight)));
        const Matrix scores = model.predict(rows, Context(1)).scores;
        EXPECT_EQ(scores.rows(), k_rows);
        EXPECT_EQ(saved_and_loaded(model).predict(rows, Context(1)).scores, scores);
      }
    }
  }
  for (const double weight : {2e15, 1e300, 1e-16, 5e-324}) {
    try {
      fit_small(GetParam(), weighted(data, pattern(39, weight)));
      ADD_FAILURE() << "expected an error for weight " << weight;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::data);
      EXPECT_NE(std::string(error.what()).find("in row 1"), std::string::npos) << error.what();
    }
  }
}

TEST(ContractTables, NameLearners) {
  const std::vector<std::string> names = learner_names();
  for (const auto& [name, reason] : not_copies()) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
    EXPECT_TRUE(tags_of(name).weights) << name;
  }
}

MULBERRY_CONTRACT_OVER_ALL(Contract);

}  // namespace
}  // namespace mulberry::tests::contract
