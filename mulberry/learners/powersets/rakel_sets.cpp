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

// A label that no set holds takes the place of the one that most sets hold, in the last of them
// where the set remains different from all others.
void cover_all(std::vector<std::vector<Id>>& sets, Index labels) {
  std::vector<Index> count(at(labels), 0);
  for (const auto& set : sets) {
    for (const Id l : set) ++count[at(l)];
  }
  std::set<std::vector<Id>> found(sets.begin(), sets.end());
  // Puts `label` into a set in place of `other`.
  const auto exchange = [&](Id label, Id other) {
    for (std::size_t k = sets.size(); k-- > 0;) {
      std::vector<Id> changed = sets[k];
      const auto place = std::find(changed.begin(), changed.end(), other);
      if (place == changed.end()) continue;
      *place = label;
      std::sort(changed.begin(), changed.end());
      if (!found.insert(changed).second) continue;
      found.erase(sets[k]);
      sets[k] = std::move(changed);
      ++count[at(label)];
      --count[at(other)];
      return true;
    }
    return false;
  };
  for (Id label = 0; label < static_cast<Id>(labels); ++label) {
    if (count[at(label)] > 0) continue;
    const auto most = std::max_element(count.begin(), count.end());
    if (*most < 2) return;
    exchange(label, static_cast<Id>(most - count.begin()));
  }
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
    cover_all(out, labels);
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
  cover_all(out, labels);
  return out;
}

}  // namespace mulberry::learners
