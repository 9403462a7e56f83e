#include "mulberry/measures/hierarchy.hpp"

#include <algorithm>

namespace mulberry::measures {

RowMeasures measure_hierarchy(const Labels& truth, const Outcome& outcome,
                              const Selection& wanted) {
  const Labels expected = with_implied(truth, *outcome.rules);
  const Labels decided = with_implied(*outcome.decided, *outcome.rules);
  const Index n = truth.rows();
  using Empty = RowRatio::Empty;
  RowRatio precision("hierarchical_precision", n, Empty::undefined);
  RowRatio recall("hierarchical_recall", n, Empty::undefined);
  RowRatio f1("hierarchical_f1", n, Empty::undefined);
  for (Index i = 0; i < n; ++i) {
    const auto hidden = expected.missing_row(i);
    double both = 0, said = 0;
    for (const Id l : decided.row(i)) {
      if (std::ranges::binary_search(hidden, l)) continue;
      said += 1;
      both += std::ranges::binary_search(expected.row(i), l) ? 1 : 0;
    }
    const auto yes = static_cast<double>(expected.row(i).size());
    precision.set(i, both, said);
    recall.set(i, both, yes);
    f1.set(i, 2 * both, said + yes);
  }
  RowMeasures out;
  for (RowRatio* ratio : {&precision, &recall, &f1}) {
    if (wanted.has(ratio->name())) out.ratios.push_back(std::move(*ratio));
  }
  return out;
}

}  // namespace mulberry::measures
