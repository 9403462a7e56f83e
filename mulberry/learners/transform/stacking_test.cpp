#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/measures/relations.hpp"
#include "mulberry/model/fitted_learner.hpp"

namespace mulberry::learners {
namespace {

Dataset data_of(std::uint64_t seed, Index rows = 80) {
  return generate("linear", {.rows = rows, .features = 4, .labels = 5, .noise = 0.5},
                  Context(1, seed));
}

Prediction predicted(const std::string& text, const Dataset& train, const Features& x) {
  const Context ctx(2, 1);
  return fit_learner(CompleteSpec(parse_spec(text)), view_of(train), ctx)->predict({.x = &x}, ctx);
}

Matrix columns_of(MatrixView from, const std::vector<Id>& columns) {
  Matrix out(from.rows(), count_of(columns));
  for (Index i = 0; i < out.rows(); ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      out(i, static_cast<Index>(k)) = from(i, columns[k]);
    }
  }
  return out;
}

// The definition, label by label, with separate data sets.
Matrix slow_stacking(const Dataset& train, const Dataset& test, bool held_out, bool features,
                     const std::vector<std::vector<Id>>& seen) {
  const Matrix now = predicted("br_logistic", train, test.x).scores;
  const Matrix then = held_out ? held_out_scores(CompleteSpec(parse_spec("br_logistic")),
                                                 view_of(train), 10, Context(2, 1))
                               : predicted("br_logistic", train, train.x).scores;
  Matrix out(test.rows(), train.labels());
  for (Id l = 0; l < train.labels(); ++l) {
    const auto& columns = seen[at(l)];
    Dataset one = train;
    one.y = take_labels(train.y, std::vector<Id>{l});
    const Matrix before = columns_of(then, columns), after = columns_of(now, columns);
    one.x = features ? append_columns(train.x, before) : Features(before);
    const Features x = features ? append_columns(test.x, after) : Features(after);
    const Matrix scores = predicted("br_logistic", one, x).scores;
    for (Index i = 0; i < test.rows(); ++i) out(i, l) = scores(i, 0);
  }
  return out;
}

void expect_near(MatrixView a, MatrixView b) {
  ASSERT_EQ(a.size(), b.size());
  for (Index k = 0; k < a.size(); ++k) EXPECT_NEAR(a.data()[k], b.data()[k], 1e-5);
}

TEST(Stacking, EqualsItsDefinition) {
  const Dataset train = data_of(1), test = data_of(2);
  const std::vector<std::vector<Id>> all(5, std::vector<Id>{0, 1, 2, 3, 4});
  expect_near(predicted("stacking", train, test.x).scores,
              slow_stacking(train, test, true, true, all));
  expect_near(predicted("stacking(first_scores=fitted)", train, test.x).scores,
              slow_stacking(train, test, false, true, all));
  expect_near(predicted("stacking(features=false)", train, test.x).scores,
              slow_stacking(train, test, true, false, all));
}

TEST(Stacking, TheSecondSeesTheMostRelatedLabels) {
  const Dataset train = data_of(3), test = data_of(4);
  const Matrix correlation = phi(train.y, Context());
  std::vector<std::vector<Id>> seen;
  for (Id l = 0; l < 5; ++l) {
    Id partner = l == 0 ? 1 : 0;
    for (Id j = 0; j < 5; ++j) {
      if (j != l && std::abs(correlation(l, j)) > std::abs(correlation(l, partner))) partner = j;
    }
    seen.push_back({std::min(l, partner), std::max(l, partner)});
  }
  expect_near(predicted("stacking(related=2)", train, test.x).scores,
              slow_stacking(train, test, true, true, seen));
}

// 2BR with every label is plain stacking; no number of labels is too large.
TEST(Stacking, AllRelatedLabelsAreAllLabels) {
  const Dataset train = data_of(5), test = data_of(6);
  const Matrix all = predicted("stacking", train, test.x).scores;
  EXPECT_EQ(predicted("stacking(related=5)", train, test.x).scores, all);
  EXPECT_EQ(predicted("stacking(related=500,relation=reuse)", train, test.x).scores, all);
}

// Two equal labels and three of noise: the reuse scores find the equal label, and so does phi.
TEST(Stacking, RelationsFindATwin) {
  Dataset train = data_of(7, 200);
  std::vector<std::vector<Id>> sets;
  for (Index i = 0; i < train.rows(); ++i) {
    const bool twin = train.y.cell(i, 0) == Cell::positive;
    std::vector<Id> set = twin ? std::vector<Id>{0, 3} : std::vector<Id>{};
    for (const Id l : {1, 2}) {
      if ((i * (l + 3) + i / 7) % 5 < 2) set.push_back(l);
    }
    std::sort(set.begin(), set.end());
    sets.push_back(std::move(set));
  }
  train.y = Labels(4, sets);
  train.label_names.resize(4);
  const Matrix by_phi = predicted("stacking(related=2)", train, train.x).scores;
  const Matrix by_reuse = predicted("stacking(related=2,relation=reuse)", train, train.x).scores;
  const Matrix together =
      predicted("stacking(related=2,relation=co_occurrence)", train, train.x).scores;
  for (Index i = 0; i < train.rows(); ++i) {
    for (const Id l : {0, 3}) {
      EXPECT_EQ(by_phi(i, l), by_reuse(i, l));
      EXPECT_EQ(by_phi(i, l), together(i, l));
    }
  }
}

}  // namespace
}  // namespace mulberry::learners
