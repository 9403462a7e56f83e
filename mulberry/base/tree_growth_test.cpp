// An exhaustive search of the same bins finds the same trees, on data of every kind: dense, sparse,
// missing values, weights; and on data whose truth is a tree.
#include "mulberry/math/trees/tree_growth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mulberry/base/boost/bin_walk.hpp"
#include "mulberry/base/boost/gradient_search.hpp"
#include "mulberry/base/forest/forked_growth.hpp"
#include "mulberry/base/forest/label_search.hpp"
#include "mulberry/math/trees/tree_list.hpp"

namespace mulberry::base {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// Columns that are dense, mostly 0 with both signs, mostly 0, of few values, constant, and with
// missing values.
Matrix mixed_features(Index rows, std::uint64_t seed) {
  Random draws(seed, "features");
  Matrix out(rows, 7);
  for (Index i = 0; i < rows; ++i) {
    out(i, 0) = draws.normal();
    out(i, 1) = draws.chance(0.15) ? draws.normal() : 0.0;
    out(i, 2) = draws.chance(0.1) ? draws.uniform(1, 2) : 0.0;
    out(i, 3) = static_cast<double>(draws.below(4));
    out(i, 4) = 3.5;
    out(i, 5) = draws.chance(0.3) ? k_nan : draws.normal();
    out(i, 6) = draws.chance(0.1) ? k_nan : draws.chance(0.1) ? -1.0 : 0.0;
  }
  return out;
}

Labels random_labels(const Matrix& x, Index labels, std::uint64_t seed) {
  Random draws(seed, "labels");
  std::vector<std::vector<Id>> out(at(x.rows()));
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index l = 0; l < labels; ++l) {
      const double v = x(i, l % 7);
      const double p = std::isnan(v) ? 0.7 : v > 0.3 ? 0.8 : 0.15;
      if (draws.chance(p)) out[at(i)].push_back(static_cast<Id>(l));
    }
  }
  return {labels, out};
}

std::vector<double> random_weights(Index rows, bool integers, std::uint64_t seed) {
  Random draws(seed, "weights");
  std::vector<double> out;
  for (Index i = 0; i < rows; ++i) {
    out.push_back(integers ? static_cast<double>(1 + draws.below(3)) : draws.uniform(0.5, 2));
  }
  return out;
}

// Searches keep a reference to it.
const Context& one_thread() {
  static const Context out;
  return out;
}

std::vector<Id> all_rows(Index n) {
  std::vector<Id> out(at(n));
  for (Index i = 0; i < n; ++i) out[at(i)] = static_cast<Id>(i);
  return out;
}

// The bin of a value, found by counting.
Id slow_bin(const BinnedColumn& column, double v) {
  if (std::isnan(v)) return column.bins();
  Id out = 0;
  for (const double cut : column.cuts) out += cut < v ? 1 : 0;
  return out;
}

bool goes_left(const BinnedColumn& column, const TreeSplit& split, double v) {
  return std::isnan(v) ? split.missing_left : slow_bin(column, v) <= split.bin;
}

using ScoreOfRows = std::function<double(const std::vector<Id>&)>;
using WeightOfRows = std::function<double(const std::vector<Id>&)>;

// Tries every column, bin and side of missing values.
TreeSplit slow_best(const BinnedFeatures& bins, const Matrix& x, const std::vector<Id>& rows,
                    const ScoreOfRows& score, const WeightOfRows& weight, double min_leaf,
                    double least) {
  TreeSplit best{.gain = least};
  const double whole = score(rows);
  for (Index j = 0; j < x.cols(); ++j) {
    for (const bool missing_left : {false, true}) {
      for (Id b = 0; b < bins[j].bins(); ++b) {
        const TreeSplit split{.column = static_cast<Id>(j), .bin = b, .missing_left = missing_left};
        std::vector<Id> left, right;
        for (const Id i : rows) (goes_left(bins[j], split, x(i, j)) ? left : right).push_back(i);
        if (left.empty() || right.empty()) continue;
        if (weight(left) < min_leaf || weight(right) < min_leaf) continue;
        const double gain = score(left) + score(right) - whole;
        if (gain > best.gain + 1e-9 * (whole + std::abs(best.gain))) {
          best = split;
          best.gain = gain;
        }
      }
    }
  }
  return best;
}

