#include "mulberry/math/trees/decision_stump.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "mulberry/core/random.hpp"

namespace mulberry::math {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_infinity = std::numeric_limits<double>::infinity();

double reference_value(double yes, double no, StumpCriterion criterion) {
  if (criterion == StumpCriterion::error) return std::min(yes, no);
  const double all = yes + no;
  double out = 0;
  if (yes > 0) out -= yes * std::log2(yes / all);
  if (no > 0) out -= no * std::log2(no / all);
  return out;
}

// Every midpoint of every column, one after the other.
Split brute_force(MatrixView x, std::span<const double> weights, StumpCriterion criterion) {
  Split best;
  best.criterion = k_infinity;
  for (Index j = 0; j < x.cols(); ++j) {
    std::set<double> values;
    for (Index i = 0; i < x.rows(); ++i) {
      if (!std::isnan(x(i, j))) values.insert(x(i, j));
    }
    for (auto low = values.begin(); low != values.end() && std::next(low) != values.end(); ++low) {
      const double cut = *low + (*std::next(low) - *low) / 2;
      Branch left, right, missing;
      for (Index i = 0; i < x.rows(); ++i) {
        const double v = x(i, j), w = weights[at(i)];
        Branch& branch = std::isnan(v) ? missing : v <= cut ? left : right;
        (w > 0 ? branch.yes : branch.no) += std::abs(w);
      }
      const double value = reference_value(left.yes, left.no, criterion) +
                           reference_value(right.yes, right.no, criterion) +
                           reference_value(missing.yes, missing.no, criterion);
      if (value < best.criterion - 1e-12) {
        best = {static_cast<Id>(j), cut, left, right, missing, {}, value};
      }
    }
  }
  return best;
}

struct Example {
  Matrix x;
  Matrix weights;  // signed, labels x rows
};

// Columns of few and many values, zeros, negative values and gaps.
Example random_example(Random& random, Index labels) {
  const Index n = 1 + random.below(40), d = 1 + random.below(6);
  Example out{Matrix(n, d), Matrix(labels, n)};
  for (Index j = 0; j < d; ++j) {
    const bool whole = random.chance(0.5);
    const double zeros = random.uniform(), gaps = random.chance(0.3) ? 0.2 : 0.0;
    for (Index i = 0; i < n; ++i) {
      out.x(i, j) = random.chance(gaps)    ? k_nan
                    : random.chance(zeros) ? 0.0
                    : whole                ? static_cast<double>(random.below(7)) - 3
                                           : random.normal();
    }
  }
  for (Index l = 0; l < labels; ++l) {
    double total = 0;
    for (Index i = 0; i < n; ++i) {
      const double w = random.chance(0.1) ? 0.0 : random.uniform();
      out.weights(l, i) = random.chance(0.4) ? w : -w;
      total += w;
    }
    for (Index i = 0; total > 0 && i < n; ++i) out.weights(l, i) /= total;
  }
  return out;
}

TEST(Stump, EqualsTheBestOfAllCuts) {
  Random random(1, "stump.test");
  int with_a_split = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Index labels = 1 + random.below(9);
    const Example example = random_example(random, labels);
    const StumpColumns dense(example.x, 0, Context(1));
    const StumpColumns sparse(to_sparse(example.x), 0, Context(1));
    for (const StumpCriterion criterion : {StumpCriterion::entropy, StumpCriterion::error}) {
      const auto found = best_splits(dense, example.weights, criterion, Context(2));
      const auto same = best_splits(sparse, example.weights, criterion, Context(1));
      for (Index l = 0; l < labels; ++l) {
        const auto k = at(l);
        const Split expected = brute_force(example.x, example.weights.row(l), criterion);
        ASSERT_EQ(found[k].column, expected.column) << trial;
        ASSERT_EQ(same[k].column, found[k].column);
        ASSERT_EQ(same[k].cut, found[k].cut);
        if (expected.column < 0) continue;
        ++with_a_split;
        EXPECT_DOUBLE_EQ(found[k].cut, expected.cut);
        EXPECT_NEAR(found[k].criterion, expected.criterion, 1e-12);
        EXPECT_NEAR(found[k].left.yes, expected.left.yes, 1e-12);
        EXPECT_NEAR(found[k].right.no, expected.right.no, 1e-12);
        EXPECT_NEAR(found[k].missing.yes, expected.missing.yes, 1e-12);
      }
    }
  }
  EXPECT_GT(with_a_split, 1000);
}

