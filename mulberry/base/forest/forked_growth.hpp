// Growing one tree on several threads: the two sides of a node with many rows at the same time, and
// what is below a node with few rows as one piece of work. For searches that keep nothing of a node
// for its children, and trees without a limit of leaves.
//
// The tree does not depend on the number of threads: what is drawn for a node depends on its place
// in the tree, and nodes are numbered from both sides when these are done. Cost: as grow_tree, and
// one copy of the nodes per level of large nodes.
#pragma once

#include <utility>
#include <vector>

#include "mulberry/core/parallel.hpp"
#include "mulberry/math/trees/spares.hpp"
#include "mulberry/math/trees/tree_growth.hpp"

namespace mulberry::base {

// Search:
//   TreeSplit best(std::span<const Id> rows, std::uint64_t place)   column -1 if it must be a leaf
template <class Search>
class ForkedGrowth {
 public:
  ForkedGrowth(const BinnedFeatures& x, const GrowthLimits& limits, Spares<Search>& searches,
               const Context& ctx)
      : x_(x), limits_(limits), searches_(searches), ctx_(ctx) {}

  GrownTree grow(std::vector<Id> rows) {
    rows_ = std::move(rows);
    GrownTree out;
    out.nodes = from({.end = count_of(rows_)});
    out.rows = std::move(rows_);
    return out;
  }

 private:
  static constexpr Index k_few_rows = 2048;  // below this a node and its children are one task
  using Nodes = std::vector<GrownNode>;
  struct Scratch {
    std::vector<Id> rows, open;
  };
  using SearchLoan = typename Spares<Search>::Loan;
  using ScratchLoan = typename Spares<Scratch>::Loan;

  // The node and all below it; a child has a higher number than its parent.
  Nodes from(const GrownNode& root) {
    Nodes out = {root};
    if (root.rows() < k_few_rows) {
      const SearchLoan search(searches_);
      const ScratchLoan scratch(scratch_);
      grow_small(out, *search, *scratch);
      return out;
    }
    ctx_.check();
    if (!split_root(out)) return out;
    Nodes sides[2];
    parallel_for(ctx_, 2, [&](Index side) { sides[side] = from(out[at(side) + 1]); });
    out.reserve(1 + sides[0].size() + sides[1].size());
    for (std::size_t side = 0; side < 2; ++side) join(out, side + 1, sides[side]);
    return out;
  }

  bool split_root(Nodes& nodes) {
    const SearchLoan search(searches_);
    const ScratchLoan scratch(scratch_);
    return split(nodes, 0, *search, *scratch);
  }

  void grow_small(Nodes& nodes, Search& search, Scratch& scratch) {
    std::vector<Id>& open = scratch.open;
    open.assign(1, 0);
    while (!open.empty()) {
      const auto k = at(open.back());
      open.pop_back();
      if (!split(nodes, k, search, scratch)) continue;
      open.push_back(nodes[k].left + 1);
      open.push_back(nodes[k].left);
    }
  }

  // Gives the node two children, the last nodes, unless it must be a leaf.
  bool split(Nodes& nodes, std::size_t k, Search& search, Scratch& scratch) {
    const GrownNode node = nodes[k];
    if (node.depth >= limits_.max_depth || node.rows() < 2) return false;
    const auto rows = std::span(rows_).subspan(at(node.begin), at(node.rows()));
    const TreeSplit found = search.best(rows, node.place);
    if (found.column < 0) return false;
    nodes[k].split = found;
    nodes[k].left = static_cast<Id>(nodes.size());
    const Index middle = node.begin + part_rows(x_, found, rows, scratch.rows);
    for (GrownNode& child : node.children(middle)) nodes.push_back(child);
    return true;
  }

  // Appends what is below the root of `side`, which is the node k.
  static void join(Nodes& nodes, std::size_t k, const Nodes& side) {
    const auto moved = static_cast<Id>(nodes.size()) - 1;
    const auto placed = [&](GrownNode node) {
      if (node.left >= 0) node.left += moved;
      return node;
    };
    nodes[k] = placed(side[0]);
    for (std::size_t i = 1; i < side.size(); ++i) nodes.push_back(placed(side[i]));
  }

  const BinnedFeatures& x_;
  const GrowthLimits& limits_;
  Spares<Search>& searches_;
  const Context& ctx_;
  std::vector<Id> rows_;
  Spares<Scratch> scratch_;
};

}  // namespace mulberry::base
