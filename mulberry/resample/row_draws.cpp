#include "mulberry/resample/row_draws.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>

namespace mulberry::resample {

std::vector<double> running_sums(std::span<const double> weights) {
  std::vector<double> out;
  out.reserve(weights.size());
  double total = 0;
  for (const double w : weights) out.push_back(total += w);
  return out;
}

std::size_t draw_by_weight(std::span<const double> sums, Random& random) {
  const double place = random.uniform() * sums.back();
  const auto found = std::upper_bound(sums.begin(), sums.end(), place);
  return std::min(at(found - sums.begin()), sums.size() - 1);
}

RowDraws::RowDraws(Index rows, std::span<const double> weights) {
  std::vector<double> positive;
  for (Index i = 0; i < rows; ++i) {
    const double w = weights.empty() ? 1.0 : weights[at(i)];
    if (w <= 0) continue;
    rows_.push_back(static_cast<Id>(i));
    positive.push_back(w);
  }
  if (rows_.empty()) return;
  weight_ = positive.front();
  if (std::ranges::all_of(positive, [&](double w) { return w == weight_; })) return;
  sums_ = running_sums(positive);
  weight_ = sums_.back() / static_cast<double>(rows_.size());
}

Id RowDraws::draw(Random& random) const {
  return rows_[sums_.empty() ? at(random.below(count())) : draw_by_weight(sums_, random)];
}

}  // namespace mulberry::resample
