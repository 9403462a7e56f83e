// Two learners on one data set, over splits that share rows.
#pragma once

#include <span>

#include "mulberry/compare/scores.hpp"

namespace mulberry::compare {

struct ResampledTTest {
  double mean = 0;       // of the differences
  double deviation = 0;  // estimated, of that mean
  double t = 0, freedom = 0;
  double p = 1;  // two-sided; NaN for fewer than 2 splits
};

// The corrected resampled t-test (Nadeau and Bengio 2003). The training parts of repeated splits
// overlap, so their results are not independent: the variance of a mean of J differences is not
// s^2 / J but about s^2 (1/J + n_test/n_train). Without the correction the test finds differences
// far too often. Splits in which a difference is NaN are left out.
ResampledTTest resampled_t(std::span<const double> differences, std::span<const SplitRows> splits);

}  // namespace mulberry::compare
