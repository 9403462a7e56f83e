#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/base/tree/tree_pruning.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/model/base_learner.hpp"

namespace mulberry::base {
namespace {

Spec tree(const std::string& params) { return parse_spec("tree(" + params + ")"); }

struct Rows {
  Matrix x;
  std::vector<Id> y;
};

// Three classes in a grid of two columns, a third column of noise, some labels flipped.
Rows make_rows(Index n, double flipped, std::uint64_t stream = 0) {
  Random random(8, "tree_test", stream);
  Rows out{Matrix(n, 3), {}};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 3; ++j) out.x(i, j) = std::round(20 * random.uniform()) / 20;
    const Id c = out.x(i, 0) < 0.4 ? 0 : (out.x(i, 1) < 0.6 ? 1 : 2);
    out.y.push_back(random.chance(flipped) ? static_cast<Id>(random.below(3)) : c);
  }
  return out;
}

double right_share(MatrixView scores, const std::vector<Id>& y) {
  double right = 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    const auto row = scores.row(i);
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    right += best == y[at(i)] ? 1 : 0;
  }
  return right / static_cast<double>(y.size());
}

double entropy(const std::vector<double>& counts) {
  double all = 0, out = 0;
  for (const double c : counts) all += c;
  for (const double c : counts) out -= c > 0 ? c / all * std::log2(c / all) : 0.0;
  return out;
}

TEST(Tree, FindsTheGrid) {
  const Rows rows = make_rows(500, 0);
  const FittedClassifier model("tree", {rows.x, rows.y, 3}, Context(1));
  EXPECT_EQ(right_share(model.scores(rows.x, Context(1)), rows.y), 1);
  EXPECT_EQ(model.summary().rounds, 5);  // two cuts, three leaves
}

TEST(Tree, PruningHelpsOnNoise) {
  const Rows rows = make_rows(1000, 0.3), test = make_rows(1000, 0, 1);
  const FittedClassifier pruned("tree", {rows.x, rows.y, 3}, Context(1));
  const FittedClassifier grown(tree("prune=false"), {rows.x, rows.y, 3}, Context(1));
  EXPECT_LT(pruned.summary().rounds, grown.summary().rounds / 2);
  EXPECT_GT(right_share(pruned.scores(test.x, Context(1)), test.y),
            right_share(grown.scores(test.x, Context(1)), test.y));
}

// One cut by brute force: the best gain of each column, then the gain ratio among the columns of at
// least average gain.
TEST(Tree, FirstCutAgainstBruteForce) {
  for (std::uint64_t stream = 0; stream < 20; ++stream) {
    const Rows rows = make_rows(40, 0.4, stream);
    const auto split = [&](Index j, double cut) {
      std::vector<std::vector<double>> sides(2, std::vector<double>(3, 0.0));
      for (Index i = 0; i < 40; ++i) {
        sides[rows.x(i, j) <= cut ? 0 : 1][at(rows.y[at(i)])] += 1;
      }
      return sides;
    };
    struct Choice {
      double gain = 0, ratio = 0, cut = 0;
    };
    std::vector<Choice> choices(3);
    for (Index j = 0; j < 3; ++j) {
      for (int k = 0; k < 20; ++k) {  // values are multiples of 0.05; neighbours may be further off
        const double cut = 0.05 * k + 0.025;
        const auto sides = split(j, cut);
        double left = 0, right = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          left += sides[0][c];
          right += sides[1][c];
        }
        if (left < 2 || right < 2) continue;
        std::vector<double> both;
        for (std::size_t c = 0; c < 3; ++c) both.push_back(sides[0][c] + sides[1][c]);
        const double gain =
            entropy(both) - (left * entropy(sides[0]) + right * entropy(sides[1])) / 40;
        auto& best = choices[at(j)];
        if (gain > best.gain + 1e-12) best = {gain, gain / entropy({left, right}), cut};
      }
    }
    const double average = (choices[0].gain + choices[1].gain + choices[2].gain) / 3;
    Index column = -1;
    for (Index j = 0; j < 3; ++j) {
      const Choice& here = choices[at(j)];
      if (here.gain < average) continue;
      if (column < 0 || here.ratio > choices[at(column)].ratio) column = j;
    }
    const auto sides = split(column, choices[at(column)].cut);
    const FittedClassifier stump(tree("max_depth=1,prune=false"), {rows.x, rows.y, 3}, Context(1));
    const Matrix scores = stump.scores(rows.x, Context(1));
    for (Index i = 0; i < 40; ++i) {
      const bool left = rows.x(i, column) <= choices[at(column)].cut;
      const auto& side = sides[left ? 0 : 1];
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(scores(i, static_cast<Index>(c)), side[c] / (side[0] + side[1] + side[2]),
                    1e-12);
      }
    }
  }
}

