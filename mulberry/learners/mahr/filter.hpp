// The training of MAHR on filtered samples, so that a round visits a sample and not the whole set.
//
//   Rows are drawn at random, with replacement; label l accepts a row with probability
//   D_l(i) = 1 / (1 + exp(y_i H_l(x_i))), so accepted rows follow its weights.
//   A round trains the stumps on 300 accepted rows per label, then measures the edges of stumps and
//   of reuse on newly accepted rows, until the stump's edge is known to within a share `tau`
//   with confidence 1 - delta. The step is taken for an edge smaller by 1 + tau. A label whose
//   filter takes fewer than 300 of (2 / epsilon) ln(t (t + 1) / delta) 300 rows errs on about
//   epsilon of the data or less: it is finished.
//
// Bradley and Schapire, "FilterBoost: Regression and classification on large datasets", NIPS 2007,
// which is the case reuse=none. Ours: one stream of rows serves all labels, the confidence of an
// edge assumes a normal distribution, and measuring it draws at most as many rows as training may
// draw.
//
// Scores of a row are updated when it is drawn. Cost of a round: O(stored log rows) of the rows
// accepted, at most 300 labels of them, and the draws; memory: labels x rows scores.
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

  // One more round; false, and nothing added, if no label learns anything any more.
  bool add_round(const Context& ctx);

  const History& history() const { return history_; }
  const Rounds& rounds() const { return history_.rounds(); }
  // As estimated from the rows drawn for the last round, before it.
  double hamming_loss() const { return hamming_; }
  double logistic_loss() const { return logistic_; }
  Index drawn() const { return drawn_; }  // rows, in the last round

 private:
  struct Sample;
  // Shows randomly drawn rows with current scores to `look` until it has enough or `most` were
  // drawn.
  template <class Look>
  void draw(Random& random, Index most, const Look& look, const Context& ctx);
  Sample draw_for_training(Random& random, Index most, const Context& ctx);
  Sample draw_for_edges(Random& random, Index most, std::span<const Id> learning,
                        std::span<const Step> steps, const Context& ctx);
  bool has_finished(Index label) const;          // by the last round, which a saved model also has
  double accepts(Index label, Index row) const;  // probability
  Matrix weighted(const Sample& sample, std::span<const Id> learning) const;

  const Features& x_;
  Settings settings_;
  Filter filter_;
  History history_;
  Matrix truth_;                // labels x rows: -1, +1, 0 if missing
  std::vector<double> chance_;  // acceptance of a row: its weight, divided by the largest
  Matrix scores_;               // rows x labels, each row as of the round when it was last drawn
  std::vector<Index> round_;
  std::vector<Id> learning_;
  double hamming_ = 0, logistic_ = 0;
  Index drawn_ = 0;
};

}  // namespace mulberry::learners::mahr
