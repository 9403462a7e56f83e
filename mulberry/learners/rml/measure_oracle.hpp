// The most violated labelling of one label, for losses defined on the whole column of predictions.
//
// For truth y (0/1) and scores s over the same rows, finds the 0/1 column z that maximises
// loss(z, y) + <z, s>. Every loss here depends on z only through p, the true positives it selects,
// and q, the negatives it selects, so the best z for given (p, q) takes the p highest positives and
// the q highest negatives; G(p, q) = loss(p, q) + their score sums is maximised exactly.
//
// Cost: O(V) for hamming and recall, O(V + U log U) for fbeta and precision, where U counts the
// cells whose choice is not settled by their score alone (see measure_oracle.cpp). The result is
// the same for every order of equal scores, except that the first of equal cells is taken.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/learners/rml/sort_head.hpp"

namespace mulberry::learners {

enum class SetMeasure { fbeta, precision, recall, hamming };

// One minus the measure, in [0, 1] and 0 for the truth. An empty prediction of an empty label is
// right; for a label with positives it is entirely wrong (hamming counts cells).
class SetLoss {
 public:
  // beta is used only by fbeta: 0 makes it precision, a square that overflows makes it recall.
  explicit SetLoss(SetMeasure measure = SetMeasure::fbeta, double beta = 1.0);

  SetMeasure measure() const { return measure_; }
  double beta2() const { return beta2_; }  // beta squared; 0 for precision
  // For a column with `positives` ones among `rows`, if p ones and q zeros are selected.
  double value(Index rows, Index positives, Index p, Index q) const;
  // Whether a score of exactly 0 is predicted as positive. The model is indifferent to such cells;
  // fbeta and recall gain from taking them, precision and hamming from leaving them out.
  bool selects_ties() const;

 private:
  SetMeasure measure_;
  double beta2_;
};

struct Violation {
  double value = 0;            // loss + <z, s>
  double loss = 0;             // of z
  Index positives = 0;         // p
  Index negatives = 0;         // q
  std::span<const char> cell;  // z, one per row; valid until the next call
};

// Keeps its working memory between calls: one per thread.
class MeasureOracle {
 public:
  MeasureOracle(SetLoss loss, std::vector<char> truth);

  Violation operator()(std::span<const double> scores);

  const SetLoss& loss() const { return loss_; }
  std::span<const char> truth() const { return truth_; }
  Index rows() const { return static_cast<Index>(truth_.size()); }
  Index positives() const { return static_cast<Index>(positive_.size()); }

 private:
  struct Choice {
    Index p = 0, q = 0;
  };
  Choice choose(std::span<const double> scores);
  static void collect(std::span<const double> scores, std::span<const Id> rows, double above,
                      double most, std::vector<double>& out);
  void select(std::span<const double> scores, std::span<const Id> rows, double above);
  void select_top(std::span<const double> scores, std::span<const Id> rows, double certain,
                  std::span<const double> undecided, Index extra);

  SetLoss loss_;
  std::vector<char> truth_, cell_;
  std::vector<Id> positive_, negative_;      // rows
  std::vector<double> open_pos_, open_neg_;  // undecided scores, descending
  std::vector<double> prefix_;               // of open_neg_
  SortHead sort_;
  double certain_pos_ = 0, certain_neg_ = 0;  // scores above these are selected for certain
};

}  // namespace mulberry::learners
