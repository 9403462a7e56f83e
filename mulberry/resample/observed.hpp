// The observed cells of one label, in the order of rows.
#pragma once

#include "mulberry/data/labels.hpp"

namespace mulberry::resample {

// visit(row, whether positive) for every row in which label l is not missing.
template <class Visit>
void for_observed(const Labels& truth, Index l, const Visit& visit) {
  const auto positive = truth.column(l), missing = truth.missing_column(l);
  auto yes = positive.begin();
  auto gap = missing.begin();
  for (Index i = 0; i < truth.rows(); ++i) {
    if (gap != missing.end() && *gap == i) {
      ++gap;
      continue;
    }
    const bool is_positive = yes != positive.end() && *yes == i;
    if (is_positive) ++yes;
    visit(i, is_positive);
  }
}

}  // namespace mulberry::resample
