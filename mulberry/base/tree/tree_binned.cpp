// The trees of two classes on binned features (base/tree/pair_search.hpp).
#include <numeric>

#include "mulberry/base/tree/pair_search.hpp"
#include "mulberry/base/tree/tree_nodes.hpp"

namespace mulberry::base {

TreeNodes grow_on_bins(const BinnedFeatures& bins, const ColumnProblem& problem, double min_leaf,
                       Index max_depth, const Context& ctx) {
  const PairRows y(problem.y, problem.weights);
  PairSearch search(bins, y, min_leaf, ctx);
  std::vector<Id> rows(problem.y.size());
  std::iota(rows.begin(), rows.end(), 0);
  const GrownTree grown =
      grow_tree(bins, std::move(rows), GrowthLimits{.max_depth = max_depth}, search, ctx);
  TreeNodes out;
  for (const GrownNode& node : grown.nodes) {
    const bool is_leaf = node.left < 0;
    out.column.push_back(is_leaf ? -1 : node.split.column);
    out.cut.push_back(is_leaf ? 0.0 : bins[node.split.column].cuts[at(node.split.bin)]);
    out.left.push_back(node.left);
    out.right.push_back(is_leaf ? -1 : node.left + 1);
    PairSums sums;
    for (const Id i : grown.rows_of(node)) {
      sums.all += y.rows[at(i)].all;
      sums.yes += y.rows[at(i)].yes;
    }
    out.counts.push_back(sums.all - sums.yes);
    out.counts.push_back(sums.yes);
  }
  return out;
}

}  // namespace mulberry::base
