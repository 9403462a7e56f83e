// Which labels occur together. Every figure is over the rows where both labels are observed.
// Counting costs O(sum over rows of the square of their labels), with missing cells also
// O(rows * pairs / 64); memory: O(labels) per thread, without a table of all pairs.
#pragma once

#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::data {

struct LabelPair {
  Id a = 0, b = 0;     // a < b
  Index together = 0;  // rows with both
  double phi = 0;      // correlation of the two labels, -1..1; 0 if one of them is constant
  double lift = 0;     // rows with both / expected number for independent labels
};

// Steps that counting the pairs takes. A row of 100,000 labels alone has 5e9 pairs.
double pair_steps(const Labels& y);

// The `count` pairs with the highest phi, highest first, of those with at least `least` rows
// together: few common rows make a high phi by chance.
std::vector<LabelPair> strongest_pairs(const Labels& y, Index count, Index least,
                                       const Context& ctx);

// phi of every two labels; 1 on the diagonal. For pictures: labels x labels numbers.
Matrix phi_matrix(const Labels& y, const Context& ctx);

}  // namespace mulberry::data