// The same rows on either side: cuts may differ within a gap of the node's bins.
void expect_same_parts(const GrownTree& tree, const BinnedFeatures& bins, const Matrix& x,
                       const ScoreOfRows& score, const WeightOfRows& weight, double min_leaf,
                       double least, double factor, Index depth) {
  Index splits = 0;
  for (const GrownNode& node : tree.nodes) {
    const auto span = tree.rows_of(node);
    const std::vector<Id> rows(span.begin(), span.end());
    const TreeSplit slow = slow_best(bins, x, rows, score, weight, min_leaf, least);
    if (node.left < 0) {
      if (node.depth < depth) {
        EXPECT_EQ(slow.column, -1) << rows.size() << " rows";
      }
      continue;
    }
    ++splits;
    EXPECT_NEAR(node.split.gain, factor * slow.gain, 1e-6 * std::abs(slow.gain) + 1e-9);
    EXPECT_EQ(node.split.column, slow.column);
    const auto& column = bins[node.split.column];
    for (const Id i : rows) {
      const double v = x(i, node.split.column);
      EXPECT_EQ(goes_left(column, node.split, v), goes_left(column, slow, v));
    }
  }
  EXPECT_GE(splits, 3);
}

// One cell in five is missing.
Labels without_cells(const Labels& y) {
  Matrix cells = to_dense(y);
  for (Index k = 0; k < cells.size(); k += 5) cells.data()[k] = k_nan;
  return labels_from_dense(cells);
}

TEST(TreeGrowth, LabelsAsExhaustiveSearch) {
  for (const auto& [weighted_labels, missing] :
       {std::pair(false, false), {true, false}, {true, true}}) {
    const Matrix x = mixed_features(150, 1);
    Labels y = random_labels(x, 9, 2);
    if (missing) y = without_cells(y);
    const std::vector<double> weights = random_weights(150, !weighted_labels, 3);
    for (const Index most : {255, 12}) {
      const BinnedFeatures bins(Features(x), most, {}, Context());
      LabelRows labels(y);
      if (weighted_labels) labels.weight = random_weights(9, false, 4);
      LabelSearch search(bins, labels, weights, bins.usable(), {.min_leaf = 4}, 0, one_thread());
      const GrownTree tree = grow_tree(bins, all_rows(150), {.max_depth = 6}, search, Context());
      const auto weight = [&](const std::vector<Id>& rows) {
        double out = 0;
        for (const Id i : rows) out += weights[at(i)];
        return out;
      };
      const auto score = [&](const std::vector<Id>& rows) {
        double out = 0;
        for (Index l = 0; l < 9; ++l) {
          double sum = 0, observed = 0;
          for (const Id i : rows) {
            const Cell cell = y.cell(i, l);
            observed += cell == Cell::missing ? 0 : weights[at(i)];
            sum += cell == Cell::positive ? weights[at(i)] : 0;
          }
          if (observed == 0) continue;
          out += (weighted_labels ? labels.weight[at(l)] : 1.0) * sum * sum / observed;
        }
        return out;
      };
      expect_same_parts(tree, bins, x, score, weight, 4, -1, 1, 6);
    }
  }
}

struct Outputs {
  Index count;
  bool shared;
  double l1;
};

GradientRows random_gradients(const Matrix& x, const Outputs& outputs) {
  GradientRows out(x.rows(), {.outputs = outputs.count, .shared = outputs.shared});
  Random draws(5, "gradients");
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index k = 0; k < outputs.count; ++k) {
      const double v = x(i, k % 7);
      const double g = draws.normal() + (std::isnan(v) ? 1.0 : v > 0.2 ? -1.0 : 0.5);
      out.set(i, k, g, draws.uniform(0.05, 0.25));
    }
    out.set_weight(i, 1);
  }
  return out;
}

