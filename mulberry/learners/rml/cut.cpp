#include "mulberry/learners/rml/cut.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/index.hpp"

namespace mulberry::learners::rml {

Cut best_cut(const Cells& cells, std::span<const double> scores, const SetLoss& loss) {
  std::vector<Id> order(scores.size());
  std::iota(order.begin(), order.end(), Id{0});
  const auto score = [&](Id k) { return scores[at(k)]; };
  std::sort(order.begin(), order.end(),
            [&](Id a, Id b) { return score(a) != score(b) ? score(a) > score(b) : a < b; });
  Counts counts{.rows = cells.size(), .positives = cells.positives()};
  Cut out;
  for (std::size_t k = 0; k < order.size(); ++k) {
    ++(cells.truth[at(order[k])] != 0 ? counts.p : counts.q);
    const double here = score(order[k]);
    const double next = k + 1 < order.size() ? score(order[k + 1]) : here - std::abs(here) - 1;
    if (next < here && counts.value(loss) > out.value) {
      out = {.at = here + 0.5 * (next - here), .value = counts.value(loss)};
    }
  }
  return out;
}

Scorer hamming_scorer(const Inputs& inputs, const Cells& cells, Index label,
                      const Settings& settings, double cost, const Context& ctx) {
  Settings hamming = settings;
  hamming.loss = SetLoss(SetMeasure::hamming);
  hamming.ramp = false;
  Scorer out;
  train_column(inputs, cells, label, hamming, {&cost, 1}, ctx,
               [&](std::size_t, Scorer found) { out = std::move(found); });
  out.b -= best_cut(cells, column_scores(inputs, cells.rows, out), settings.loss).at;
  return out;
}

}  // namespace mulberry::learners::rml
