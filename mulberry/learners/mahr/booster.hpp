// The training of MAHR, one round at a time: for every label a stump on its weights, the reuse
// step, and a boosting step.
//
//   D_l(i) = 1 / (1 + exp(y_i H_l(x_i))), the derivative of the logistic loss
//   gamma  = half the edge of the mix h,  alpha = 1/2 ln((1/2 + gamma) / (1/2 - gamma))
//   H_l   += alpha h
//
// A cancelled round leaves the state unchanged. Cost of a round: the stumps (rows x columns x
// labels / 4), the edges of reuse (edges.hpp: labels x the cells where a label deviates from its
// usual answer) and rows x labels exponentials. Memory: six labels x rows matrices and the sorted
// columns.
#pragma once

#include "mulberry/data/labels.hpp"
#include "mulberry/learners/mahr/history.hpp"
#include "mulberry/learners/mahr/reuse.hpp"

namespace mulberry::learners::mahr {

class Booster {
 public:
  // Continues from `rounds` if it has any; missing cells of y are left out. The data must outlive
  // the booster. `weights`: one per row, or empty.
  Booster(const Features& x, const Labels& y, std::span<const double> weights,
          const Settings& settings, Rounds rounds, Matrix reuse, const Context& ctx);

  // One more round; false, and nothing added, if no label learns anything any more.
  bool add_round(const Context& ctx);

  const History& history() const { return history_; }
  const Rounds& rounds() const { return history_.rounds(); }
  double score(Index row, Index label) const { return scores_(label, row); }
  double hamming_loss() const;   // share of observed cells on the wrong side
  double logistic_loss() const;  // mean over observed cells

 private:
  struct Losses {
    Index wrong = 0;
    double logistic = 0;
  };

  std::vector<Stump> own_stumps(const Context& ctx);
  void weigh();
  double weigh_label(Index label, std::span<double> out);
  Index observed() const;

  Settings settings_;
  StumpColumns columns_;
  History history_;
  Matrix truth_;                 // labels x rows: -1, +1, 0 if missing
  std::vector<double> weights_;  // of the rows
  Matrix scores_;                // labels x rows
  Matrix signs_;                 // of the scores; empty if nothing is reused
  Matrix weighted_;              // labels that still learn x rows: D y, sizes summing to 1
  std::vector<Id> learning_;     // labels that still learn
  std::vector<char> reused_;     // whether a label ever did
  std::vector<Index> observed_;  // rows of each label
  std::vector<double> mass_;     // of these rows
  std::vector<Losses> losses_;   // of each label, summed over rows
};

}  // namespace mulberry::learners::mahr
