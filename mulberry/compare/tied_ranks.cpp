#include "mulberry/compare/tied_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/error.hpp"

namespace mulberry::compare {

TiedRanks tied_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const double v : values) MULBERRY_ASSERT(!std::isnan(v));
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  TiedRanks out{.ranks = std::vector<double>(values.size())};
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const auto size = static_cast<double>(end - begin);
    const double rank = static_cast<double>(begin) + (size + 1) / 2;
    for (std::size_t k = begin; k < end; ++k) out.ranks[order[k]] = rank;
    out.ties += size * size * size - size;
  }
  return out;
}

}  // namespace mulberry::compare
