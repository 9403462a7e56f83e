// Nominal features as trees see them: which columns belong together, and the sets of words that
// nodes are split by, against all sets there are.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "mulberry/base/boost/gradient_search.hpp"
#include "mulberry/base/forest/label_search.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/trees/tree_list.hpp"
#include "mulberry/math/trees/word_groups.hpp"

namespace mulberry::base {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr Id k_words = 6;

struct Data {
  Matrix x;  // a number, then the columns of a feature of six words
  std::vector<Id> word;
  std::vector<std::vector<Id>> labels;
  std::vector<double> weights;
};

// Two labels that depend on the word in different ways. Some rows have no word.
Data make_data(Index n, bool some_missing, std::uint64_t stream) {
  Random random(5, "word_search_test", stream);
  Data out{Matrix(n, 1 + k_words), {}, std::vector<std::vector<Id>>(at(n)), {}};
  double rate[2][k_words];
  for (auto& rates : rate) {
    for (double& r : rates) r = random.uniform();
  }
  for (Index i = 0; i < n; ++i) {
    out.x(i, 0) = random.normal();
    const bool missing = some_missing && random.chance(0.1);
    const auto word = static_cast<Id>(random.below(k_words));
    out.word.push_back(missing ? -1 : word);
    for (Id k = 0; k < k_words; ++k) out.x(i, 1 + k) = missing ? k_nan : k == word ? 1.0 : 0.0;
    for (Id l = 0; l < 2; ++l) {
      if (random.chance(missing ? 0.5 : rate[l][word])) out.labels[at(i)].push_back(l);
    }
    out.weights.push_back(1 + static_cast<double>(random.below(3)));
  }
  return out;
}

Csr columns_of(const Features& x) { return x.is_sparse() ? transpose(x.sparse()) : Csr{}; }

std::vector<std::pair<Id, Id>> groups_of(const Features& x) {
  std::vector<std::pair<Id, Id>> out;
  const Context ctx;
  for (const WordGroup& g : find_word_groups(x, columns_of(x), ctx))
    out.emplace_back(g.begin, g.size);
  return out;
}

TEST(WordGroups, NeighboursOfWhichEveryRowHasExactlyOne) {
  //                        number | three words | four, one of them absent | two columns | text
  const Matrix x(5, 12, {2, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1,  //
                         1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0,  //
                         0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 1,  //
                         0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1,  //
                         3, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0});
  const std::vector<std::pair<Id, Id>> expected = {{1, 3}, {4, 4}};
  EXPECT_EQ(groups_of(Features(x)), expected);
  EXPECT_EQ(groups_of(Features(to_sparse(Features(x)))), expected);
}

TEST(WordGroups, MissingWordsAreMissingInAllColumns) {
  Matrix x(4, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1, k_nan, k_nan, k_nan});
  EXPECT_EQ(groups_of(Features(x)), (std::vector<std::pair<Id, Id>>{{0, 3}}));
  x(3, 1) = 0;
  EXPECT_TRUE(groups_of(Features(x)).empty());
  x(3, 0) = x(3, 1) = x(3, 2) = 0;
  EXPECT_TRUE(groups_of(Features(x)).empty()) << "a row without a word";
}

// sum of T^2 / W over the labels, of the rows on one side.
double score(const Data& data, Id label, const std::vector<char>& side, char which) {
  double all = 0, yes = 0;
  for (std::size_t i = 0; i < data.word.size(); ++i) {
    if (side[i] != which) continue;
    all += data.weights[i];
    const auto& own = data.labels[i];
    if (std::find(own.begin(), own.end(), label) != own.end()) yes += data.weights[i];
  }
  return all > 0 ? yes * yes / all : 0;
}

// The best gain over all sets of words, missing rows on either side.
double best_of_all_sets(const Data& data, std::span<const Id> labels) {
  double best = 0;
  for (unsigned set = 0; set < 1U << k_words; ++set) {
    for (const char missing : {'\0', '\1'}) {
      std::vector<char> side, whole(data.word.size(), 0);
      for (const Id w : data.word)
        side.push_back(w < 0 ? missing : static_cast<char>(set >> w & 1));
      if (std::set<char>(side.begin(), side.end()).size() < 2) continue;
      double gain = 0;
      for (const Id l : labels) {
        gain += score(data, l, side, 0) + score(data, l, side, 1) - score(data, l, whole, 0);
      }
      best = std::max(best, gain);
    }
  }
  return best;
}

// Every row of the tree ends in the leaf that it trained.
void expect_routes(const GrownTree& tree, const BinnedFeatures& bins, const Data& data) {
  TreeList list(data.x.cols());
  list.add(tree, bins);
  Id leaf = 0;
  for (const GrownNode& node : tree.nodes) {
    if (node.left >= 0) continue;
    for (const Id i : tree.rows_of(node)) EXPECT_EQ(list.leaf(0, data.x.row(i).data()), leaf);
    ++leaf;
  }
}