// Zeros are listed nowhere; a weight that is no whole number goes without the table.
TEST(Tree, SparseOrDenseAndWithoutTheTableTheSameTree) {
  for (const Id classes : {2, 3}) {
    Rows rows = make_rows(300, 0.3, 5);
    for (Index i = 0; i < 300; ++i) {
      for (double& v : rows.x.row(i)) v = v < 0.3 ? v - 0.3 : v < 0.7 ? 0.0 : v;
    }
    for (Id& y : rows.y) y = std::min(y, classes - 1);
    const Features dense(rows.x), sparse(to_sparse(dense));
    const FittedClassifier a(tree("prune=false"), {dense, rows.y, classes}, Context(1));
    const FittedClassifier b(tree("prune=false"), {sparse, rows.y, classes}, Context(2));
    const std::vector<double> quarters(300, 0.25);
    const FittedClassifier c(tree("prune=false,min_leaf=0.5"), {sparse, rows.y, classes, quarters},
                             Context(1));
    EXPECT_GT(a.summary().rounds, 30);
    const Matrix scores = a.scores(dense, Context(1)), others = b.scores(sparse, Context(1)),
                 quartered = c.scores(sparse, Context(1));
    for (Index k = 0; k < scores.size(); ++k) {
      ASSERT_EQ(scores.data()[k], others.data()[k]);
      ASSERT_NEAR(scores.data()[k], quartered.data()[k], 1e-12);
    }
  }
}

TEST(Tree, WeightsActAsCopies) {
  const Rows rows = make_rows(200, 0.2);
  std::vector<double> weights;
  std::vector<Id> copies, y;
  for (Id i = 0; i < 200; ++i) {
    weights.push_back(1 + i % 3);
    copies.insert(copies.end(), at(1 + i % 3), i);
    y.insert(y.end(), at(1 + i % 3), rows.y[at(i)]);
  }
  const FittedClassifier a("tree", {rows.x, rows.y, 3, weights}, Context(1));
  const FittedClassifier b("tree", {take_rows(rows.x, copies), y, 3}, Context(1));
  EXPECT_EQ(a.scores(rows.x, Context(1)), b.scores(rows.x, Context(1)));
}

TEST(Tree, LeavesKeepTheirLeastWeight) {
  Matrix x(5, 1);
  for (Index i = 0; i < 5; ++i) x(i, 0) = static_cast<double>(i);
  const std::vector<Id> y = {1, 0, 0, 0, 0};
  const FittedClassifier model(tree("prune=false"), {x, y, 2}, Context(1));
  const Matrix scores = model.scores(x, Context(1));  // cut at 1.5, then none
  EXPECT_EQ(scores.cols(), 1);
  EXPECT_EQ(scores(0, 0), 0.5);
  EXPECT_EQ(scores(1, 0), 0.5);
  EXPECT_EQ(scores(2, 0), 0);
  const FittedClassifier fine(tree("prune=false,min_leaf=1"), {x, y, 2}, Context(1));
  EXPECT_EQ(fine.scores(x, Context(1))(0, 0), 1);
}

TEST(Tree, ConstantColumnsAndOneRowMakeALeaf) {
  const std::vector<Id> y = {0, 1, 1};
  const FittedClassifier model("tree", {Matrix(3, 2, 1.0), y, 2}, Context(1));
  EXPECT_NEAR(model.scores(Matrix(1, 2), Context(1))(0, 0), 2.0 / 3, 1e-15);
  const std::vector<Id> single = {2};
  const FittedClassifier one("tree", {Matrix(1, 2, 1.0), single, 3}, Context(1));
  EXPECT_EQ(one.scores(Matrix(1, 2), Context(1))(0, 2), 1);
}

// The table of Quinlan's book: U_25%(0, 6) = 0.206, U_25%(0, 9) = 0.143, U_25%(0, 1) = 0.75,
// U_25%(1, 16) = 0.157.
TEST(Tree, PessimisticErrorsAsPublished) {
  EXPECT_NEAR(pessimistic_errors(6, 0, 0.25) / 6, 0.206, 5e-4);
  EXPECT_NEAR(pessimistic_errors(9, 0, 0.25) / 9, 0.143, 5e-4);
  EXPECT_NEAR(pessimistic_errors(1, 0, 0.25), 0.75, 1e-12);
  EXPECT_NEAR(pessimistic_errors(16, 1, 0.25) / 16, 0.157, 2e-2);
  EXPECT_GT(pessimistic_errors(16, 1, 0.05), pessimistic_errors(16, 1, 0.25));
  EXPECT_LE(pessimistic_errors(3, 2.9, 0.25), 3);
}

TEST(Tree, SameBitsOnAnyNumberOfThreads) {
  const Rows rows = make_rows(2000, 0.3);
  const auto scores = [&](int threads) {
    return FittedClassifier("tree", {rows.x, rows.y, 3}, Context(threads))
        .scores(rows.x, Context(threads));
  };
  EXPECT_EQ(scores(1), scores(2));
  EXPECT_EQ(scores(1), scores(8));
}

}  // namespace
}  // namespace mulberry::base
