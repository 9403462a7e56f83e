// A decision tree as it is grown, before it is pruned and stored.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/math/trees/binned_features.hpp"
#include "mulberry/model/base_learner.hpp"

namespace mulberry::base {

constexpr double k_least_gain = 1e-9;  // of a cut: smaller ones are rounding errors

struct TreeNodes {
  Id classes = 2;
  std::vector<Id> column = {};   // of the cut; -1 for a leaf
  std::vector<double> cut = {};  // left if x <= cut
  std::vector<Id> left = {};     // children, always after their parent
  std::vector<Id> right = {};
  std::vector<double> counts = {};  // the weight of each class, node by node

  std::size_t size() const { return column.size(); }
  std::span<const double> counts_of(std::size_t node) const {
    return std::span(counts).subspan(node * at(classes), at(classes));
  }
};

// All cuts between values (tree_exact.cpp).
TreeNodes grow_exactly(const ColumnProblem& problem, double min_leaf, Index max_depth,
                       const Context& ctx);
// The cuts between bins, of two classes (tree_binned.cpp). `bins` belong to problem.x.
TreeNodes grow_on_bins(const BinnedFeatures& bins, const ColumnProblem& problem, double min_leaf,
                       Index max_depth, const Context& ctx);

}  // namespace mulberry::base