std::vector<Id> all_rows(const Data& data) {
  std::vector<Id> out(data.word.size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

TEST(WordSearch, OneLabelHasTheBestOfAllSets) {
  const Context ctx;
  for (const bool missing : {false, true}) {
    for (std::uint64_t stream = 0; stream < 8; ++stream) {
      const Data data = make_data(200, missing, stream);
      for (const bool sparse : {false, true}) {
        const Features dense(data.x);
        const BinnedFeatures bins(sparse ? Features(to_sparse(dense)) : dense, 255, {}, ctx, true);
        ASSERT_TRUE(bins[1].has_words());
        ASSERT_EQ(bins.usable(), (std::vector<Id>{0, 1}));
        std::vector<Id> positives;
        for (std::size_t i = 0; i < data.labels.size(); ++i) {
          if (!data.labels[i].empty() && data.labels[i][0] == 0)
            positives.push_back(static_cast<Id>(i));
        }
        const LabelRows y(data.x.rows(), positives);
        LabelSearch search(bins, y, data.weights, {1}, {}, 0, ctx);
        const GrownTree tree = grow_tree(bins, all_rows(data), {.max_depth = 1}, search, ctx);
        ASSERT_EQ(tree.nodes.size(), 3u);
        ASSERT_TRUE(tree.nodes[0].split.by_words);
        const Id labels[] = {0};
        EXPECT_NEAR(tree.nodes[0].split.gain, best_of_all_sets(data, labels), 1e-9);
        expect_routes(tree, bins, data);
      }
    }
  }
}

// Several labels: no order holds the best set for sure, but the direction comes close to it.
TEST(WordSearch, TwoLabelsComeCloseToTheBestOfAllSets) {
  const Context ctx;
  double found = 0, best = 0;
  for (std::uint64_t stream = 0; stream < 20; ++stream) {
    const Data data = make_data(200, stream % 2 == 1, stream);
    const BinnedFeatures bins(Features(data.x), 255, {}, ctx, true);
    const LabelRows y(Labels(2, data.labels));
    for (const bool random : {false, true}) {
      LabelSearch search(bins, y, data.weights, {1}, {.random_cuts = random}, 0, ctx);
      const GrownTree tree = grow_tree(bins, all_rows(data), {}, search, ctx);
      expect_routes(tree, bins, data);
      const Id labels[] = {0, 1};
      const double limit = best_of_all_sets(data, labels);
      EXPECT_LE(tree.nodes[0].split.gain, limit + 1e-9);
      if (random) continue;
      found += tree.nodes[0].split.gain;
      best += limit;
    }
  }
  EXPECT_GT(found, 0.97 * best);
}

TEST(WordSearch, OneGradientHasTheBestOfAllSets) {
  const Context ctx;
  HistogramPool pool;
  for (const Index copies : {1, 6}) {  // few rows, and enough for histograms
    const Data data = make_data(200 * copies, true, 11);
    const BinnedFeatures bins(Features(data.x), 255, {}, ctx, true);
    GradientRows gradients(data.x.rows(), {});
    for (Index i = 0; i < data.x.rows(); ++i) {
      const bool yes = !data.labels[at(i)].empty() && data.labels[at(i)][0] == 0;
      gradients.set(i, 0, yes ? data.weights[at(i)] : 0.0, data.weights[at(i)]);
      gradients.set_weight(i, data.weights[at(i)]);
    }
    GradientSearch search(bins, gradients, {1}, {.penalty = {.l2 = 0}}, pool, 0, ctx);
    const GrownTree tree = grow_tree(bins, all_rows(data), {.max_depth = 1}, search, ctx);
    ASSERT_EQ(tree.nodes.size(), 3u);
    const Id labels[] = {0};
    EXPECT_NEAR(2 * tree.nodes[0].split.gain, best_of_all_sets(data, labels), 1e-6);
    expect_routes(tree, bins, data);
  }
}

TEST(WordSearch, SeveralGradientsRouteTheirRows) {
  const Context ctx;
  HistogramPool pool;
  const Data data = make_data(1500, true, 12);
  const BinnedFeatures bins(Features(data.x), 255, {}, ctx, true);
  for (const bool shared : {false, true}) {
    GradientRows gradients(data.x.rows(), {.outputs = 2, .shared = shared});
    for (Index i = 0; i < data.x.rows(); ++i) {
      gradients.set_weight(i, 1);
      for (Id l = 0; l < 2; ++l) {
        const auto& own = data.labels[at(i)];
        gradients.set(i, l, std::find(own.begin(), own.end(), l) != own.end() ? 1 : 0, 1);
      }
    }
    GradientSearch search(bins, gradients, bins.usable(), {.penalty = {.l2 = 1}}, pool, 0, ctx);
    const GrownTree tree = grow_tree(bins, all_rows(data), {.max_leaves = 12}, search, ctx);
    EXPECT_EQ(tree.nodes.size(), 23u);
    expect_routes(tree, bins, data);
  }
}

// More words than bins are several columns: a question to each of them tells the words of two kinds
// apart, however rare they are.
TEST(WordSearch, MoreWordsThanBinsKeepABinEach) {
  const Context ctx;
  HistogramPool pool;
  const Id words = 600;
  const Index n = 1200;
  Data data{Matrix(n + 5, words), {}, std::vector<std::vector<Id>>(at(n) + 5), {}};
  Random random(5, "word_search_test", 20);
  std::vector<char> is_positive;
  for (Id k = 0; k < words; ++k) is_positive.push_back(random.chance(0.5) ? 1 : 0);
  std::vector<Id> positives;
  for (Index i = 0; i < n + 5; ++i) {
    const auto word = static_cast<Id>(i % words);
    for (Id k = 0; k < words; ++k) data.x(i, k) = i >= n ? k_nan : k == word ? 1.0 : 0.0;
    data.word.push_back(i < n ? word : -1);
    if (i < n && is_positive[at(word)] != 0) positives.push_back(static_cast<Id>(i));
  }
  const BinnedFeatures bins(Features(data.x), 255, {}, ctx, true);
  EXPECT_EQ(bins.usable(), (std::vector<Id>{0, 200, 400}));
  EXPECT_EQ(bins.features(), 3);
  const auto expect_pure = [&](const GrownTree& tree) {
    EXPECT_LE(tree.nodes.size(), 15u);
    expect_routes(tree, bins, data);
    for (const GrownNode& node : tree.nodes) {
      if (node.left >= 0) continue;
      std::set<bool> kinds;
      for (const Id i : tree.rows_of(node)) {
        kinds.insert(std::ranges::binary_search(positives, i));
      }
      EXPECT_EQ(kinds.size(), 1u);
    }
  };
  const LabelRows y(n + 5, positives);
  const std::vector<double> weights(at(n) + 5, 1.0);
  LabelSearch labels(bins, y, weights, bins.usable(), {}, 0, ctx);
  const GrownTree tree = grow_tree(bins, all_rows(data), {}, labels, ctx);
  expect_pure(tree);
  GradientRows gradients(n + 5, {});
  for (Id i = 0; i < n + 5; ++i) {
    gradients.set(i, 0, std::ranges::binary_search(positives, i) ? 1 : -1, 1);
    gradients.set_weight(i, 1);
  }
  GradientSearch search(bins, gradients, bins.usable(), {.min_gain = 1e-6, .penalty = {.l2 = 0}},
                        pool, 0, ctx);
  expect_pure(grow_tree(bins, all_rows(data), {}, search, ctx));
  // A word that no row has: with the words of other columns.
  TreeList list(words);
  list.add(tree, bins);
  const std::vector<double> none(at(words), 0.0);
  EXPECT_GE(list.leaf(0, none.data()), 0);
}

// Words that no row has join the heavier side.
TEST(WordSearch, UnknownWordsJoinTheHeavierSide) {
  const Context ctx;
  const Index n = 300, words = 40;
  Matrix x(n, words + 1);
  std::vector<Id> positives;
  for (Index i = 0; i < n; ++i) {
    const Index word = i % 10 < 8 ? i % 4 : 4 + i % (words - 4);
    x(i, word) = 1;
    if (word == 1 || word == 3) positives.push_back(static_cast<Id>(i));
  }
  const BinnedFeatures bins(Features(x), 255, {}, ctx, true);
  ASSERT_TRUE(bins[0].has_words());
  const LabelRows y(n, positives);
  const std::vector<double> weights(at(n), 1.0);
  LabelSearch search(bins, y, weights, bins.usable(), {}, 0, ctx);
  std::vector<Id> rows(at(n));
  std::iota(rows.begin(), rows.end(), 0);
  const GrownTree tree = grow_tree(bins, rows, {}, search, ctx);
  ASSERT_EQ(tree.nodes.size(), 3u) << "one question tells them apart";
  TreeList list(words + 1);
  list.add(tree, bins);
  TreeList twice(words + 1);
  twice.add_leaf();
  twice.append(list);
  EXPECT_EQ(list.columns_of(0), (std::vector<Id>{1, 3}));
  EXPECT_EQ(twice.columns_of(1), (std::vector<Id>{1, 3}));
  std::vector<double> row(at(words + 1), 0.0);
  const Id none = list.leaf(0, row.data());
  row[3] = 1;
  EXPECT_NE(list.leaf(0, row.data()), none);
  EXPECT_EQ(twice.leaf(1, row.data()), list.leaf(0, row.data()) + 1);
}

}  // namespace
}  // namespace mulberry::base
