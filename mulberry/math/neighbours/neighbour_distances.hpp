// Squared distances from one dense row to some others, each sum_j (a_j - b_j)^2 added in feature
// order in double precision: the final decision between neighbours.
//
// Eight sums run in parallel, one in each lane of two vectors, so that none waits for the others
// and each keeps its order of terms.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "mulberry/data/features.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::math {

using ExactNeighbour = std::pair<double, Id>;  // squared distance, row

struct EightDistances {
  const double* from;
  const double* to[8];
  Index cols;
  double sums[8];
};

// sums[r] += the squares of four columns of four rows, column after column.
MULBERRY_INLINE void add_four_columns(const double* from, const double* const* to, Index j,
                                      Vector4& sums) {
  const Vector4 a = *reinterpret_cast<const Vector4*>(from + j);
  Vector4 g0 = a - *reinterpret_cast<const Vector4*>(to[0] + j);
  Vector4 g1 = a - *reinterpret_cast<const Vector4*>(to[1] + j);
  Vector4 g2 = a - *reinterpret_cast<const Vector4*>(to[2] + j);
  Vector4 g3 = a - *reinterpret_cast<const Vector4*>(to[3] + j);
  g0 *= g0;
  g1 *= g1;
  g2 *= g2;
  g3 *= g3;
  const Vector4 even01 = __builtin_shufflevector(g0, g1, 0, 4, 2, 6);
  const Vector4 odd01 = __builtin_shufflevector(g0, g1, 1, 5, 3, 7);
  const Vector4 even23 = __builtin_shufflevector(g2, g3, 0, 4, 2, 6);
  const Vector4 odd23 = __builtin_shufflevector(g2, g3, 1, 5, 3, 7);
  sums += __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
  sums += __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
  sums += __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
  sums += __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
}

MULBERRY_INLINE void eight_distances_body(EightDistances& s) {
  Vector4 first = {}, second = {};
  Index j = 0;
  for (; j + 4 <= s.cols; j += 4) {
    add_four_columns(s.from, s.to, j, first);
    add_four_columns(s.from, s.to + 4, j, second);
  }
  for (int r = 0; r < 4; ++r) {
    s.sums[r] = first[r];
    s.sums[r + 4] = second[r];
  }
  for (; j < s.cols; ++j) {
    for (int r = 0; r < 8; ++r) {
      const double gap = s.from[j] - s.to[r][j];
      s.sums[r] += gap * gap;
    }
  }
}
MULBERRY_DISPATCH(eight_distances, eight_distances_body)

// Fills in the distances of the rows named in `to`.
inline void measure_dense(std::span<const double> from, const Features& rows,
                          std::span<ExactNeighbour> to) {
  for (std::size_t begin = 0; begin < to.size(); begin += 8) {
    EightDistances s{.from = from.data(), .to = {}, .cols = rows.cols(), .sums = {}};
    for (std::size_t r = 0; r < 8; ++r) {  // the last row repeated if there are fewer
      s.to[r] = rows.dense_row(to[std::min(begin + r, to.size() - 1)].second).data();
    }
    eight_distances(s);
    for (std::size_t r = 0; r < 8 && begin + r < to.size(); ++r) to[begin + r].first = s.sums[r];
  }
}

}  // namespace mulberry::math
