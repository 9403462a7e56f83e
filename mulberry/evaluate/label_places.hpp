// Labels with one class among the training rows. Nothing can be learnt about them, and a constant
// score would put them in the middle of the others. A label without a positive row gets a score
// below all labels that have one, in every row of a prediction; a label without a negative row gets
// one above all others.
//
// Margins: 1 below the lowest of the row's other scores and of 0, or 1 above the highest. Scores
// between 0 and 1: 0 or 1, and scores of other labels that are exactly 0 or 1 move by 1e-12, so
// that they are no ties.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/bounds.hpp"
#include "mulberry/data/labels.hpp"
#include "mulberry/model/prediction.hpp"

namespace mulberry::evaluate {

struct OneClassLabels {
  std::vector<Id> never = {}, always = {};  // in increasing order

  bool empty() const { return never.empty() && always.empty(); }
  void place(Prediction& prediction) const;
  template <class V>
  void visit(V& v, Index labels) {
    v("never", never, below(labels));
    v("always", always, below(labels));
    v.require(is_increasing(never) && is_increasing(always), "never", "is not in order");
  }
};

// Rows of weight 0 do not count; a label whose cells are all missing has no positive row.
OneClassLabels one_class_labels(const Labels& y, std::span<const double> weights);

}  // namespace mulberry::evaluate