TEST(TreeGrowth, GradientsAsExhaustiveSearch) {
  for (const Outputs& outputs : {Outputs{1, false, 0},
                                 {5, false, 0},
                                 {6, true, 0},
                                 {3, false, 2},
                                 {1, false, 2},
                                 {4, true, 2}}) {
    const Index n = 1600;  // so that some nodes have a histogram
    const Matrix x = mixed_features(n, 6);
    const GradientRows rows_of = random_gradients(x, outputs);
    const GradientLayout layout = rows_of.layout();
    const BinnedFeatures bins(Features(x), 20, {}, Context());
    HistogramPool pool;
    const LeafPenalty penalty{.l1 = outputs.l1, .l2 = 1.5};
    GradientSearch search(bins, rows_of, bins.usable(), {.min_leaf = 5, .penalty = penalty}, pool,
                          0, one_thread());
    const GrownTree tree = grow_tree(bins, all_rows(n), {.max_depth = 3}, search, Context());
    const auto weight = [](const std::vector<Id>& rows) {
      return static_cast<double>(rows.size());
    };
    const auto score = [&](const std::vector<Id>& rows) {
      double out = 0;
      for (Index k = 0; k < outputs.count; ++k) {
        double g = 0, h = 0;
        for (const Id i : rows) {
          g += static_cast<double>(rows_of.row(i)[layout.g(k)]);
          h += static_cast<double>(rows_of.row(i)[layout.h(k)]);
        }
        out += std::pow(penalty.soft(g), 2) / (h + penalty.l2);
      }
      return out;
    };
    expect_same_parts(tree, bins, x, score, weight, 5, 0, 0.5, 3);
  }
}

// A node looks at the outputs whose gradients are largest among its own rows.
TEST(TreeGrowth, StrongestOutputsAsExhaustiveSearch) {
  const Index n = 1600, outputs = 9, strongest = 3;
  const Matrix x = mixed_features(n, 21);
  const BinnedFeatures bins(Features(x), 20, {}, Context());
  const LeafPenalty penalty{.l1 = 0.5, .l2 = 1.5};
  for (const bool shared : {false, true}) {
    GradientRows gradients(n, {.outputs = outputs, .shared = shared});
    const GradientLayout layout = gradients.layout();
    Random draws(22, "gradients");
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < outputs; ++k) {
        const double v = x(i, k % 7);
        // Which outputs are strong depends on the first column.
        const double size = (x(i, 0) > 0) == (k % 2 == 0) ? 1.0 : 0.2;
        const double g = size * (draws.normal() + (std::isnan(v) ? 1.0 : v > 0.2 ? -1.0 : 0.5));
        gradients.set(i, k, g, draws.uniform(0.05, 0.25));
      }
      gradients.set_weight(i, 1);
    }
    const auto sums = [&](const std::vector<Id>& rows, Index k) {
      double g = 0, h = 0, size = 0;
      for (const Id i : rows) {
        const double one = static_cast<double>(gradients.row(i)[layout.g(k)]);
        g += one;
        size += std::abs(one);
        h += static_cast<double>(gradients.row(i)[layout.h(k)]);
      }
      return std::array{g, h, size / std::sqrt(h + penalty.l2)};
    };
    HistogramPool pool;
    GradientSearch search(bins, gradients, bins.usable(),
                          {.strongest = strongest, .min_leaf = 5, .penalty = penalty}, pool, 0,
                          one_thread());
    const GrownTree tree = grow_tree(bins, all_rows(n), {.max_depth = 3}, search, Context());
    std::vector<std::vector<Index>> looked_at;
    for (const GrownNode& node : tree.nodes) {
      const auto span = tree.rows_of(node);
      const std::vector<Id> rows(span.begin(), span.end());
      std::vector<std::pair<double, Index>> order;
      for (Index k = 0; k < outputs; ++k) order.emplace_back(-sums(rows, k)[2], k);
      std::ranges::sort(order);
      std::vector<Index> chosen;
      for (Index k = 0; k < strongest; ++k) chosen.push_back(order[at(k)].second);
      const auto score = [&](const std::vector<Id>& part) {
        double out = 0;
        for (const Index k : chosen) {
          const auto [g, h, size] = sums(part, k);
          out += std::pow(penalty.soft(g), 2) / (h + penalty.l2);
        }
        return out;
      };
      const auto weight = [](const std::vector<Id>& part) {
        return static_cast<double>(part.size());
      };
      if (node.left < 0) continue;
      const TreeSplit slow = slow_best(bins, x, rows, score, weight, 5, 0);
      ASSERT_EQ(node.split.column, slow.column);
      EXPECT_EQ(node.split.bin, slow.bin);
      EXPECT_NEAR(node.split.gain, 0.5 * slow.gain, 1e-6 * slow.gain);
      std::ranges::sort(chosen);
      if (std::ranges::find(looked_at, chosen) == looked_at.end()) looked_at.push_back(chosen);
    }
    EXPECT_GE(looked_at.size(), 3u) << "nodes choose for themselves";
  }
}

