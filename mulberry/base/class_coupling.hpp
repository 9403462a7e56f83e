// Shares of classes from duels of all pairs of them.
//
// r_ab is the share with which class a wins against b, r_ab + r_ba = 1. The shares p of the classes
//
//   minimise  sum over pairs of  (r_ba p_a - r_ab p_b)^2,   p >= 0,  sum p = 1
//
// Wu, Lin and Weng, "Probability estimates for multi-class classification by pairwise coupling",
// JMLR 5, 2004, its second method, with its iteration over the classes. Cost: O(classes^2) per
// iteration, some tens of them.
#pragma once

#include <span>

#include "mulberry/core/rooms.hpp"

namespace mulberry::base {

// `wins` holds r_ab of the pairs 0 and 1, 0 and 2, ..., 1 and 2, ...; one share per class.
void couple_classes(std::span<const double> wins, std::span<double> shares);

}  // namespace mulberry::base
