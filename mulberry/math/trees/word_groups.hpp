// The columns that a nominal feature became: neighbours of 0 and 1, of which every row with a known
// value has exactly one 1. Trees can then ask for a set of words at once instead of one word at a
// time.
//
// They are found from the values alone, whoever made the columns. Every row has a random number;
// the numbers of the rows that are 1 in a column are added up, and a run of columns whose sums add
// up to that of all known rows is checked row by row. Cost: one pass over the stored values.
#pragma once

#include <cstdint>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::math {

struct WordGroup {
  Id begin = 0, size = 0;
};

// visit(row, value) for the values of a column that are not 0. `by_column` is the transpose of
// sparse features.
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

// Of at least three columns each, in increasing order.
std::vector<WordGroup> find_word_groups(const Features& x, const Csr& by_column,
                                        const Context& ctx);

}  // namespace mulberry::math