// Where most bins would stay empty, nodes with many rows have no histogram either.
TEST(TreeGrowth, WideSparseFeaturesAsExhaustiveSearch) {
  const Index n = 900, columns = 12, outputs = 40;
  Random draws(23, "wide");
  Matrix x(n, columns);
  for (Index i = 0; i < n; ++i) {
    for (double& v : x.row(i)) v = draws.chance(0.1) ? draws.normal() : 0.0;
  }
  const BinnedFeatures bins(Features(x), 255, {}, Context());
  const double entries = 0.1 * static_cast<double>(n * columns);
  const GradientLayout layout{.outputs = outputs};
  ASSERT_FALSE(histogram_pays(static_cast<double>(n), entries, static_cast<double>(bins.slots()),
                              static_cast<double>(layout.stride())));
  GradientRows gradients(n, layout);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < outputs; ++k) {
      gradients.set(i, k, draws.normal() - x(i, k % columns), draws.uniform(0.05, 0.25));
    }
    gradients.set_weight(i, 1);
  }
  HistogramPool pool;
  GradientSearch search(bins, gradients, bins.usable(), {.min_leaf = 5}, pool, 0, one_thread());
  const GrownTree tree = grow_tree(bins, all_rows(n), {.max_depth = 2}, search, Context());
  const auto weight = [](const std::vector<Id>& rows) { return static_cast<double>(rows.size()); };
  const auto score = [&](const std::vector<Id>& rows) {
    std::vector<double> g(at(outputs), 0.0), h(at(outputs), 0.0);
    for (const Id i : rows) {
      const float* const line = gradients.row(i);
      for (Index k = 0; k < outputs; ++k) {
        g[at(k)] += static_cast<double>(line[layout.g(k)]);
        h[at(k)] += static_cast<double>(line[layout.h(k)]);
      }
    }
    double out = 0;
    for (std::size_t k = 0; k < g.size(); ++k) out += g[k] * g[k] / (h[k] + 1);
    return out;
  };
  expect_same_parts(tree, bins, x, score, weight, 5, 0, 0.5, 2);
}

std::vector<Index> shape_of(const GrownTree& tree) {
  std::vector<Index> out;
  for (const GrownNode& node : tree.nodes) {
    out.insert(out.end(), {node.split.column, node.split.bin, node.left, node.rows()});
    out.push_back(std::bit_cast<Index>(node.split.gain));
  }
  return out;
}

TEST(TreeGrowth, SparseEqualsDenseForAnyNumberOfThreads) {
  const Index n = 3000;
  const Matrix x = mixed_features(n, 7);
  const Labels y = random_labels(x, 5, 8);
  const std::vector<double> weights = random_weights(n, false, 9);
  const GradientRows gradients = random_gradients(x, {3, false, 0});
  std::vector<std::vector<Index>> found;
  for (const bool sparse : {false, true}) {
    for (const int threads : {1, 3}) {
      const Context ctx(threads, 11);
      const Features features = sparse ? Features(to_sparse(Features(x))) : Features(x);
      const BinnedFeatures bins(features, 255, {}, ctx);
      const LabelRows labels(y);
      std::vector<Index> shape;
      for (const bool random_cuts : {false, true}) {
        LabelSearch search(bins, labels, weights, bins.usable(),
                           {.columns = 3, .random_cuts = random_cuts}, 4, ctx);
        const auto part = shape_of(grow_tree(bins, all_rows(n), {}, search, ctx));
        shape.insert(shape.end(), part.begin(), part.end());
      }
      for (const auto& [columns, strongest] : {std::pair<Index, Index>{0, 0}, {3, 0}, {0, 2}}) {
        HistogramPool pool;
        GradientSearch search(bins, gradients, bins.usable(),
                              {.columns = columns, .strongest = strongest}, pool, 4, ctx);
        const auto part = shape_of(grow_tree(bins, all_rows(n), {.max_leaves = 40}, search, ctx));
        shape.insert(shape.end(), part.begin(), part.end());
      }
      found.push_back(shape);
    }
  }
  ASSERT_GT(found[0].size(), 500u);
  for (const auto& other : found) EXPECT_EQ(other, found[0]);
}

