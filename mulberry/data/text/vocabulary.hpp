// The vocabulary of a tree of n-grams: those that enough and not too many rows have, sorted.
#pragma once

#include <span>
#include <vector>

#include "mulberry/data/text/ngram_tree.hpp"

namespace mulberry::data {

struct DocumentCounts {
  double least = 1, most = 0;  // rows that have the n-gram
  Index features = 0;          // only the most frequent ones; 0: all
};

struct Vocabulary {
  std::vector<char> bytes = {};  // the n-grams in their order, one after the other
  std::vector<Index> start = {0};
  std::vector<Id> column = {};  // of each node, -1 if it is left out
};

// `rows` and `total` have an entry per node: the rows with its n-gram, and how often it occurs. The
// units of `words` are joined by blanks, characters by nothing.
Vocabulary make_vocabulary(const WordTable& words, const NgramTree& tree,
                           std::span<const Index> rows, std::span<const Index> total,
                           const DocumentCounts& limits, bool of_words);

}  // namespace mulberry::data
