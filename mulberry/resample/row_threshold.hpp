// Row thresholds: a cut for each row, as a linear function of the row's scores (Elisseeff and
// Weston, "A kernel method for multi-labelled classification", NIPS 2001). It is meant for methods
// that only rank labels within a row, whose scores have no common zero.
//
// Learnt by least squares from the best cut of every training row: the cut with the fewest labels
// on the wrong side, midway between the two scores around it, or between the last score and a point
// 0.2 beyond it: for a row without labels it is 0.1 above all scores. Cost: O(n L log L + n L^2).
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/bounds.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::resample {

// The best cut of one row: scores above it are relevant. Of several stretches of equally good cuts
// the lowest is taken. `relevant` and `missing` list labels in increasing order; missing labels are
// ignored, and if nothing is observed the cut is 0.
double best_row_cut(std::span<const double> scores, std::span<const Id> relevant,
                    std::span<const Id> missing);

struct RowThreshold {
  std::vector<double> weight = {};  // one per label
  double constant = 0;

  double cut(std::span<const double> scores) const;

  template <class V>
  void visit(V& v) {
    v("weight", weight, finite().length(v.outputs()));
    v("constant", constant, finite());
  }
};

// scores and truth: the same rows and labels; rows without an observed cell are left out. Scores
// that add up to the same number in every row (or are alike in another way) do not matter: of
// equally good weights the smallest are taken.
RowThreshold learn_row_threshold(MatrixView scores, const Labels& truth, const Context& ctx);

}  // namespace mulberry::resample
