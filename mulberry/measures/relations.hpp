// Pairwise relations of labels: how often they occur together, over rows in which both labels are
// observed. O(sum of squared row sizes + L^2), parallel over labels.
#pragma once

#include "mulberry/core/context.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::measures {

// phi(i, j): correlation of two labels, -1..1; 0 if one of them does not vary.
Matrix phi(const Labels& y, const Context& ctx);
// co(i, j): share of the rows with label i that also have j; 0 if no row has i.
Matrix co_occurrence(const Labels& y, const Context& ctx);

}  // namespace mulberry::measures
