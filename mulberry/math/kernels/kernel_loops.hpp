// The loops of kernels that are not matrix products: exponentials, and sums over features of a
// function of two values. Vectorised by hand (see vectors.hpp), with the same bits everywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "mulberry/core/index.hpp"
#include "mulberry/core/matrix.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::math::kernel_loops {

// x = exp(x) for x <= 0. exp(x) = 2^n exp(r) with x = n ln 2 + r, |r| <= ln(2) / 2, and 14 terms of
// the series of exp(r), whose rest is below 1e-17. Results that would be denormal are 0.
template <int count>
MULBERRY_INLINE void exponential(typename Wide<count>::Values& x) {
  using Values = typename Wide<count>::Values;
  using Bits = typename Wide<count>::Bits;
  constexpr double k_terms[] = {1.0 / 6227020800.0,
                                1.0 / 479001600.0,
                                1.0 / 39916800.0,
                                1.0 / 3628800.0,
                                1.0 / 362880.0,
                                1.0 / 40320.0,
                                1.0 / 5040.0,
                                1.0 / 720.0,
                                1.0 / 120.0,
                                1.0 / 24.0,
                                1.0 / 6.0,
                                0.5,
                                1.0,
                                1.0};
  constexpr double k_log2e = 1.4426950408889634074, k_least = -708.0;
  constexpr double k_ln2_high = 6.93147180369123816490e-01, k_ln2_low = 1.90821492927058770002e-10;
  constexpr double k_round = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number
  constexpr std::int64_t k_round_bits = 0x4338000000000000;
  const Values nothing = {};
  const Bits vanishes = x < k_least;
  x = vanishes ? nothing : x;
  const Values shifted = x * k_log2e + k_round;
  const Values n = shifted - k_round;
  const Values r = (x - n * k_ln2_high) - n * k_ln2_low;
  Values sum = r * k_terms[0] + k_terms[1];
  for (int k = 2; k < 14; ++k) sum = sum * r + k_terms[k];
  const Bits power = (reinterpret_cast<const Bits&>(shifted) - k_round_bits + 1023) << 52;
  const Values result = sum * reinterpret_cast<const Values&>(power);
  x = vanishes ? nothing : result;
}

// values[k] = exp(-scale * values[k]) for values and a scale of at least 0.
struct Exponentials {
  double* values;
  Index count;
  double scale;
};

template <int count>
MULBERRY_INLINE void exponentials_body(Exponentials& task) {
  using Values = typename Wide<count>::Values;
  const auto run = [&](double* at) __attribute__((always_inline)) {
    Values x = *reinterpret_cast<Values*>(at) * -task.scale;
    exponential<count>(x);
    *reinterpret_cast<Values*>(at) = x;
  };
  Index k = 0;
  for (; k + count <= task.count; k += count) run(task.values + k);
  if (k == task.count) return;
  double rest[count] = {};
  std::copy(task.values + k, task.values + task.count, rest);
  run(rest);
  std::copy(rest, rest + (task.count - k), task.values + k);
}
MULBERRY_DISPATCH_WIDE(exponentials, exponentials_body)

// values[k] = exp(-scale * max(0, own + sizes[k] - 2 values[k])): from inner products and squared
// lengths to the kernel.
struct Gaussians {
  double* values;
  const double* sizes;
  double own;
  Index count;
  double scale;
};

template <int count>
MULBERRY_INLINE void gaussians_body(Gaussians& task) {
  using Values = typename Wide<count>::Values;
  const auto run = [&](double* at, const double* sizes) __attribute__((always_inline)) {
    const Values nothing = {};
    const Values d =
        (*reinterpret_cast<const Values*>(sizes) + task.own) - *reinterpret_cast<Values*>(at) * 2.0;
    Values x = (d > nothing ? d : nothing) * -task.scale;
    exponential<count>(x);
    *reinterpret_cast<Values*>(at) = x;
  };
  Index k = 0;
  for (; k + count <= task.count; k += count) run(task.values + k, task.sizes + k);
  if (k == task.count) return;
  double rest[count] = {}, sizes[count] = {};
  std::copy(task.values + k, task.values + task.count, rest);
  std::copy(task.sizes + k, task.sizes + task.count, sizes);
  run(rest, sizes);
  std::copy(rest, rest + (task.count - k), task.values + k);
}
MULBERRY_DISPATCH_WIDE(gaussians, gaussians_body)

enum class Term { difference, chi2, minimum };

// out(i, j) = sum_k term(a_ik, b_jk), added in the order of k.
template <Term term>
struct PairSums {
  const double* a;      // rows x features
  const double* panel;  // groups of 16 rows of b: features x 16 each, see pack
  Index rows, cols, features;
  double* out;
  Index stride;
};

constexpr Index k_group = 16;

// Rows of b in the layout of PairSums; the last group is padded with zeros.
inline std::vector<double> pack(const double* b, Index rows, Index features) {
  const Index groups = (rows + k_group - 1) / k_group;
  std::vector<double> out(at(groups * k_group * features));
  for (Index j = 0; j < rows; ++j) {
    double* const to = out.data() + (j / k_group) * k_group * features + j % k_group;
    for (Index k = 0; k < features; ++k) to[k * k_group] = b[j * features + k];
  }
  return out;
}

template <Term term>
MULBERRY_INLINE void pair_sums_body(PairSums<term>& task) {
  constexpr int k_units = static_cast<int>(k_group) / 4;
  // Keeps 0/0 at 0; negligible next to values of a histogram, and products of three are normal.
  constexpr double k_tiny = 1e-100;
  const Vector4 nothing = {}, least = nothing + k_tiny;
  for (Index j = 0; j < task.cols; j += k_group) {
    const double* const group = task.panel + j * task.features;
    const Index width = std::min(k_group, task.cols - j);
    for (Index i = 0; i < task.rows; ++i) {
      const double* const row = task.a + i * task.features;
      Vector4 sums[k_units] = {};
      for (Index k = 0; k < task.features; ++k) {
        // `auto` would lose the permission for unaligned addresses.
        const Vector4* const b =  // NOLINT
            reinterpret_cast<const Vector4*>(group + k * k_group);
        const Vector4 x = {row[k], row[k], row[k], row[k]};
        // Two features of chi2 share a division, which takes longer than all the rest.
        const bool paired = term == Term::chi2 && k + 1 < task.features;
        const Vector4 next = nothing + (paired ? row[k + 1] : 0.0);
        for (int u = 0; u < k_units; ++u) {
          const Vector4 y = b[u];
          if constexpr (term == Term::minimum) {
            sums[u] += x < y ? x : y;
          } else if constexpr (term == Term::difference) {
            const Vector4 d = x - y, e = y - x;
            sums[u] += d > e ? d : e;
          } else {
            const Vector4 d = x - y, total = x + y;
            const Vector4 bottom = total > least ? total : least;
            if (!paired) {
              sums[u] += d * d / bottom;
              continue;
            }
            const Vector4 z = b[u + k_units], e = next - z, other = next + z;
            const Vector4 beside = other > least ? other : least;
            sums[u] += (d * d * beside + e * e * bottom) / (bottom * beside);
          }
        }
        if (paired) ++k;
      }
      double cells[k_group];
      std::memcpy(cells, sums, sizeof cells);
      std::copy(cells, cells + width, task.out + i * task.stride + j);
    }
  }
}
MULBERRY_DISPATCH(pair_sums, pair_sums_body)

}  // namespace mulberry::math::kernel_loops
