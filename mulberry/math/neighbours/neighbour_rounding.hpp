// Dense rows in single precision, with bounds of the rounding errors of their distances. Used by
// the dense search of neighbours.hpp.
//
// Rows are first shifted and scaled to the middle of their range: their distances keep their order,
// and products lose least near the origin. With p the single-precision product of two rows,
//
//   small_a + small_b - 2 p  <=  |a - b|^2  <=  large_a + large_b - 2 p     (in scaled units),
//
// and this still holds if half of one row's part is rounded to single precision and p minus that is
// rounded again. Integers whose products are exact have small = large and need no second pass.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/features.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::math {

struct RoundedRows {
  Index rows = 0, cols = 0;
  std::vector<float> values = {};
  std::vector<double> small = {}, large = {};           // one per row
  std::vector<float> half_small = {}, half_large = {};  // half of these

  blas::Block<const float> block(Index begin, Index end) const {
    return {values.data() + begin * cols, end - begin, cols, cols};
  }
};

struct RoundedPair {
  RoundedRows train = {}, query = {};
};

// Both sets by one map; `query` stays empty if it is `train`.
RoundedPair round_for_search(const Features& train, const Features& query, const Context& ctx);

}  // namespace mulberry::math
