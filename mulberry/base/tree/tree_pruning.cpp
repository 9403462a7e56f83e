#include "mulberry/base/tree/tree_pruning.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/math/statistics/distributions.hpp"

namespace mulberry::base {
double pessimistic_errors(double rows, double errors, double confidence) {
  if (errors < 1) {
    const double none = rows * (1 - std::pow(confidence, 1 / rows));
    if (errors <= 0 || rows < 1) return std::min(rows, none + errors);
    return none + errors * (pessimistic_errors(rows, 1, confidence) - none);
  }
  if (errors + 0.5 >= rows) return rows;
  const double z = math::normal_upper_quantile(confidence), z2 = z * z;
  const double e = errors + 0.5;
  const double rate = (e + z2 / 2 + z * std::sqrt(e * (1 - e / rows) + z2 / 4)) / (rows + z2);
  return rows * rate;
}

}  // namespace mulberry::base
