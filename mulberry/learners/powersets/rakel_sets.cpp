#include "mulberry/learners/powersets/rakel_sets.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace mulberry::learners {
namespace {

std::vector<Id> first_labels(Index count) {
  std::vector<Id> out(at(count));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// The next set of k out of n labels in lexicographic order; false after the last.
bool next_set(std::vector<Id>& set, Index n) {
  const std::size_t k = set.size();
  for (std::size_t p = k; p > 0; --p) {
    const auto last = static_cast<Id>(n) - static_cast<Id>(k - p) - 1;
    if (set[p - 1] >= last) continue;
    ++set[p - 1];
    std::iota(set.begin() + static_cast<std::ptrdiff_t>(p), set.end(), set[p - 1] + 1);
    return true;
  }
  return false;
}

}  // namespace

Index count_labelsets(Index n, Index k, Index most) {
  Index out = 1;
  for (Index j = 1; j <= std::min(k, n - k); ++j) {
    if (out > most) return most;  // from here it only grows
    out = out * (n - j + 1) / j;
  }
  return std::min(out, most);
}

std::vector<std::vector<Id>> disjoint_labelsets(Index labels, Index k, const Context& ctx) {
  std::vector<Id> order = first_labels(labels);
  ctx.rng("disjoint labelsets").shuffle(std::span(order));
  std::vector<std::vector<Id>> out;
  for (Index begin = 0; begin < labels; begin += k) {
    out.emplace_back(order.begin() + begin, order.begin() + std::min(labels, begin + k));
    std::sort(out.back().begin(), out.back().end());
  }
  return out;
}

std::vector<std::vector<Id>> random_labelsets(Index labels, Index k, Index count,
                                              const Context& ctx) {
  Random draws = ctx.rng("random labelsets");
  std::vector<std::vector<Id>> out;
  if (count_labelsets(labels, k, 2 * count) < 2 * count) {
    // With few sets to choose from, drawing until enough are different could take long.
    std::vector<Id> set = first_labels(k);
    do out.push_back(set);
    while (next_set(set, labels));
    draws.shuffle(std::span(out));
    out.resize(std::min(out.size(), at(count)));
    return out;
  }
  std::set<std::vector<Id>> found;
  std::vector<Id> order = first_labels(labels);
  while (count_of(out) < count) {
    for (Index j = 0; j < k; ++j) {
      std::swap(order[at(j)], order[at(j + draws.below(labels - j))]);
    }
    std::vector<Id> set(order.begin(), order.begin() + k);
    std::sort(set.begin(), set.end());
    if (found.insert(set).second) out.push_back(std::move(set));
  }
  return out;
}

}  // namespace mulberry::learners
