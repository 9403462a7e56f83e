#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/learners/meta/bag.hpp"
#include "tests/support/trained.hpp"

namespace mulberry::learners {
using namespace tests;
namespace {

Dataset data_of(std::uint64_t seed, Index rows = 60) {
  return generate("linear", {.rows = rows, .features = 4, .labels = 4, .noise = 0.6},
                  Context(1, seed));
}

TEST(BagRows, ABootstrapDrawsAsManyWithReplacement) {
  const Context ctx(1, 3);
  const std::vector<Id> rows = bag_rows(BagSample::bootstrap, RowDraws(1000, {}), 0, ctx);
  EXPECT_EQ(rows.size(), 1000u);
  // 1 - 1/e of the rows are drawn, 632 with a deviation of 9.6.
  EXPECT_NEAR(static_cast<double>(std::set(rows.begin(), rows.end()).size()), 632, 40);
  EXPECT_NE(rows, bag_rows(BagSample::bootstrap, RowDraws(1000, {}), 1, ctx));
  EXPECT_NE(rows, bag_rows(BagSample::bootstrap, RowDraws(1000, {}), 0, Context(1, 4)));
}

TEST(BagRows, ASubsetDrawsTwoThirdsWithout) {
  const std::vector<Id> rows = bag_rows(BagSample::subset, RowDraws(100, {}), 0, Context());
  EXPECT_EQ(rows.size(), 67u);
  EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), 67u);
  EXPECT_EQ(bag_rows(BagSample::subset, RowDraws(1, {}), 0, Context()), std::vector<Id>{0});
}

TEST(BagRows, RowsOfWeightZeroAreNotThere) {
  const std::vector<double> weights = {0, 1, 0, 2};
  EXPECT_EQ(bag_rows(BagSample::all, RowDraws(4, weights), 0, Context()), (std::vector<Id>{1, 3}));
  for (const Id i : bag_rows(BagSample::bootstrap, RowDraws(4, weights), 0, Context())) {
    EXPECT_TRUE(i == 1 || i == 3);
  }
}

// Its members are drawn by weight, and what they draw weighs the same.
TEST(Ebr, ABootstrapOfWeightedRowsIsTrainedOnWhatItDrew) {
  Dataset train = data_of(11);
  for (Index i = 0; i < train.rows(); ++i) train.weights.push_back(i % 4 == 0 ? 3.0 : 0.5);
  const Dataset test = data_of(12);
  const Context ctx(1, 8);
  const RowDraws draws(train.rows(), train.weights);
  EXPECT_DOUBLE_EQ(draws.weight(), 1.125);
  const std::vector<Id> rows = bag_rows(BagSample::bootstrap, draws, 0, ctx);
  const auto heavy = std::ranges::count_if(rows, [](Id i) { return i % 4 == 0; });
  EXPECT_NEAR(static_cast<double>(heavy), 40, 15);  // 45 of 67.5, of 60 draws
  Dataset part = take_rows(train, rows);
  part.weights.assign(rows.size(), draws.weight());
  EXPECT_EQ(predicted("ebr(members=1, answer=scores)", train, test, 8).scores,
            predicted("br_logistic", part, test).scores);
}

TEST(Ebr, OneMemberOnAllRowsIsBinaryRelevance) {
  const Dataset train = data_of(1), test = data_of(2);
  const Prediction br = predicted("br_logistic", train, test);
  EXPECT_EQ(predicted("ebr(members=1, sample=all, answer=scores)", train, test).scores, br.scores);
  const Prediction votes = predicted("ebr(members=1, sample=all, answer=votes)", train, test);
  EXPECT_EQ(votes.scale, Scale::votes);
  EXPECT_EQ(decide(votes), decide(br));
}