// Both sides of a node grown at the same time are the tree that grow_tree grows node by node.
TEST(TreeGrowth, ForkedIsTheSameTree) {
  const Index n = 9000;
  const Matrix x = mixed_features(n, 31);
  const Labels y = random_labels(x, 5, 32);
  const std::vector<double> weights(at(n), 1.0);
  const LabelRows labels(y);
  // The splits and rows of every node, in the order of a walk from the root.
  const auto walk = [](const GrownTree& tree) {
    std::vector<std::vector<Index>> out;
    std::vector<std::size_t> open = {0};
    while (!open.empty()) {
      const GrownNode& node = tree.nodes[open.back()];
      open.pop_back();
      const auto rows = tree.rows_of(node);
      out.emplace_back(rows.begin(), rows.end());
      out.back().push_back(node.split.column);
      out.back().push_back(node.split.bin);
      out.back().push_back(std::bit_cast<Index>(node.split.gain));
      if (node.left < 0) continue;
      open.push_back(at(node.left) + 1);
      open.push_back(at(node.left));
    }
    return out;
  };
  for (const Index max_depth : {1000, 5}) {
    for (const bool random_cuts : {false, true}) {
      const LabelSearchOptions options{.columns = 3, .random_cuts = random_cuts};
      const GrowthLimits limits{.max_depth = max_depth};
      const BinnedFeatures bins(Features(x), 255, {}, Context());
      LabelSearch alone(bins, labels, weights, bins.usable(), options, 4, one_thread());
      const GrownTree whole = grow_tree(bins, all_rows(n), limits, alone, Context());
      std::vector<GrownTree> forked;
      for (const int threads : {1, 3}) {
        const Context ctx(threads, 0);
        Spares<LabelSearch> searches([&] {
          return std::make_unique<LabelSearch>(bins, labels, weights, bins.usable(), options, 4,
                                               ctx);
        });
        forked.push_back(ForkedGrowth<LabelSearch>(bins, limits, searches, ctx).grow(all_rows(n)));
        EXPECT_EQ(walk(forked.back()), walk(whole));
      }
      EXPECT_EQ(shape_of(forked[0]), shape_of(forked[1]));  // in the same order
      if (max_depth > 5) {
        EXPECT_GT(forked[0].nodes.size(), 500u);
      }
    }
  }
}

// The label is x0 > 0.25 or x1 > 0.5; one cell in twenty is wrong.
TEST(TreeGrowth, FindsATreeWithNoise) {
  const Index n = 4000;
  Random draws(12, "truth");
  Matrix x(n, 6);
  std::vector<std::vector<Id>> positives(at(n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 6; ++j) x(i, j) = draws.uniform(-1, 1);
    const bool truth = x(i, 0) > 0.25 || x(i, 1) > 0.5;
    if (truth != draws.chance(0.05)) positives[at(i)].push_back(0);
  }
  const Labels y(1, positives);
  const BinnedFeatures bins(Features(x), 255, {}, Context());
  const LabelRows labels(y);
  const std::vector<double> weights(at(n), 1.0);
  LabelSearch search(bins, labels, weights, bins.usable(), {}, 0, one_thread());
  const GrownTree tree = grow_tree(bins, all_rows(n), {.max_leaves = 3}, search, Context());
  TreeList list(6);
  list.add(tree, bins);
  ASSERT_EQ(list.nodes(), 5);
  const GrownNode& root = tree.nodes[0];
  EXPECT_EQ(root.split.column, 0);
  EXPECT_NEAR(bins[0].cuts[at(root.split.bin)], 0.25, 0.02);
  const GrownNode& second = tree.nodes[at(root.left)];
  EXPECT_EQ(second.split.column, 1);
  EXPECT_NEAR(bins[1].cuts[at(second.split.bin)], 0.5, 0.02);
}

