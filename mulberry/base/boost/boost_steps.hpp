// The parts of a round of boosting that know the truth: derivatives of rows, and the values of
// leaves.
#pragma once

#include <span>
#include <vector>

#include "mulberry/base/boost/boost_loss.hpp"
#include "mulberry/base/boost/gradient_rows.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/data/labels.hpp"
#include "mulberry/math/trees/tree_growth.hpp"

namespace mulberry::base {

// The labels as signs, with the weights of rows and cells.
class BoostTruth {
 public:
  // `balanced`: the positive cells of a label weigh as much as its negative ones.
  BoostTruth(const Labels& y, std::span<const double> weights, bool balanced);

  Index labels() const { return labels_; }
  // Of a row: 0 if no cell of it is observed.
  double weight(Index i) const { return weights_[at(i)]; }
  double total() const { return total_; }  // of all rows
  // Whether all cells are observed and have the weight of their row.
  bool is_even() const { return even_; }

  std::span<const std::int8_t> signs(Index i) const {
    return std::span(signs_).subspan(at(i * labels_), at(labels_));
  }
  LossRow row(Index i, std::span<const double> scores) const {
    return {signs(i), scores, positive_weight_};
  }
  // Times the weight of the row.
  void derivatives_of(BoostLoss loss, Index i, std::span<const double> scores, std::span<double> g,
                      std::span<double> h) const;
  // Of one cell of a row of weight 1; returns the weight that it has, 0 if it is missing.
  double cell_derivatives_of(BoostLoss loss, Index i, Index l, double score, double log_z,
                             double& g, double& h) const;

  // The scores to begin with: log odds, or the mean of signs.
  std::vector<double> start(BoostLoss loss) const;
  // sum over rows of h of every label at these scores.
  std::vector<double> start_hessians(BoostLoss loss, std::span<const double> start) const;
  // sum over rows of |g| of every label.
  std::vector<double> gradient_sizes(BoostLoss loss, MatrixView scores, const Context& ctx) const;
  // Of every row, for scores by label (labels x rows).
  std::vector<double> log_z(MatrixView scores, const Context& ctx) const;
  // The mean loss of a row; `by_label`: scores are labels x rows.
  double mean_loss(BoostLoss loss, MatrixView scores, bool by_label) const;

 private:
  Index labels_ = 0;
  bool even_ = true;
  std::vector<std::int8_t> signs_;  // rows x labels
  std::vector<double> weights_;
  double total_ = 0;
  std::vector<double> positive_weight_;      // by label, or empty: 1
  std::vector<double> positive_, observed_;  // weights of cells by label
};

// The values of the leaves of a tree of all labels, before shrinkage.
class LeafStep {
 public:
  LeafStep(const BoostTruth& truth, BoostLoss loss, MatrixView scores, const LeafPenalty& penalty)
      : truth_(truth), loss_(loss), scores_(scores), penalty_(penalty) {}

  // leaves x labels. `full`: with the whole Hessian of row_logistic, by conjugate gradients to a
  // thousandth of the gradient; l1 has no part in it. `hessians` gets the sums of h of all leaves.
  Matrix values(const GrownTree& tree, std::span<const GrownNode> leaves, bool full,
                std::vector<double>& hessians, const Context& ctx) const;

 private:
  void newton(std::span<const Id> rows, std::span<const double> gradient,
              std::span<double> value) const;

  const BoostTruth& truth_;
  BoostLoss loss_;
  MatrixView scores_;
  LeafPenalty penalty_;
};

}  // namespace mulberry::base
