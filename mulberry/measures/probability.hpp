// Measures of probabilities, over the observed cells.
#pragma once

#include "mulberry/measures/outcome.hpp"
#include "mulberry/measures/value.hpp"

namespace mulberry::measures {

struct Probability {
  RowMeasures rows;                  // log_loss, brier_score
  MeasureValue calibration_error{};  // over bins of equal width
};

// Needs outcome.scores to be probabilities.
Probability measure_probability(const Labels& truth, const Outcome& outcome, Index bins,
                                const Selection& wanted, const Context& ctx);

}  // namespace mulberry::measures
