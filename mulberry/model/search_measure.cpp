#include "mulberry/model/search_measure.hpp"

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/measures/measures.hpp"

namespace mulberry::model {

void require_search_measure(const std::string& learner, const std::string& name,
                            const std::string& fallback) {
  const Needs needs = measure_info(name).needs;
  if (needs == Needs::scores || needs == Needs::decisions) return;
  throw Error(Code::parameter,
              learner + ": expected a measure of scores or decisions, found " + name +
                  ", which needs " + std::string(name_of(needs)),
              "Use measure=" + fallback);
}

double measured(const std::string& name, const Labels& y, const Matrix& margins,
                const LabelSets* sets, const Context& ctx) {
  const Labels decided = decide({.scores = margins, .scale = Scale::margin}, sets);
  return measure(name, y, {.scores = &margins, .decided = &decided}, {}, ctx).value;
}

std::size_t best_of(std::span<const double> values, bool higher_is_better) {
  const double sign = higher_is_better ? 1 : -1;
  std::size_t best = 0;
  for (std::size_t k = 1; k < values.size(); ++k) {
    const double value = sign * values[k], before = sign * values[best];
    if (value > before || (std::isnan(before) && !std::isnan(value))) best = k;
  }
  return best;
}

}  // namespace mulberry::model