// Rows without a value have the label as rows with high values do.
TEST(TreeGrowth, LearnsTheSideOfMissingValues) {
  const Context ctx;
  for (const bool like_high : {false, true}) {
    const Index n = 400;
    Random draws(13, "missing");
    Matrix x(n, 1);
    std::vector<std::vector<Id>> positives(at(n));
    GradientRows gradients(n, {});
    for (Index i = 0; i < n; ++i) {
      const bool missing = i % 4 == 0;
      x(i, 0) = missing ? k_nan : draws.normal();
      const bool yes = missing ? like_high : x(i, 0) > 0;
      if (yes) positives[at(i)].push_back(0);
      gradients.set(i, 0, yes ? -1 : 1, 1);
      gradients.set_weight(i, 1);
    }
    const BinnedFeatures bins(Features(x), 255, {}, ctx);
    const LabelRows labels((Labels(1, positives)));
    const std::vector<double> weights(at(n), 1.0);
    LabelSearch by_label(bins, labels, weights, bins.usable(), {}, 0, ctx);
    HistogramPool pool;
    GradientSearch by_gradient(bins, gradients, bins.usable(), {}, pool, 0, ctx);
    const GrownTree trees[] = {grow_tree(bins, all_rows(n), {}, by_label, ctx),
                               grow_tree(bins, all_rows(n), {.max_leaves = 2}, by_gradient, ctx)};
    for (const GrownTree& tree : trees) {
      TreeList list(1);
      list.add(tree, bins);
      ASSERT_EQ(list.nodes(), 3);
      const double high = 1, low = -1, none = k_nan;
      EXPECT_NE(list.leaf(0, &high), list.leaf(0, &low));
      EXPECT_EQ(list.leaf(0, &none), list.leaf(0, like_high ? &high : &low));
    }
  }
}

// A split may have all values on one side and the missing ones on the other.
TEST(TreeGrowth, MissingAgainstTheRest) {
  const Index n = 100;
  Matrix x(n, 1);
  std::vector<std::vector<Id>> positives(at(n));
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = i % 2 == 0 ? k_nan : static_cast<double>(i % 10);
    if (i % 2 == 0) positives[at(i)].push_back(0);
  }
  const BinnedFeatures bins(Features(x), 255, {}, Context());
  const LabelRows labels((Labels(1, positives)));
  const std::vector<double> weights(at(n), 1.0);
  LabelSearch search(bins, labels, weights, bins.usable(), {}, 0, one_thread());
  TreeList list(1);
  list.add(grow_tree(bins, all_rows(n), {}, search, Context()), bins);
  ASSERT_EQ(list.nodes(), 3);
  const double none = k_nan, large = 1e9, small = -1e9;
  EXPECT_EQ(list.leaf(0, &large), list.leaf(0, &small));
  EXPECT_NE(list.leaf(0, &large), list.leaf(0, &none));
}

TEST(BinnedFeatures, FewValuesHaveABinEach) {
  const Matrix x(6, 2, std::vector<double>{1, 0, 2, 0, 2, 0, 5, 0, 1, 7, 5, 0});
  const BinnedFeatures bins(Features(x), 255, {}, Context());
  EXPECT_EQ(bins[0].cuts, (std::vector<double>{1.5, 3.5}));
  EXPECT_EQ(bins[1].cuts, (std::vector<double>{3.5}));
  EXPECT_GE(bins[0].dense, 0);
  EXPECT_EQ(bins[1].dense, -1);
  EXPECT_EQ(bins.usable(), (std::vector<Id>{0, 1}));
}

TEST(BinnedFeatures, ManyValuesHaveBinsOfEqualWeight) {
  Matrix x(1000, 1);
  std::vector<double> weights(1000, 1.0);
  for (Index i = 0; i < 1000; ++i) x(i, 0) = static_cast<double>(i) + 1;
  const BinnedFeatures even(Features(x), 10, {}, Context());
  EXPECT_EQ(even[0].cuts,
            (std::vector<double>{100.5, 200.5, 300.5, 400.5, 500.5, 600.5, 700.5, 800.5, 900.5}));
  for (std::size_t i = 0; i < 500; ++i) weights[i] = 3;
  const BinnedFeatures heavy(Features(x), 4, weights, Context());
  EXPECT_EQ(heavy[0].cuts.size(), 3u);
  EXPECT_NEAR(heavy[0].cuts[1], 333.5, 1);
}

TEST(BinnedFeatures, OneValueCannotBeSplit) {
  const BinnedFeatures bins(Features(Matrix(5, 2, 4.0)), 255, {}, Context());
  EXPECT_TRUE(bins.usable().empty());
}

}  // namespace
}  // namespace mulberry::base
