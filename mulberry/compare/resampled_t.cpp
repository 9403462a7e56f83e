#include "mulberry/compare/resampled_t.hpp"

#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/math/statistics/distributions.hpp"
#include "mulberry/math/statistics/summaries.hpp"

namespace mulberry::compare {

ResampledTTest resampled_t(std::span<const double> differences, std::span<const SplitRows> splits) {
  MULBERRY_ASSERT(differences.size() == splits.size());
  std::vector<double> used;
  double train = 0, test = 0;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (std::isnan(differences[i])) continue;
    used.push_back(differences[i]);
    train += static_cast<double>(splits[i].train);
    test += static_cast<double>(splits[i].test);
  }
  const auto count = static_cast<double>(used.size());
  ResampledTTest out{.mean = mean_of(used), .freedom = count - 1};
  if (used.size() < 2) {
    out.deviation = out.t = out.p = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  MULBERRY_ASSERT(train > 0 && test > 0);
  out.deviation = deviation_of(used) * std::sqrt(1 / count + test / train);
  // Equal differences in every split: certain, unless they are 0.
  if (out.deviation == 0) {
    out.t = out.mean == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), out.mean);
  } else {
    out.t = out.mean / out.deviation;
  }
  out.p = student_t_two_sided(out.t, out.freedom);
  return out;
}

}  // namespace mulberry::compare
