// The rounds of AdaBoost.MH, at the cost of the rows that a stump sets apart.
//
// A stump moves the rows of one branch, usually the rows without a word, by the same score c per
// label. That factor exp(-y c) is kept apart, one number per label for yes and one for no, and only
// the rows of the other branches are touched:
//
//   D(i, l) = scale(y, l) D'(i, l),   scale(+, l) scale(-, l) = the same number for every label
//
// so sqrt(yes no) of D' orders the cuts just as D does. A column of two values, one of them 0, has
// one cut, and its value follows from the sum of D' over its listed rows. These sums are kept and
// follow the rows that change; they only choose the columns that may be best, within k_slack. Those
// and the columns of many values are then searched from D' itself, so a drift of the sums does not
// choose a cut. From time to time scale and sums are computed afresh.
//
// Cost of a round: O(L (columns + non-zeros of the rows that change)), with two square roots per
// column and label; a new start, once in up to 64 rounds, O(L non-zeros). Memory: 16 L bytes per
// row, and per column of two values with eight rows or more.
#pragma once

#include "mulberry/learners/boosting/boosted_stumps.hpp"

namespace mulberry::learners {

class JointRounds {
 public:
  // `scores`: the scores of the model so far. The columns must outlive it.
  JointRounds(const StumpColumns& columns, const Compact& data, MatrixView scores,
              const Context& ctx);

  // The split with the least half Z; its sums and value belong to D.
  JointSplit best_split(const Context& ctx) const;
  Sums answers(const Sums& branch) const { return answers_of(branch, labels_, smoothing_); }
  // D *= exp(-y c) with the c of the branches left, right and missing, scaled to sum 1; returns the
  // sum before scaling.
  double update(const JointSplit& split, std::span<const Sums> answers, const Context& ctx);

  static double bytes(const Extent& extent);

 private:
  void start_again(const Context& ctx);
  void change_rows(std::span<const Id> rows, const Sums& factor, const Context& ctx);
  // The columns that may hold the best cut.
  std::vector<Id> candidates(const Context& ctx) const;
  Sums sum_of(std::span<const Id> rows) const;
  Sums scaled(Sums sums) const;

  const StumpColumns& columns_;
  Index labels_;
  Matrix vectors_;  // D'
  double smoothing_ = 0;
  Sums scale_;                     // per label, of yes and then of no
  double unit_ = 1;                // what scale makes of sqrt(yes no)
  Sums all_, all_low_;             // of D', in two parts: sum and what it lacks
  std::vector<Id> kept_, others_;  // columns whose sums are kept, and the rest that have a cut
  Matrix sums_;                    // of the listed rows of each kept column
  std::vector<Index> row_start_;   // of each row, where its kept columns begin
  std::vector<Id> row_kept_;       // their places
  Index rounds_ = 0;               // since the last start
  double moved_ = 0;               // by how much scores may differ since then
};

}  // namespace mulberry::learners
