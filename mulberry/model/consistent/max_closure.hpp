// A closure of greatest weight: of the sets of nodes that contain, with each node, all nodes that
// it requires, one whose weights add up to the most; the smallest of the best ones. Minimum cut,
// Picard 1976, by Dinic's method: O(nodes^2 edges), in practice close to linear.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::model {

// needed: pairs (node, node that it requires). Returns which nodes are in.
std::vector<bool> max_closure(std::span<const double> weights,
                              std::span<const std::pair<Id, Id>> needed);

}  // namespace mulberry::model
