// The training of MAHR on filtered samples, so that a round costs a sample and not the whole set.
//
//   Rows are drawn at random, with replacement; label l accepts a row with probability
//   D_l(i) = 1 / (1 + exp(y_i H_l(x_i))), so what it accepts follows its weights.
//   A round trains the stumps on 300 accepted rows a label, then measures the edges of stumps and
//   of reuse on rows accepted afresh, until the stump's edge is known to within `tau` of itself
//   with confidence 1 - delta. The step is taken for an edge smaller by 1 + tau. A label whose
//   filter takes fewer than 300 of (2 / epsilon) ln(t (t + 1) / delta) 300 rows errs on about
//   epsilon of the data or less: it is finished.
//
// Bradley and Schapire, "FilterBoost: Regression and classification on large datasets", NIPS 2007,
// which this is with reuse=none. Ours: one stream of rows serves all labels, the confidence of an
// edge is that of a normal distribution, and no more rows are drawn for it than may be for
// training.
//
// Scores of a row are brought up to date when it is drawn. Cost of a round: O(stored log rows) of
// the rows accepted, at most 300 labels of them, and the draws; memory: labels x rows scores.
#pragma once

#include "mulberry/data/labels.hpp"
#include "mulberry/learners/mahr/history.hpp"
#include "mulberry/learners/mahr/reuse.hpp"

namespace mulberry::learners::mahr {

struct Filter {
  double epsilon = 0.05, delta = 0.1, tau = 0.1;
};

class FilteredBooster {
 public:
  // As Booster; heavier rows are accepted more often.
  FilteredBooster(const Features& x, const Labels& y, std::span<const double> weights,
                  const Settings& settings, const Filter& filter, Rounds rounds, Matrix reuse);

  // One more round; false, and nothing added, when no label learns anything any more.
  bool add_round(const Context& ctx);

  const History& history() const { return history_; }
  const Rounds& rounds() const { return history_.rounds(); }
  // As estimated from the rows drawn for the last round, before it.
  double hamming_loss() const { return hamming_; }
  double logistic_loss() const { return logistic_; }
  Index drawn() const { return drawn_; }  // rows, in the last round

 private:
  struct Sample;
  // Shows rows drawn at random to `look`, their scores up to date, until it says enough or `most`
  // were drawn.
  template <class Look>
  void draw(Random& random, Index most, const Look& look, const Context& ctx);
  Sample draw_for_training(Random& random, Index most, const Context& ctx);
  Sample draw_for_edges(Random& random, Index most, std::span<const Id> learning,
                        std::span<const Step> steps, const Context& ctx);
  bool has_finished(Index label) const;          // by the last round, which a saved model has too
  double accepts(Index label, Index row) const;  // probability
  Matrix weighted(const Sample& sample, std::span<const Id> learning) const;

  const Features& x_;
  Settings settings_;
  Filter filter_;
  History history_;
  Matrix truth_;                // labels x rows: -1, +1, 0 where missing
  std::vector<double> chance_;  // of a row to be looked at: its weight, divided by the largest
  Matrix scores_;               // rows x labels, each row as of its own round
  std::vector<Index> round_;
  std::vector<Id> learning_;
  double hamming_ = 0, logistic_ = 0;
  Index drawn_ = 0;
};

}  // namespace mulberry::learners::mahr
