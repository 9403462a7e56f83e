// One line per label: how often it occurs and how well it is predicted, the worst label first.
#pragma once

#include <vector>

#include "mulberry/measures/outcome.hpp"
#include "mulberry/measures/value.hpp"

namespace mulberry::measures {

// NaN if a value does not exist (0/0 under the policies skip and nan, AUC of one class) or the
// outcome has no decisions or no scores.
struct LabelLine {
  Id label = 0;
  Index observed = 0, support = 0, decided = 0;  // rows observed, true, and decided among them
  double precision = 0, recall = 0, f1 = 0, auc = 0;
};

// Sorted by increasing F1, or AUC without decisions; labels without that value last; then by label.
std::vector<LabelLine> label_table(const Labels& truth, const Outcome& outcome,
                                   const MeasureOptions& options, const Context& ctx);

}  // namespace mulberry::measures
