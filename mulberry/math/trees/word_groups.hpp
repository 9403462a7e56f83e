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

// Of at least three columns each, in increasing order.
std::vector<WordGroup> find_word_groups(const Features& x, const Csr& by_column,
                                        const Context& ctx);

}  // namespace mulberry::math
