// Chain: a sequence of classifiers, one per label, each seeing the features and the labels before
// it. Shared by classifier chains, their ensembles and probabilistic chains.
//
// In training the earlier labels are the true ones, so the links are trained in parallel; a missing
// label enters as its share among the observed rows. Cost: L fits of the base learner on d to d + L
// - 1 features, and a copy of X for each link that is being trained; values of another program
// (floats, columns) are not copied where the base learner reads them in blocks.
#pragma once

#include <span>
#include <vector>

#include "mulberry/base/class_columns.hpp"
#include "mulberry/learners/common/parts.hpp"
#include "mulberry/model/base_learner.hpp"

namespace mulberry::learners {

enum class ChainOrder { label, random };

// The labels 0 .. labels-1 as they are, or shuffled by the seed of ctx.
std::vector<Id> chain_order(ChainOrder order, Index labels, const Context& ctx);

// What a chain takes, trained on features in one piece.
MemoryNeed chain_need(const Spec& base, const Extent& extent);

class Chain {
 public:
  Chain() = default;
  // `order`: every label once; its first label sees only the features.
  Chain(const Spec& base, std::vector<Id> order, const Features& x, const Labels& y,
        std::span<const double> weights, const Context& ctx);

  const std::vector<Id>& order() const { return order_; }
  Index size() const { return static_cast<Index>(order_.size()); }
  Scale scale() const { return links_.front().scale(); }

  // The rows of a view that the links can read.
  data::Rows rows() const { return rows_of(features_.base()); }
  // Features in the form that the links need.
  Features prepare(const Features& x) const { return features_.prepare(x); }
  // Scores (rows x 1) of link j, i.e. of label order()[j]. `before` has a column for each of the j
  // labels before it, in the order of the chain; x is prepared.
  Matrix link_scores(Index j, const Features& x, MatrixView before, const Context& ctx) const;
  // As above, of prepared features that are followed by the columns of `before`.
  Matrix link_scores(Index j, const Features& joined, const Context& ctx) const;
  bool takes_sparse() const;  // the links read sparse features as they are
  // Scores (rows x labels) where each link sees what the links before it decided.
  Matrix scores(const Features& x, const Context& ctx) const;

  Summary summary() const { return summary_of_parts(links_); }
  // The place of each label in the chain.
  Result places() const;

  template <class V>
  void visit(V& v) {
    v("order", order_, below(v.outputs()).length(v.outputs()));
    v("features", features_);
    const Index width = features_.width(v.features());
    v.each("links", links_, [&](Index k) { return ModelShape{width + k, 1}; });
    v.require(!order_.empty() && is_order(), "order", "does not name every label once");
    v.require(links_.size() == order_.size(), "links", "does not fit the order");
  }

 private:
  bool is_order() const;

  std::vector<Id> order_;
  JoinableFeatures features_;
  std::vector<FittedLabels> links_;  // of one label each
};

}  // namespace mulberry::learners
