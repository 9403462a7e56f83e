// The value that linear classifiers minimise, written as its formula: tests and benchmarks compare
// the solutions of several solvers by it.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "mulberry/core/index.hpp"
#include "mulberry/math/linear/linear.hpp"

namespace mulberry::tests::reference {

inline double loss_of(math::Loss loss, double margin) {
  const double slack = std::max(0.0, 1 - margin);
  if (loss == math::Loss::hinge) return slack;
  if (loss == math::Loss::squared_hinge) return slack * slack;
  return std::max(0.0, -margin) + std::log1p(std::exp(-std::abs(margin)));
}

inline double linear_objective(const Features& x, std::span<const std::int8_t> y,
                               std::span<const double> cost, const math::LinearOptions& options,
                               std::span<const double> w, double b) {
  double sum = options.bias == math::Bias::regularised ? 0.5 * b * b : 0.0;
  for (const double v : w) sum += 0.5 * v * v;
  for (Index i = 0; i < count_of(y); ++i) {
    if (cost[at(i)] == 0) continue;
    sum += cost[at(i)] * loss_of(options.loss, y[at(i)] * (x.row_dot(i, w) + b));
  }
  return sum;
}

}  // namespace mulberry::tests::reference
