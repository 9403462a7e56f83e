// The gradients that a boosted tree is grown for: one line of numbers per row, which histograms and
// nodes add up.
//
//   one output      g h w 0
//   several         g_1 .. g_m, h_1 .. h_m, w, each part padded with zeros to a multiple of 4
//   shared          g_1 .. g_m, w: the second derivatives of all outputs are the row's weight
//
// w is the weight of the row: 0 if it has no observed cell. Stored in single precision, added in
// double. Derivatives are rounded to 17 binary digits before they are multiplied by the weight, so
// that w times a derivative is exact for whole weights up to 128: a row of weight 3 is three rows to
// the last bit, and splits that gain the same do so in both. The score of a set of rows with sums G, H is
//
//   sum_k soft(G_k)^2 / (H_k + l2),   soft(G) = sign(G) max(|G| - l1, 0).
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "mulberry/core/index.hpp"

namespace mulberry::base {

struct GradientLayout {
  Index outputs = 1;
  bool shared = false;

  bool single() const { return outputs == 1 && !shared; }
  Index padded() const { return single() ? 1 : (outputs + 3) / 4 * 4; }
  Index g(Index k) const { return k; }
  Index h(Index k) const { return shared ? w() : padded() + k; }
  Index w() const { return single() ? 2 : (shared ? 1 : 2) * padded(); }
  Index stride() const { return single() ? 4 : w() + 4; }
};

class GradientRows {
 public:
  GradientRows(Index rows, GradientLayout layout)
      : layout_(layout), values_(at(rows * layout.stride()), 0.0F) {}

  const GradientLayout& layout() const { return layout_; }
  Index rows() const { return count_of(values_) / layout_.stride(); }
  const float* row(Index i) const { return values_.data() + i * layout_.stride(); }
  // Derivatives of a row of weight 1.
  void set(Index i, Index k, double g, double h, double weight = 1) {
    float* const to = values_.data() + i * layout_.stride();
    to[layout_.g(k)] = static_cast<float>(weight * rounded(g));
    if (!layout_.shared) to[layout_.h(k)] = static_cast<float>(weight * rounded(h));
  }
  void set_weight(Index i, double w) {
    values_[at(i * layout_.stride() + layout_.w())] = static_cast<float>(w);
  }

 private:
  // To 17 of the 24 digits of a float, halves away from 0.
  static double rounded(double value) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return static_cast<double>(std::bit_cast<float>((bits + 0x40U) & ~0x7FU));
  }

  GradientLayout layout_;
  std::vector<float> values_;
};

struct LeafPenalty {
  double l1 = 0, l2 = 1;

  double soft(double g) const { return g > l1 ? g - l1 : g < -l1 ? g + l1 : 0.0; }
  double leaf(double g, double h) const { return -soft(g) / (h + l2); }
};

}  // namespace mulberry::base
