#include "mulberry/math/statistics/summaries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mulberry::math {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values) {
  if (values.size() < 2) return k_nan;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double sorted_quantile(std::span<const double> sorted, double p) {
  if (sorted.empty()) return k_nan;
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(place));
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (place - std::floor(place)) * (sorted[high] - sorted[low]);
}

}  // namespace mulberry::math
