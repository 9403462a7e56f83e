// Growing one tree: which node is split next, where its rows go, and when to stop. How good a split
// is, only the search knows: LabelSearch (label_search.hpp) for shares of labels, GradientSearch
// (gradient_search.hpp) for boosting.
//
// A node is a range of a list of rows; a split moves the rows of its left child to the front, each
// side in its old order. With a limit of leaves the node whose split gains most is next (the older
// one on ties), otherwise the newest one. The children of a node are neighbours.
//
// Cost: O(rows) per level besides the search. Everything here runs on one thread; the searches are
// parallel over columns and rows, and forests over trees. Trees without a limit of leaves can be
// grown on several threads (forked_growth.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/math/trees/binned_features.hpp"

namespace mulberry::math {

// A question to the rows of a node: is the bin of this column at most `bin`? Or, of a column of
// words: is its word among the listed ones?
struct TreeSplit {
  Id column = -1;  // -1: there is none
  Id bin = 0;
  bool missing_left = false;
  double gain = 0;
  bool by_words = false;
  bool rest_left = false;  // words that are not listed go left, and the listed ones right
  std::array<std::uint64_t, 4> listed = {};  // bins

  bool lists(Id b) const { return (listed[at(b / 64)] >> (b % 64) & 1) != 0; }
  // Turns a cut of `order`, bins of the node by what they say of the labels, into a question: bins
  // up to number `bin` go left. The lighter side is listed, so that words that the node has not
  // seen join the heavier one; but `rest`, the bin of the words of other columns or -1, never is.
  void list_words(std::span<const Id> order, bool left_is_heavier, Id rest);
};

// The columns that a split asks for.
std::vector<Id> split_columns(const BinnedFeatures& x, const TreeSplit& split);

struct GrowthLimits {
  Index max_depth = 1000;
  Index max_leaves = 0;  // 0: no limit
  double min_leaf = 1;   // weight of the rows of a leaf, at least
  double min_gain = 0;   // of a split, at least
};

// The place of a child: the left one is on side 0.
std::uint64_t place_below(std::uint64_t place, std::uint64_t side);

struct GrownNode {
  TreeSplit split = {};
  Id left = -1;  // -1: a leaf; the right child is the next one
  Index begin = 0, end = 0, depth = 0;
  std::uint64_t place = 1;  // in the tree, as a number: depends on the sides taken from the root
  int histogram = -1;       // of the search

  Index rows() const { return end - begin; }
  // The left one has the rows before `middle`.
  std::array<GrownNode, 2> children(Index middle) const {
    const auto child = [&](Index from, Index to, std::uint64_t side) {
      return GrownNode{
          .begin = from, .end = to, .depth = depth + 1, .place = place_below(place, side)};
    };
    return {child(begin, middle, 0), child(middle, end, 1)};
  }
};

struct GrownTree {
  std::vector<GrownNode> nodes = {};
  std::vector<Id> rows = {};  // every node has a range of them

  std::span<const Id> rows_of(const GrownNode& node) const {
    return std::span(rows).subspan(at(node.begin), at(node.rows()));
  }
};

// The columns that a node may be split by, drawn without replacement: `count` at first, and more as
// long as none of them can be split at all.
class ColumnSampler {
 public:
  explicit ColumnSampler(std::vector<Id> columns) : columns_(std::move(columns)) {}

  const std::vector<Id>& all() const { return columns_; }
  // Calls try_columns(the next columns, in increasing order) until it returns true or all have been
  // tried. Draws are from `random` only.
  template <class TryColumns>
  void draw(Index count, Random random, const TryColumns& try_columns) {
    const Index all = count_of(columns_);
    std::vector<std::pair<std::size_t, std::size_t>> swaps;
    std::vector<Id> batch;
    for (Index taken = 0; taken < all; taken += count, count *= 2) {
      const Index end = std::min(all, taken + count);
      batch.clear();
      for (Index k = taken; k < end; ++k) {
        const Index other = k + random.below(all - k);
        std::swap(columns_[at(k)], columns_[at(other)]);
        swaps.emplace_back(at(k), at(other));
        batch.push_back(columns_[at(k)]);
      }
      std::sort(batch.begin(), batch.end());
      if (try_columns(std::span<const Id>(batch))) break;
    }
    // Back to the old order: what a node draws must not depend on the nodes before it.
    for (auto swap = swaps.rbegin(); swap != swaps.rend(); ++swap) {
      std::swap(columns_[swap->first], columns_[swap->second]);
    }
  }

 private:
  std::vector<Id> columns_;
};

// Moves the rows of `node` that go left to its front; returns how many these are.
Index part_rows(const BinnedFeatures& x, const TreeSplit& split, std::span<Id> rows,
                std::vector<Id>& scratch);

// Search:
//   TreeSplit best(const GrownTree&, std::size_t node)   column -1 if the node must be a leaf
//   void inherit(GrownTree&, node, left)    before the children are searched; they are wanted
//                                           only if `open` says so
//   void release(GrownNode&)                the node will not be split
template <class Search>
GrownTree grow_tree(const BinnedFeatures& x, std::vector<Id> rows, const GrowthLimits& limits,
                    Search& search, const Context& ctx) {
  GrownTree out;
  out.rows = std::move(rows);
  out.nodes.push_back({.end = count_of(out.rows)});
  const auto may_split = [&](const GrownNode& node) {
    return node.depth < limits.max_depth && node.rows() >= 2;
  };
  std::vector<std::size_t> open;
  const auto look = [&](std::size_t k) {
    TreeSplit split;
    if (may_split(out.nodes[k])) split = search.best(out, k);
    out.nodes[k].split = split;
    if (split.column >= 0) {
      open.push_back(k);
    } else {
      search.release(out.nodes[k]);
    }
  };
  look(0);
  Index leaves = 1;
  std::vector<Id> scratch;
  while (!open.empty() && (limits.max_leaves == 0 || leaves < limits.max_leaves)) {
    ctx.check();
    auto next = open.end() - 1;
    if (limits.max_leaves > 0) {
      next = std::max_element(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
        return out.nodes[a].split.gain < out.nodes[b].split.gain;
      });
    }
    const std::size_t k = *next;
    open.erase(next);
    const GrownNode parent = out.nodes[k];
    const Index taken = part_rows(
        x, parent.split, std::span(out.rows).subspan(at(parent.begin), at(parent.rows())), scratch);
    const std::size_t left = out.nodes.size();
    out.nodes[k].left = static_cast<Id>(left);
    for (const GrownNode& child : parent.children(parent.begin + taken)) {
      out.nodes.push_back(child);
    }
    ++leaves;
    const bool last = limits.max_leaves > 0 && leaves >= limits.max_leaves;
    if (last) {
      search.release(out.nodes[k]);
      break;
    }
    search.inherit(out, k, may_split(out.nodes[left]), may_split(out.nodes[left + 1]));
    look(left + 1);
    look(left);
  }
  for (GrownNode& node : out.nodes) {
    if (node.left < 0) node.split = {};
    search.release(node);
  }
  return out;
}

}  // namespace mulberry::math
