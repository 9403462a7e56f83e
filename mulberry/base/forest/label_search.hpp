// The split of a node that tells labels apart best: summed reduction of variance, which for 0/1
// labels is the summed Gini impurity of predictive clustering trees.
//
//   gain = sum_k c_k (S_k^2 / W_S + R_k^2 / W_R - T_k^2 / W_T)
//
// T, S, R are the weights of the rows with label k in the node, its left and its right child, W the
// weights of all of their rows, and c_k the weight of the label.
//
// One column is searched by visiting the rows of the node by bin. Only sums of squares are needed:
// with A = sum c S^2 and B = sum c S T, the right child has sum c R^2 = sum c T^2 - 2 B + A, and a
// row changes A and B by its own labels only. A column hence costs O(rows + positive cells) of the
// node, whatever L is; columns that are kept sparse cost their entries only, because the rows with
// the value 0 are never visited. Labels that all rows or no row of the node have are left out.
// Where cells are missing, W is the weight of the rows that have the label or lack it, and every
// border of bins costs O(L) in addition.
//
// Blockeel, De Raedt and Ramon, "Top-down induction of clustering trees", ICML 1998; Kocev et al.,
// "Tree ensembles for predicting structured outputs", Pattern Recognition 46, 2013.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mulberry/data/labels.hpp"
#include "mulberry/math/trees/spares.hpp"
#include "mulberry/math/trees/tree_growth.hpp"

namespace mulberry::base {

// The positive labels of every row, next to each other.
struct LabelRows {
  LabelRows() = default;
  explicit LabelRows(const Labels& y);
  // One target: whether a row is among `positives`.
  LabelRows(Index rows, std::span<const Id> positives);
  // One label per row: its class.
  LabelRows(std::span<const Id> classes_of_rows, Id classes);

  Index labels = 0;
  std::vector<std::uint32_t> start = {};
  std::vector<Id> index = {};
  std::vector<double> weight = {};  // c of every label; empty: 1
  // The labels of a row of which nothing is known; empty if all cells are observed.
  std::vector<std::uint32_t> missing_start = {};
  std::vector<Id> missing_index = {};

  bool has_missing() const { return !missing_start.empty(); }
  std::span<const Id> row(Id i) const {
    return {index.data() + start[at(i)], index.data() + start[at(i) + 1]};
  }
  std::span<const Id> missing(Id i) const {
    if (!has_missing()) return {};
    return {missing_index.data() + missing_start[at(i)],
            missing_index.data() + missing_start[at(i) + 1]};
  }
};

struct LabelSearchOptions {
  Index columns = 0;         // tried per node; 0: all
  bool random_cuts = false;  // one random border of bins per column and node
  double min_leaf = 1;
};

class LabelSearch {
 public:
  // `weights`: one per row of x. Draws depend on the seed of ctx, `tree` and the place of the node.
  LabelSearch(const BinnedFeatures& x, const LabelRows& y, std::span<const double> weights,
              std::vector<Id> columns, const LabelSearchOptions& options, std::uint64_t tree,
              const Context& ctx);
  ~LabelSearch();

  TreeSplit best(const GrownTree& tree, std::size_t node) {
    return best(tree.rows_of(tree.nodes[node]), tree.nodes[node].place);
  }
  TreeSplit best(std::span<const Id> rows, std::uint64_t place);
  void inherit(GrownTree&, std::size_t, bool, bool) const {}
  void release(GrownNode&) const {}

 private:
  struct Node;
  struct Scratch;
  struct Walk;

  void gather(std::span<const Id> rows);
  bool try_columns(std::span<const Id> columns, Random& random, TreeSplit& best);
  void list_sparse(std::span<const Id> columns);
  void order_words(Scratch& scratch) const;
  void list_words(const Scratch& scratch, TreeSplit& split) const;
  TreeSplit try_random_cut(Id column, double draw, Scratch& scratch, bool& splits) const;
  TreeSplit search_column(Id column, double draw, Scratch& scratch, bool& splits) const;

  const BinnedFeatures& x_;
  const LabelRows& y_;
  std::span<const double> weights_;
  ColumnSampler sampler_;
  LabelSearchOptions options_;
  std::uint64_t tree_;
  const Context& ctx_;
  std::unique_ptr<Node> node_;
  Spares<Scratch> scratch_;
};

}  // namespace mulberry::base
