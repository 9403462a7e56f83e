// Weights of rows as users give them: 0, or within bounds. Products of larger ones with features
// and costs overflow, and smaller ones vanish.
#pragma once

#include "mulberry/data/view.hpp"

namespace mulberry::model {

constexpr double k_largest_weight = 1e15, k_smallest_weight = 1e-15;

// Throws Error (data) that names the first other weight.
void require_computable_weights(const View& view);

}  // namespace mulberry::model