TEST(Stump, TrainingAnswersAreThoseOfTheValues) {
  Random random(2, "stump.test");
  for (int trial = 0; trial < 200; ++trial) {
    const Example example = random_example(random, 3);
    const Index groups = random.chance(0.5) ? 0 : 3;
    const StumpColumns columns(example.x, groups, Context(1));
    for (const Split& split :
         best_splits(columns, example.weights, StumpCriterion::entropy, Context(1))) {
      const Stump stump(split);
      std::vector<double> answers(at(example.x.rows()));
      training_answers(columns, stump, answers);
      for (Index i = 0; i < example.x.rows(); ++i) {
        const double v = stump.column < 0 ? 0.0 : example.x(i, stump.column);
        ASSERT_EQ(answers[at(i)], stump.answer(v));
      }
    }
  }
}

TEST(Stump, BinsJoinNeighboursAndKeepTheRest) {
  Random random(3, "stump.test");
  Matrix x(1000, 2);
  for (Index i = 0; i < 1000; ++i) {
    x(i, 0) = random.normal();
    x(i, 1) = static_cast<double>(random.below(9)) - 4;
  }
  const StumpColumns columns(x, 20, Context(1));
  EXPECT_EQ(columns[0].groups(), 20);
  EXPECT_EQ(columns[1].groups(), 9);  // exact where there are fewer values
  Id start = 0;
  for (const Id end : columns[0].group_end) {
    EXPECT_EQ(end - start, 50);
    start = end;
  }
  // A joined zero still counts.
  const StumpColumns few(x, 3, Context(1));
  ASSERT_EQ(few[1].groups(), 3);
  Matrix weights(1, 1000);
  for (Index i = 0; i < 1000; ++i) weights(0, i) = (x(i, 1) <= few[1].cuts[0] ? 1 : -1) / 1000.0;
  const Split split = best_splits(few, weights, StumpCriterion::entropy, Context(1))[0];
  EXPECT_EQ(split.column, 1);
  EXPECT_EQ(split.cut, few[1].cuts[0]);
  EXPECT_NEAR(split.criterion, 0, 1e-9);
}

// Four rows by hand: the error criterion takes the cut that errs least, entropy the purer branch.
TEST(Stump, BranchesAnswerWithTheHeavierClass) {
  const Matrix x(4, 1, std::vector<double>{1, 2, 3, k_nan});
  const Matrix weights(1, 4, std::vector<double>{-0.4, 0.1, 0.2, 0.3});
  const StumpColumns columns(x, 0, Context(1));
  const Stump stump(best_splits(columns, weights, StumpCriterion::entropy, Context(1))[0]);
  EXPECT_EQ(stump.cut, 1.5);
  EXPECT_EQ(stump.answer(0), -1);
  EXPECT_EQ(stump.answer(9), 1);
  EXPECT_EQ(stump.answer(k_nan), 1);
  // Nothing is missing in training: the branch answers like all rows together, `no` on a tie.
  const Matrix whole(2, 1, std::vector<double>{1, 2});
  const Matrix even(1, 2, std::vector<double>{0.5, -0.5});
  const Stump tied(best_splits(StumpColumns(whole, 0, Context(1)), even, StumpCriterion::entropy,
                               Context(1))[0]);
  EXPECT_EQ(tied.answer(1), 1);
  EXPECT_EQ(tied.answer(k_nan), -1);
}

TEST(Stump, WithoutAnyCutAnswersTheMajority) {
  const Matrix x(3, 2, 5.0);
  const Matrix weights(2, 3, std::vector<double>{0.2, 0.3, -0.5, -0.2, -0.3, 0.5});
  const auto splits =
      best_splits(StumpColumns(x, 0, Context(1)), weights, StumpCriterion::entropy, Context(1));
  EXPECT_EQ(splits[0].column, -1);
  EXPECT_EQ(Stump(splits[0]).answer(0), -1);  // a tie
  EXPECT_NEAR(splits[1].criterion, 1, 1e-12);
  const Matrix yes(1, 3, std::vector<double>{0.2, 0.4, -0.4});
  EXPECT_EQ(
      Stump(best_splits(StumpColumns(x, 0, Context(1)), yes, StumpCriterion::error, Context(1))[0])
          .answer(k_nan),
      1);
}

TEST(StumpColumns, LeavesOutWhatRepeatsAnEarlierColumn) {
  // The second groups the rows as the first, the third is constant, the fourth has other rows, the
  // fifth other groups, the sixth a missing value.
  const Matrix x(4, 6, std::vector<double>{0, 0, 1, 2, 0, 0,  //
                                           1, 5, 1, 0, 1, 1,  //
                                           0, 0, 1, 0, 0, 0,  //
                                           2, 7, 1, 0, 1, k_nan});
  const StumpColumns columns(Features(x), 0, Context(1));
  EXPECT_EQ(std::vector<Id>(columns.distinct().begin(), columns.distinct().end()),
            (std::vector<Id>{0, 3, 4, 5}));
}

}  // namespace
}  // namespace mulberry::math
