// Areas under curves over the rows: AUC and average precision of each label, and AUC of all cells.
// Columns are copied out in blocks, so memory is read once; usually O(n + positives log positives)
// per label. Parallel over blocks of labels.
#pragma once

#include <limits>

#include "mulberry/measures/outcome.hpp"
#include "mulberry/measures/value.hpp"

namespace mulberry::measures {

struct LabelAreas {
  Index observed = 0, positives = 0;
  double auc = std::numeric_limits<double>::quiet_NaN();                // without both classes
  double average_precision = std::numeric_limits<double>::quiet_NaN();  // without positives
};

// tie: what a tied pair of a positive and a negative counts in the AUC.
std::vector<LabelAreas> label_areas(const Labels& truth, const Outcome& outcome, double tie,
                                    const Context& ctx);

// macro_auc, mean_average_precision.
std::vector<MeasureValue> measure_areas(std::span<const LabelAreas> labels, const Rules& rules,
                                        const Selection& wanted);

// micro_auc.
MeasureValue pooled_auc(const Labels& truth, const Outcome& outcome, double tie,
                        const Context& ctx);

}  // namespace mulberry::measures
