#include "mulberry/base/tree_pruning.hpp"

#include <algorithm>
#include <cmath>

namespace mulberry::base {
namespace {

// z with P(N(0, 1) > z) = p, for p of at most one half.
double upper_quantile(double p) {
  double low = 0, high = 40;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > p ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double pessimistic_errors(double rows, double errors, double confidence) {
  if (errors < 1) {
    const double none = rows * (1 - std::pow(confidence, 1 / rows));
    if (errors <= 0 || rows < 1) return std::min(rows, none + errors);
    return none + errors * (pessimistic_errors(rows, 1, confidence) - none);
  }
  if (errors + 0.5 >= rows) return rows;
  const double z = upper_quantile(confidence), z2 = z * z;
  const double e = errors + 0.5;
  const double rate = (e + z2 / 2 + z * std::sqrt(e * (1 - e / rows) + z2 / 4)) / (rows + z2);
  return rows * rate;
}

}  // namespace mulberry::base
