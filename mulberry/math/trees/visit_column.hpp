// One column of features, whatever they are stored in: what trees sort and bin.
#pragma once

#include <algorithm>

#include "mulberry/data/features.hpp"

namespace mulberry::math {

// visit(row, value) for the values of a column that are not 0. `by_column` is the transpose of
// sparse features (columns_of).
template <class Visit>
void visit_column(const Features& x, const Csr& by_column, Index j, const Visit& visit) {
  if (x.is_sparse()) {
    const SparseRow column = by_column.row(j);
    for (std::size_t k = 0; k < column.index.size(); ++k) {
      if (column.value[k] != 0) visit(column.index[k], column.value[k]);
    }
    return;
  }
  constexpr Index k_rows = 1024;
  double values[k_rows];
  for (Index first = 0; first < x.rows(); first += k_rows) {
    const Index last = std::min(x.rows(), first + k_rows);
    x.read_block(first, last, j, j + 1, values);
    for (Index i = first; i < last; ++i) {
      if (values[i - first] != 0) visit(static_cast<Id>(i), values[i - first]);
    }
  }
}

}  // namespace mulberry::math
