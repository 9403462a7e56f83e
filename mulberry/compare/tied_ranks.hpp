// Ranks of a list of numbers, smallest first.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::compare {

struct TiedRanks {
  std::vector<double> ranks = {};  // from 1; equal values share the mean of their ranks
  double ties = 0;                 // sum of t^3 - t over groups of t equal values
};

// Infinities are allowed, NaN is not.
TiedRanks tied_ranks(std::span<const double> values);

}  // namespace mulberry::compare
