// Chain: a sequence of classifiers, one per label, each seeing the features and the labels before
// it. Shared by classifier chains, their ensembles and probabilistic chains.
//
// In training the earlier labels are the true ones, so no link waits for another: X is followed by
// all labels once, as sparse as X is, and link j sees the first d + j columns (fit_links); a missing
// label enters as its share among the observed rows. Cost: L fits of the base learner on d to d + L
// - 1 features; logistic regression shares the passes over them, other base learners get a copy for
// each link that is being trained. When asked, linear links are multiplied by X at once, and each row
// then adds the weights of the labels that it got.
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

// Columns for the labels after those of x: 1 where a row has the label, its share among the observed
// rows where it is missing. Sparse if x is.
Features append_labels(const Features& x, const Labels& y, std::span<const double> weights);

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
  // The same, link by link: what scores() does for links that are not linear.
  Matrix scores_by_link(const Features& x, const Context& ctx) const;

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
  bool says_yes(double score) const { return scale() == Scale::margin ? score > 0 : score >= 0.5; }
  Matrix scores_of_linear(std::span<const LinearForm> links, const Features& prepared,
                          const Context& ctx) const;

  std::vector<Id> order_;
  JoinableFeatures features_;
  std::vector<FittedLabels> links_;  // of one label each
};

}  // namespace mulberry::learners
