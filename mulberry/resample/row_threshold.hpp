// Row thresholds: a cut for each row, as a linear function of the row's scores (Elisseeff and
// Weston, "A kernel method for multi-labelled classification", NIPS 2001). For methods that only
// rank labels within a row, whose scores have no common zero.
//
// Learnt by least squares from the best cut of every training row: the one with the fewest labels
// on the wrong side, in the middle of the scores it may lie between, or of them and a point 0.2
// beyond all scores: so it is 0.1 above them for a row without labels. Cost: O(n L log L + n L^2).
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::resample {

// The best cut of one row: relevant are the scores above it. Of several stretches of equally good
// cuts the lowest is taken. `relevant` lists labels in increasing order, and so does `missing`,
// which are not looked at; with nothing observed the cut is 0.
double best_row_cut(std::span<const double> scores, std::span<const Id> relevant,
                    std::span<const Id> missing);

struct RowThreshold {
  std::vector<double> weight = {};  // one a label
  double constant = 0;

  double cut(std::span<const double> scores) const;

  template <class V>
  void visit(V& v) {
    v("weight", weight);
    v("constant", constant);
  }
};

// scores and truth: the same rows and labels. Scores that add up to the same number in every row
// (or are alike in another way) do not matter: of equally good weights the smallest are taken.
RowThreshold learn_row_threshold(MatrixView scores, const Labels& truth, const Context& ctx);

}  // namespace mulberry::resample
