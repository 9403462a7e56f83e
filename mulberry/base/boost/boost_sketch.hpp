// Sketched gradients: a few columns stand for many labels when splits are searched.
//
// The gain of a split is a sum of G_k^2 / (H_k + l2) over labels. In units of
//
//   s_k = 1 / sqrt(H_k / W + l2 / (0.1 W)),    H_k, W: sums over all rows,
//
// a node with a tenth of the rows has about sum_k (s_k G_k)^2 / w, w the weight of its rows, and a
// sum of squares keeps its value, on average, if the vector is multiplied by a random matrix with
// normal entries of variance 1 / size. Either that, or the `size` labels with the largest
// gradients.
//
// Iosipoi and Vakhrushev, "SketchBoost: fast gradient boosted decision tree for multioutput
// problems", NeurIPS 2022, whose sketches have no units s_k. Cost: O(n L size), or O(n L).
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::base {

class Sketch {
 public:
  // `hessians`: H_k; `total`: W.
  Sketch(std::span<const double> hessians, double total, double l2);

  // The two kinds, chosen again for every tree.
  void draw(Index size, Random random);
  // `sizes`: sum over rows of |g_k|.
  void choose(Index size, std::span<const double> sizes);

  Index size() const { return size_; }
  // The sketch of the gradients of one row.
  void apply(std::span<const double> g, std::span<double> out) const;

 private:
  std::vector<double> unit_;
  Index size_ = 0;
  std::vector<Id> labels_;         // chosen ones, or
  std::vector<float> projection_;  // labels x size
};

}  // namespace mulberry::base
