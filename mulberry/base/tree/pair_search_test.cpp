#include "mulberry/base/tree/pair_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace mulberry::base {
namespace {

struct Data {
  Matrix x;
  std::vector<Id> y;
  std::vector<double> weights;
};

// The last column is mostly 0, so that it is kept sparse; class 1 is rare.
Data make_data(Index n, bool whole, std::uint64_t stream) {
  Random random(3, "pair_search_test", stream);
  Data out{Matrix(n, 4), {}, {}};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 3; ++j) out.x(i, j) = random.normal();
    out.x(i, 3) = random.chance(0.15) ? random.normal() : 0.0;
    const double drive = out.x(i, 0) + 2 * out.x(i, 3) + random.normal();
    out.y.push_back(drive > 1 ? 1 : 0);
    out.weights.push_back(whole ? static_cast<double>(random.below(4)) : random.uniform());
  }
  return out;
}

double entropy(double yes, double all) {
  double out = 0;
  for (const double part : {yes, all - yes}) {
    if (part > 1e-12) out -= part / all * std::log2(part / all);
  }
  return out;
}

struct Choice {
  double gain = 0, ratio = 0, cut = 0;
};

double weight_of(const Data& data, std::span<const Id> rows, bool only_yes) {
  double out = 0;
  for (const Id i : rows) out += only_yes && data.y[at(i)] == 0 ? 0 : data.weights[at(i)];
  return out;
}

// Every cut of one column, without leaving any out.
Choice best_of_column(const Data& data, const BinnedFeatures& bins, Id j, std::span<const Id> rows,
                      double min_leaf) {
  const double all = weight_of(data, rows, false), yes = weight_of(data, rows, true);
  Choice best;
  for (const double cut : bins[j].cuts) {
    std::vector<Id> left;
    for (const Id i : rows) {
      if (data.x(i, j) <= cut) left.push_back(i);
    }
    const double here = weight_of(data, left, false), here_yes = weight_of(data, left, true);
    if (here < min_leaf || all - here < min_leaf) continue;
    const double gain =
        entropy(yes, all) -
        (here * entropy(here_yes, here) + (all - here) * entropy(yes - here_yes, all - here)) / all;
    if (gain > best.gain + 1e-11) best = {gain, gain / entropy(here, all), cut};
  }
  return best;
}

void expect_best(const Data& data, const BinnedFeatures& bins, const GrownTree& tree,
                 const GrownNode& node, double min_leaf) {
  const auto rows = tree.rows_of(node);
  std::vector<Choice> choices;
  double sum = 0, useful = 0;
  for (Id j = 0; j < data.x.cols(); ++j) {
    choices.push_back(best_of_column(data, bins, j, rows, min_leaf));
    if (choices.back().gain <= 1e-9) continue;
    sum += choices.back().gain;
    ++useful;
  }
  Id column = -1;
  for (Id j = 0; j < data.x.cols(); ++j) {
    const Choice& here = choices[at(j)];
    if (here.gain <= 1e-9 || here.gain < sum / useful - 1e-9) continue;
    if (column < 0 || here.ratio > choices[at(column)].ratio * (1 + 1e-9)) column = j;
  }
  ASSERT_EQ(node.split.column, node.left < 0 ? -1 : column);
  if (column < 0) return;
  ASSERT_GE(node.left, 0);
  EXPECT_NEAR(node.split.gain, choices[at(column)].gain, 1e-10);
  for (const Id i : tree.rows_of(tree.nodes[at(node.left)])) {
    if (data.weights[at(i)] == 0) continue;
    EXPECT_LE(data.x(i, column),
              std::max(choices[at(column)].cut, bins[column].cuts[at(node.split.bin)]));
  }
}

// Exhaustive search of the same bins gives the same tree.
TEST(PairSearch, EveryNodeAgainstExhaustiveSearch) {
  const Context ctx;
  for (const bool whole : {true, false}) {
    for (std::uint64_t stream = 0; stream < 6; ++stream) {
      const Data data = make_data(250, whole, stream);
      const double min_leaf = whole ? 2 : 0.7;
      for (const bool sparse : {false, true}) {
        const Features dense(data.x);
        const BinnedFeatures bins(sparse ? Features(to_sparse(dense)) : dense, 40, data.weights,
                                  ctx);
        const PairRows y(data.y, data.weights);
        ASSERT_EQ(y.table.empty(), !whole);
        PairSearch search(bins, y, min_leaf, ctx);
        std::vector<Id> rows(data.y.size());
        std::iota(rows.begin(), rows.end(), 0);
        const GrownTree tree = grow_tree(bins, rows, GrowthLimits{}, search, ctx);
        EXPECT_GT(tree.nodes.size(), 20u);
        for (const GrownNode& node : tree.nodes) expect_best(data, bins, tree, node, min_leaf);
      }
    }
  }
}

// Inside a run of one class the best cut may be the one that `min_leaf` still allows.
TEST(PairSearch, TheLeastWeightOfALeafMayEndARun) {
  const Context ctx;
  Matrix x(8, 1);
  std::vector<Id> y(8, 0);
  for (Index i = 0; i < 8; ++i) x(i, 0) = static_cast<double>(i);
  y[0] = 1;
  const BinnedFeatures bins(x, 255, {}, ctx);
  const PairRows rows(y, {});
  PairSearch search(bins, rows, 3, ctx);
  const GrownTree tree =
      grow_tree(bins, {0, 1, 2, 3, 4, 5, 6, 7}, GrowthLimits{.max_depth = 1}, search, ctx);
  ASSERT_EQ(tree.nodes.size(), 3u);
  EXPECT_EQ(tree.nodes[1].rows(), 3);
}

}  // namespace
}  // namespace mulberry::base
