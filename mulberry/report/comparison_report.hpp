// Comparisons of learners for people: a table of measures by learners, its values as rows for
// spreadsheets, and a picture with one panel per measure.
#pragma once

#include <string>

#include "mulberry/evaluate/cross_validate.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {

// Mean and deviation, or mean and interval if the comparison has intervals; ↑ and ↓ say whether
// more or less is better, a star marks the best mean, • what is significantly worse than it.
// Learners with long names get a letter each, explained below the table; the lines above it say
// what was measured and how.
std::string comparison_text(const Comparison& comparison, bool colours);

// The first lines of the table: the data, the splits, and which figures are shown.
std::string comparison_head(const Comparison& comparison);
// "0.8123 ± 0.0042", or the mean with its interval.
std::string estimate_text(const Estimate& estimate);

// One row per learner and measure, including costs.
Table comparison_rows(const Comparison& comparison);

// One panel per measure: a dot for the mean of each learner and a line for its interval or, without
// intervals, one deviation to each side. The best learners stand out.
std::string comparison_picture(const Comparison& comparison);

}  // namespace mulberry::report
