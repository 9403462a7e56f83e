// Passes over one row of single-precision products p[j], eight columns at a time. Used by the dense
// search of neighbours.hpp; neighbour_rounding.hpp explains the halves.
#pragma once

#include <cstdint>
#include <limits>

#include "mulberry/core/array.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::math {

typedef float Float8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef std::int32_t Int8 __attribute__((vector_size(32), aligned(4), may_alias));

// The largest p[j] - half[j] of the columns j = lane, lane + lanes, ...; k of them belong to k
// different columns, so the k-th largest is a bound that k columns reach and, with many lanes, few
// others do.
struct LaneMaxima {
  const float* products;
  const float* half;
  Index count;
  float* best;  // `lanes` of them, minus infinity at first
  Index lanes;  // a multiple of eight
};

MULBERRY_INLINE void lane_maxima_body(LaneMaxima& s) {
  for (Index begin = 0; begin < s.count; begin += s.lanes) {
    const Index size = s.count - begin < s.lanes ? s.count - begin : s.lanes;
    const float *const p = s.products + begin, *const half = s.half + begin;
    Index lane = 0;
    for (; lane + 8 <= size; lane += 8) {
      Float8& best = *reinterpret_cast<Float8*>(s.best + lane);
      const Float8 v = *reinterpret_cast<const Float8*>(p + lane) -
                       *reinterpret_cast<const Float8*>(half + lane);
      best = v > best ? v : best;
    }
    for (; lane < size; ++lane) {
      const float v = p[lane] - half[lane];
      s.best[lane] = v > s.best[lane] ? v : s.best[lane];
    }
  }
}
MULBERRY_DISPATCH(lane_maxima, lane_maxima_body)

// The k-th largest of some numbers, by rank: no unpredictable branch.
struct KthLargest {
  const float* values;
  Index count;  // a multiple of eight
  Index k;
  float result;
};

MULBERRY_INLINE void kth_largest_body(KthLargest& s) {
  float least = std::numeric_limits<float>::infinity();
  for (Index i = 0; i < s.count; ++i) {
    Int8 before = {};  // how many are larger, negated
    for (Index j = 0; j < s.count; j += 8) {
      before += *reinterpret_cast<const Float8*>(s.values + j) > s.values[i];
    }
    std::int32_t larger = 0;
    for (int lane = 0; lane < 8; ++lane) larger -= before[lane];
    const float v = larger < s.k ? s.values[i] : least;
    least = v < least ? v : least;
  }
  s.result = least;
}
MULBERRY_DISPATCH(kth_largest, kth_largest_body)

// The columns that may be near the row or the row near them:
//   p[j] - half[j] >= cut   or   p[j] - own_half >= cuts[j].
struct Scan {
  const float* products;
  const float* half;
  const float* cuts;
  Index count;
  float own_half, cut;
  Id* hits;  // room for `count`
  Index hit_count;
};

MULBERRY_INLINE void scan_body(Scan& s) {
  const auto hit = [&](Index j) {
    const bool near = s.products[j] - s.half[j] >= s.cut;
    return near || s.products[j] - s.own_half >= s.cuts[j];
  };
  Index found = 0, j0 = 0;
#if defined(__x86_64__)
  for (; j0 + 16 <= s.count; j0 += 16) {
    int mask = 0;
    for (int part = 0; part < 16; part += 4) {
      const Float4& p = *reinterpret_cast<const Float4*>(s.products + j0 + part);
      const Float4& half = *reinterpret_cast<const Float4*>(s.half + j0 + part);
      const Float4& cuts = *reinterpret_cast<const Float4*>(s.cuts + j0 + part);
      const auto near = (p - half >= s.cut) | (p - s.own_half >= cuts);
      mask |= _mm_movemask_ps(reinterpret_cast<__m128>(near)) << part;
    }
    for (; mask != 0; mask &= mask - 1) {  // nearly always none
      s.hits[found++] = static_cast<Id>(j0 + __builtin_ctz(static_cast<unsigned>(mask)));
    }
  }
#endif
  for (; j0 < s.count; ++j0) {
    if (hit(j0)) s.hits[found++] = static_cast<Id>(j0);
  }
  s.hit_count = found;
}
MULBERRY_DISPATCH(scan, scan_body)

}  // namespace mulberry::math
