// Bootstrap intervals of measures: rows are drawn with replacement, each resample is measured, and
// the interval lies between quantiles of these values.
//
// Measures that average over rows, and macro and micro measures of decisions, are summed again from
// the contribution of each row; the others are measured on the resampled rows. Rows with weights
// are measured in the same way.
#pragma once

#include <string>
#include <vector>

#include "mulberry/measures/outcome.hpp"
#include "mulberry/measures/value.hpp"

namespace mulberry::measures {

struct BootstrapOptions {
  Index resamples = 1000;
  double level = 0.95;
};

struct Interval {
  MeasureValue measured = {};   // of the original rows
  double low = 0, high = 0;     // NaN if no resample has a value
  double deviation = 0;         // over the resamples, with n - 1
  Index resamples_without = 0;  // resamples in which the measure has no value
};

// Draws depend only on the seed of ctx. Throws Error as measure_some does.
std::vector<Interval> bootstrap(std::span<const std::string> names, const Labels& truth,
                                const Outcome& outcome, const MeasureOptions& options,
                                const BootstrapOptions& how, const Context& ctx);

// The named measures with one weight per row, as if row i occurred weights[i] times. Areas under
// curves and calibration errors need whole numbers. Throws Error as measure_some does.
std::vector<MeasureValue> measure_weighted(std::span<const std::string> names, const Labels& truth,
                                           const Outcome& outcome, const MeasureOptions& options,
                                           std::span<const double> weights, const Context& ctx);

}  // namespace mulberry::measures
