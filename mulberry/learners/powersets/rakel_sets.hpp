// The random sets of labels of RAkEL. Each set is in increasing order.
#pragma once

#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/matrix.hpp"

namespace mulberry::learners {

// The number of sets of k out of n labels, or `most` if there are more.
Index count_labelsets(Index n, Index k, Index most);
// A random partition into sets of k labels; the last has the rest. 1 <= k <= labels.
std::vector<std::vector<Id>> disjoint_labelsets(Index labels, Index k, const Context& ctx);
// `count` different sets of k labels, or all of them if there are fewer; every choice of sets is
// equally likely, but that sets give up labels that others hold as well to labels that none holds.
// O(count k log count).
std::vector<std::vector<Id>> random_labelsets(Index labels, Index k, Index count,
                                              const Context& ctx);

}  // namespace mulberry::learners
