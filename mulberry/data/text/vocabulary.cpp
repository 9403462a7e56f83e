#include "mulberry/data/text/vocabulary.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "mulberry/data/text/unicode.hpp"

namespace mulberry::data {
namespace {

// The place of each word in their order.
std::vector<Id> ranks(const WordTable& words) {
  std::vector<Id> order(at(words.size())), out(order.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Id a, Id b) { return words[a] < words[b]; });
  for (std::size_t k = 0; k < order.size(); ++k) out[at(order[k])] = static_cast<Id>(k);
  return out;
}

// All nodes in the order of their n-grams. A blank sorts before every character of a word, so that
// n-grams sort as their lists of words do: the tree is walked with children in order.
std::vector<Id> walk(const NgramTree& tree, std::span<const Id> rank) {
  struct Child {
    std::uint64_t key;  // parent, then the rank of the unit
    Id node;
  };
  const auto nodes = static_cast<Id>(tree.size());
  std::vector<Child> children;
  children.reserve(at(nodes));
  for (Id node = 0; node < nodes; ++node) {
    const Id unit = tree.unit(node);
    const auto place = static_cast<std::uint64_t>(rank.empty() ? unit : rank[at(unit)]);
    children.push_back({(static_cast<std::uint64_t>(tree.parent(node) + 1) << 32U) | place, node});
  }
  std::sort(children.begin(), children.end(),
            [](const Child& a, const Child& b) { return a.key < b.key; });
  std::vector<std::size_t> begin(at(nodes) + 2, 0);  // of the children of node - 1
  for (const Child& child : children) ++begin[(child.key >> 32U) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Id> out, open;
  out.reserve(at(nodes));
  const auto push = [&](Id node) {  // the last child first: the first is taken first
    for (std::size_t k = begin[at(node) + 2]; k > begin[at(node) + 1]; --k) {
      open.push_back(children[k - 1].node);
    }
  };
  for (std::size_t k = begin[1]; k > begin[0]; --k) open.push_back(children[k - 1].node);
  while (!open.empty()) {
    const Id node = open.back();
    open.pop_back();
    out.push_back(node);
    push(node);
  }
  return out;
}

// Keeps the nodes with the largest totals, in their order; of equal ones, the first.
void keep_frequent(std::vector<Id>& kept, std::span<const Index> total, Index features) {
  if (features == 0 || count_of(kept) <= features) return;
  std::vector<std::size_t> order(kept.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return total[at(kept[a])] > total[at(kept[b])];
  });
  order.resize(at(features));
  std::sort(order.begin(), order.end());
  std::vector<Id> out;
  for (const std::size_t k : order) out.push_back(kept[k]);
  kept = std::move(out);
}

}  // namespace

Vocabulary make_vocabulary(const WordTable& words, const NgramTree& tree,
                           std::span<const Index> rows, std::span<const Index> total,
                           const DocumentCounts& limits, bool of_words) {
  std::vector<Id> kept = walk(tree, of_words ? ranks(words) : std::vector<Id>{});
  std::erase_if(kept, [&](Id node) {
    const auto having = static_cast<double>(rows[at(node)]);
    return having == 0 || having < limits.least || having > limits.most;
  });
  keep_frequent(kept, total, limits.features);

  Vocabulary out;
  out.column.assign(at(tree.size()), -1);
  std::vector<Id> path;
  std::string term;
  for (const Id last : kept) {
    path.clear();
    for (Id node = last; node >= 0; node = tree.parent(node)) path.push_back(tree.unit(node));
    term.clear();
    for (auto unit = path.rbegin(); unit != path.rend(); ++unit) {
      if (of_words) {
        if (!term.empty()) term += ' ';
        term += words[*unit];
      } else {
        append_utf8(static_cast<char32_t>(*unit), term);
      }
    }
    out.column[at(last)] = static_cast<Id>(out.start.size() - 1);
    out.bytes.insert(out.bytes.end(), term.begin(), term.end());
    out.start.push_back(count_of(out.bytes));
  }
  return out;
}

}  // namespace mulberry::data
