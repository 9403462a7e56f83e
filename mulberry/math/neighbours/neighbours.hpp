// Exact k nearest neighbours, Euclidean distance, ties to the lower row number.
//
// The result is as if sum_j (a_j - b_j)^2, added in feature order, had been compared for all pairs,
// and has the same bits for any number of threads. It is found faster: distances with a proven
// error bound (|a|^2 - 2 a.b + |b|^2 from blocked products; each pair once if a set is compared
// with itself; an inverted index for sparse data) leave a few candidates per row, and only those
// are compared exactly. Integers whose products are exact need no second pass.
//
// Cost: O(n m d / 2 + n k d) dense, O(sum of list lengths) sparse. Memory: the data once more in
// single precision (dense) or transposed (sparse) and a few candidates per row, never n x m.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/extent.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::math {

struct Neighbours {
  Index k = 0;                         // at most the requested number, and at most all rows
  std::vector<Id> index = {};          // rows x k, nearest first
  std::vector<double> distance2 = {};  // squared, as `index`

  std::span<const Id> row(Index i) const { return {index.data() + i * k, at(k)}; }
};

// The k nearest rows of `train` for every row of `query`.
// The memory that a search for `queries` rows takes, with its result; `same`: among themselves.
double neighbours_need(const Extent& extent, double queries, double k, bool same = false);

Neighbours nearest_neighbours(const Features& train, const Features& query, Index k,
                              const Context& ctx);

// The k nearest other rows for every row of `x`.
Neighbours nearest_others(const Features& x, Index k, const Context& ctx);

}  // namespace mulberry::math
