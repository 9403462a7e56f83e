// The loops of an SMO iteration (smo.hpp), vectorised by hand (vectors.hpp), with the same bits
// everywhere. Each reads the rows of a problem once.
#pragma once

#include <algorithm>
#include <limits>

#include "mulberry/core/matrix.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::learners::smo_loops {

typedef float Float4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef std::int64_t Bits4 __attribute__((vector_size(32), aligned(8), may_alias));

constexpr double k_infinity = std::numeric_limits<double>::infinity();
// Replaces the curvature along a pair if that is 0 or negative: equal rows, or a kernel that is not
// positive semi-definite.
constexpr double k_least_curvature = 1e-12;

// Four values from an address; by reference, because passing vectors by value depends on flags.
MULBERRY_INLINE const Float4& four(const float* at) { return *reinterpret_cast<const Float4*>(at); }
MULBERRY_INLINE const Vector4& four(const double* at) {
  return *reinterpret_cast<const Vector4*>(at);
}
MULBERRY_INLINE Vector4& four(double* at) { return *reinterpret_cast<Vector4*>(at); }
#define MULBERRY_WIDEN(at) __builtin_convertvector(four(at), Vector4)

// gradient -= step (a - b), if anything moves, and then the two extremes of the gradient: the
// highest among the rows that may rise, the lowest among the rows that may fall.
template <bool moves>
struct Advance {
  Index count;
  double* gradient;
  const float* no_rise;  // 0, or -infinity for a row that may not rise
  const float* no_fall;  // 0, or infinity for a row that may not fall
  const float* a;
  const float* b;
  double step;

  Index top = -1;  // the first row with the highest gradient; -1: none may rise
  double highest = -k_infinity;
  double lowest = k_infinity;
};

template <bool moves>
MULBERRY_INLINE void advance_body(Advance<moves>& task) {
  constexpr Index k_chunk = 128;
  const Vector4 none = {}, step = none + task.step;
  Vector4 low[2] = {none + k_infinity, none + k_infinity};
  Index best = 0;  // the chunk of the highest
  for (Index begin = 0; begin < task.count; begin += k_chunk) {
    const Index end = std::min(begin + k_chunk, task.count);
    Vector4 high[2] = {none - k_infinity, none - k_infinity};
    Index t = begin;
    for (; t + 8 <= end; t += 8) {
      for (int half = 0; half < 2; ++half) {
        const Index at = t + 4 * half;
        Vector4 g = four(task.gradient + at);
        if constexpr (moves) {
          g -= step * (MULBERRY_WIDEN(task.a + at) - MULBERRY_WIDEN(task.b + at));
          four(task.gradient + at) = g;
        }
        const Vector4 up = g + MULBERRY_WIDEN(task.no_rise + at);
        const Vector4 down = g + MULBERRY_WIDEN(task.no_fall + at);
        high[half] = up > high[half] ? up : high[half];
        low[half] = down < low[half] ? down : low[half];
      }
    }
    double highest = -k_infinity;
    for (int lane = 0; lane < 4; ++lane) {
      highest = std::max({highest, high[0][lane], high[1][lane]});
    }
    for (; t < end; ++t) {
      if constexpr (moves) {
        task.gradient[t] -=
            task.step * (static_cast<double>(task.a[t]) - static_cast<double>(task.b[t]));
      }
      const double g = task.gradient[t];
      highest = std::max(highest, g + static_cast<double>(task.no_rise[t]));
      task.lowest = std::min(task.lowest, g + static_cast<double>(task.no_fall[t]));
    }
    if (highest > task.highest) {
      task.highest = highest;
      best = begin;
    }
  }
  for (int lane = 0; lane < 4; ++lane) {
    task.lowest = std::min({task.lowest, low[0][lane], low[1][lane]});
  }
  if (task.highest == -k_infinity) return;
  task.top = best;
  while (task.gradient[task.top] + static_cast<double>(task.no_rise[task.top]) != task.highest) {
    ++task.top;
  }
}
MULBERRY_DISPATCH(advance, advance_body)

// The row whose fall, together with the rise of another, gains most by the quadratic along the
// pair: (top - gradient)^2 / curvature.
struct Partner {
  Index count;
  const double* gradient;
  const float* no_fall;
  const double* diagonal;
  const float* row;  // of the one that rises
  double top;        // its gradient
  double own;        // its diagonal

  Index best = -1;  // the first such row; -1: none has a lower gradient
};

// Gains are compared as fractions, because a product costs less than a division.
MULBERRY_INLINE void partner_body(Partner& task) {
  const Vector4 none = {}, top = none + task.top, own = none + task.own;
  const Vector4 least = none + k_least_curvature;
  Vector4 square[2] = {none, none}, under[2] = {none + 1.0, none + 1.0};
  Bits4 place[2] = {{-1, -1, -1, -1}, {-1, -1, -1, -1}};
  Bits4 here = {0, 1, 2, 3};
  Index t = 0;
  for (; t + 8 <= task.count; t += 8) {
    for (int half = 0; half < 2; ++half) {
      const Index at = t + 4 * half;
      Vector4 d = top - (four(task.gradient + at) + MULBERRY_WIDEN(task.no_fall + at));
      d = d > none ? d : none;
      Vector4 q = own + four(task.diagonal + at) - 2.0 * MULBERRY_WIDEN(task.row + at);
      q = q > least ? q : least;
      const Vector4 dd = d * d;
      const Bits4 better = dd * under[half] > square[half] * q;
      square[half] = better ? dd : square[half];
      under[half] = better ? q : under[half];
      place[half] = better ? here : place[half];
      here += 4;
    }
  }
  double best_square = 0, best_under = 1;
  const auto offer = [&](double dd, double q, Index at) __attribute__((always_inline)) {
    if (at < 0) return;
    const double one = dd * best_under, other = best_square * q;
    if (one > other || (one == other && at < task.best)) {
      best_square = dd;
      best_under = q;
      task.best = at;
    }
  };
  for (int lane = 0; lane < 4; ++lane) {
    for (int half = 0; half < 2; ++half) {
      offer(square[half][lane], under[half][lane], place[half][lane]);
    }
  }
  for (; t < task.count; ++t) {
    const double d = task.top - (task.gradient[t] + static_cast<double>(task.no_fall[t]));
    const double q = task.own + task.diagonal[t] - 2 * static_cast<double>(task.row[t]);
    if (d > 0) offer(d * d, std::max(q, k_least_curvature), t);
  }
}
MULBERRY_DISPATCH(partner, partner_body)

// sums += factor row
struct AddRow {
  double* sums;
  const float* row;
  double factor;
  Index count;
};

MULBERRY_INLINE void add_row_body(AddRow& task) {
  const Vector4 factor = Vector4{} + task.factor;
  Index t = 0;
  for (; t + 4 <= task.count; t += 4) {
    *reinterpret_cast<Vector4*>(task.sums + t) =
        four(task.sums + t) + factor * MULBERRY_WIDEN(task.row + t);
  }
  for (; t < task.count; ++t) task.sums[t] += task.factor * static_cast<double>(task.row[t]);
}
MULBERRY_DISPATCH(add_row, add_row_body)

#undef MULBERRY_WIDEN

}  // namespace mulberry::learners::smo_loops
