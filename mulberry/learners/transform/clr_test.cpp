#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/model/fitted_learner.hpp"

namespace mulberry::learners {
namespace {

Dataset data_of(std::uint64_t seed, Index labels = 4, Index rows = 80) {
  return generate("linear", {.rows = rows, .features = 4, .labels = labels, .noise = 0.6},
                  Context(1, seed));
}

Prediction predicted(const std::string& text, const Dataset& train, const Dataset& test) {
  const Context ctx(2, 1);
  return fit_learner(CompleteSpec(parse_spec(text)), view_of(train), ctx)
      ->predict({.x = &test.x}, ctx);
}

// The definition: a data set for every duel, trained by binary relevance on one label.
void expect_definition(const Dataset& train, const Dataset& test, bool soft,
                       const std::string& base = "logistic") {
  const auto yes = [&](const Prediction& p, Index i, Index l) {
    return soft ? p.scores(i, l) : decide(p).cell(i, l) == Cell::positive ? 1.0 : 0.0;
  };
  const Index labels = train.labels();
  const Prediction relevance = predicted("br(base=" + base + ")", train, test);
  Matrix votes(test.rows(), labels);
  std::vector<double> against(at(test.rows()), 0.0);
  for (Index i = 0; i < test.rows(); ++i) {
    for (Index l = 0; l < labels; ++l) {
      votes(i, l) = yes(relevance, i, l);
      against[at(i)] += 1 - votes(i, l);
    }
  }
  for (Id k = 0; k < labels; ++k) {
    for (Id l = k + 1; l < labels; ++l) {
      std::vector<Id> rows;
      for (Id i = 0; i < train.rows(); ++i) {
        const Cell a = train.y.cell(i, k), b = train.y.cell(i, l);
        if (a != Cell::missing && b != Cell::missing && a != b) rows.push_back(i);
      }
      Dataset duel = take_rows(train, rows);
      duel.y = take_labels(duel.y, std::vector<Id>{k});
      const Prediction won = predicted("br(base=" + base + ")", duel, test);
      for (Index i = 0; i < test.rows(); ++i) {
        votes(i, k) += yes(won, i, 0);
        votes(i, l) += 1 - yes(won, i, 0);
      }
    }
  }
  const Prediction p = predicted("clr(base=" + base + (soft ? ", votes=soft)" : ")"), train, test);
  ASSERT_TRUE(p.decided.has_value());
  for (Index i = 0; i < test.rows(); ++i) {
    for (Index l = 0; l < labels; ++l) {
      EXPECT_NEAR(p.scores(i, l) * static_cast<double>(labels), votes(i, l), 1e-6);
      EXPECT_EQ(p.decided->cell(i, l) == Cell::positive, votes(i, l) > against[at(i)]);
    }
  }
}

TEST(CalibratedRanking, EqualsItsDefinition) {
  expect_definition(data_of(1), data_of(2), false);
  expect_definition(data_of(3), data_of(4), true);
  expect_definition(data_of(1), data_of(2), false, "linear_svm");
  expect_definition(data_of(1), data_of(2), false, "tree");
}

// More duels than are multiplied at once, more rows than are predicted at once, weights, sparse
// features.
TEST(CalibratedRanking, ManyDuelsEqualTheirDefinition) {
  Dataset train = data_of(11, 34, 120), test = data_of(12, 34, 30);
  for (Index i = 0; i < train.rows(); ++i) {
    train.weights.push_back(0.5 + static_cast<double>(i % 5));
  }
  expect_definition(train, test, false);
  train.x = Features(to_sparse(train.x));
  test.x = Features(to_sparse(test.x));
  expect_definition(train, test, true);
}

TEST(CalibratedRanking, RowsWithAMissingLabelLeaveItsDuels) {
  Dataset train = data_of(5);
  Matrix y(to_dense(train.y));
  for (Index i = 0; i < 30; ++i) y(i, i % 4) = std::numeric_limits<double>::quiet_NaN();
  train.y = labels_from_dense(y);
  expect_definition(train, data_of(6), false);
}

// Every duel gives one vote: the votes of the labels and of the virtual label, which gets the
// labels that binary relevance refuses, are as many as there are duels.
TEST(CalibratedRanking, VotesAddUpToTheDuels) {
  const Dataset train = data_of(7, 6), test = data_of(8, 6);
  const Labels relevant = decide(predicted("br_logistic", train, test));
  const Matrix scores = predicted("clr", train, test).scores;
  for (Index i = 0; i < test.rows(); ++i) {
    const auto row = scores.row(i);
    const double refused = 6 - static_cast<double>(relevant.row(i).size());
    EXPECT_NEAR(6 * std::accumulate(row.begin(), row.end(), 0.0) + refused, 21, 1e-9);
  }
}

// By hand: label 0 always, 1 never, 2 and 3 together or not at all by the sign of the feature.
TEST(CalibratedRanking, ConstantAndEmptyDuels) {
  Dataset data;
  data.x = Matrix(4, 1, std::vector<double>{-2, -1, 1, 2});
  data.y = Labels(4, {{0}, {0}, {0, 2, 3}, {0, 2, 3}});
  data.has_labels = true;
  const Prediction p = predicted("clr", data, data);
  // Row 0: 0 beats 1, 2 and 3 (the duels of 0 have only rows that it wins); 1 loses to 2 and 3,
  // which always win; 2 and 3 share their duel. Binary relevance says yes to 0 alone.
  EXPECT_EQ(p.scores, Matrix(4, 4,
                             std::vector<double>{1, 0, 1.5 / 4, 1.5 / 4,  //
                                                 1, 0, 1.5 / 4, 1.5 / 4,  //
                                                 1, 0, 2.5 / 4, 2.5 / 4,  //
                                                 1, 0, 2.5 / 4, 2.5 / 4}));
  EXPECT_EQ(decide(p), Labels(4, {{0}, {0}, {0, 2, 3}, {0, 2, 3}}));
}

TEST(CalibratedRanking, SoftVotesNeedShares) {
  const Dataset data = data_of(9);
  try {
    check_learner(CompleteSpec(parse_spec("clr(votes=soft, base=linear_svm)")), view_of(data));
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::parameter);
    EXPECT_NE(error.remedy().find("logistic"), std::string::npos);
  }
}

}  // namespace
}  // namespace mulberry::learners