TEST(Ebr, CountsTheVotesOfItsMembers) {
  const Dataset train = data_of(3), test = data_of(4);
  const Context ctx(1, 8);
  Matrix votes(test.rows(), 4), mean(test.rows(), 4);
  for (Index m = 0; m < 3; ++m) {
    const Dataset part =
        take_rows(train, bag_rows(BagSample::bootstrap, RowDraws(train.rows(), {}), m, ctx));
    const Prediction p = predicted("br_logistic", part, test);
    const Labels yes = decide(p);
    for (Index i = 0; i < test.rows(); ++i) {
      for (Index l = 0; l < 4; ++l) {
        votes(i, l) += yes.cell(i, l) == Cell::positive ? 1 : 0;
        mean(i, l) += p.scores(i, l);
      }
    }
  }
  const Matrix counted = predicted("ebr(members=3, answer=votes)", train, test, 8).scores;
  const Matrix averaged = predicted("ebr(members=3, answer=scores)", train, test, 8).scores;
  for (Index i = 0; i < test.rows(); ++i) {
    for (Index l = 0; l < 4; ++l) {
      EXPECT_DOUBLE_EQ(counted(i, l), votes(i, l) / 3);
      EXPECT_DOUBLE_EQ(averaged(i, l), mean(i, l) / 3);
    }
  }
  // By default means rank and votes decide.
  const Prediction both = predicted("ebr(members=3)", train, test, 8);
  EXPECT_EQ(decide(both), decide({.scores = counted, .scale = Scale::votes}));
  // A mean on the other side of the cut than the votes is held at the cut.
  EXPECT_EQ(decide({.scores = both.scores, .scale = both.scale}), decide(both));
  Index held = 0;
  for (Index i = 0; i < test.rows(); ++i) {
    for (Index l = 0; l < 4; ++l) {
      const bool agrees = (averaged(i, l) >= 0.5) == (counted(i, l) >= 0.5);
      EXPECT_NEAR(both.scores(i, l), agrees ? averaged(i, l) : 0.5, 1e-15);
      held += agrees ? 0 : 1;
    }
  }
  EXPECT_GT(held, 0);
  EXPECT_LT(held, test.rows() / 4);
}

// One member on all rows is a chain in some order: one of the 24.
TEST(Ecc, OneMemberOnAllRowsIsAChain) {
  const Dataset train = data_of(5), test = data_of(6);
  const Matrix found = predicted("ecc(chains=1, sample=all, answer=scores)", train, test).scores;
  std::vector<Id> order = {0, 1, 2, 3};
  int equal = 0;
  do {
    const Dataset moved = [&] {
      Dataset out = train;
      out.y = take_labels(train.y, order);
      return out;
    }();
    const Matrix chain = predicted("cc", moved, test).scores;
    bool same = true;
    for (Index i = 0; i < test.rows(); ++i) {
      for (Index j = 0; j < 4; ++j) {
        same = same && chain(i, j) == found(i, order[at(j)]);
      }
    }
    equal += same ? 1 : 0;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(equal, 1);
}

// Rows that were drawn twice weigh as much as two: with the optimum of the rows themselves.
TEST(Ecc, RepeatedRowsAreWeights) {
  Dataset train = data_of(13);
  const Dataset test = data_of(14);
  const Context ctx(1, 8);
  for (const bool weighted : {false, true}) {
    for (Index i = 0; weighted && i < train.rows(); ++i) {
      train.weights.push_back(i % 3 == 0 ? 2.0 : 0.5);
    }
    for (const char* base : {"logistic(tolerance=1e-10)", "linear_svm(tolerance=1e-10)"}) {
      Spec chain("cc");
      chain.set("base", parse_spec(base));
      const BagParams params{.sample = BagSample::bootstrap, .answer = BagAnswer::scores};
      const auto scores = [&](Repeats repeats) {
        const Bag bag(CompleteSpec(chain), 3, view_of(train), params, ctx, repeats);
        return bag.predict({.x = &test.x}, ctx).scores;
      };
      const Matrix rows = scores(Repeats::rows), weights = scores(Repeats::weights);
      for (Index i = 0; i < rows.rows(); ++i) {
        for (Index l = 0; l < rows.cols(); ++l) {
          // A margin next to 0 may feed another decision: none does here.
          EXPECT_NEAR(rows(i, l), weights(i, l), 1e-4) << base;
        }
      }
      EXPECT_NE(rows, weights);  // sums of other terms
    }
  }
}

TEST(Ecc, MembersHaveOrdersOfTheirOwn) {
  const Dataset train = data_of(7), test = data_of(8);
  // With the same order all members on all rows would agree, and every share be 0 or 1.
  const Matrix votes = predicted("ecc(sample=all, chains=20, answer=votes)", train, test).scores;
  EXPECT_TRUE(std::any_of(votes.values().begin(), votes.values().end(),
                          [](double v) { return v > 0 && v < 1; }));
}

}  // namespace
}  // namespace mulberry::learners
