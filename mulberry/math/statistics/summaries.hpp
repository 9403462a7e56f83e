// Mean, deviation and quantiles: the statistics of repeated runs.
#pragma once

#include <span>

#include "mulberry/core/rooms.hpp"

namespace mulberry::math {

double mean_of(std::span<const double> values);       // NaN if empty
double deviation_of(std::span<const double> values);  // with n - 1; NaN for fewer than 2 values

// The value below which a share p of a sorted list lies, linear between neighbours. NaN if empty.
double sorted_quantile(std::span<const double> sorted, double p);

}  // namespace mulberry::math
