// TargetWords: columns of very many words (cities, products, users), each word replaced by what is
// known about the labels of its rows: one column per label with
//
//     (rows of the word with the label + m * share of the label) / (rows of the word + m),  m = 10,
//
// so that rare words stay near the share of the label, and words that training has not seen get it
// (Micci-Barreca, "A preprocessing scheme for high-cardinality categorical attributes", 2001).
// Training rows get these values from the other parts of a division of the rows into five: from its
// own row, a rare word would tell the learner the answer. Cost: O(rows + words x labels).
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/archive.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

struct TargetWords {
  struct Part {
    std::vector<std::string> words = {};  // in alphabetical order
    Matrix shares = {};                   // (words + 1) x labels; the last row: any other word

    template <class V>
    void visit(V& v) {
      v("words", words);
      v("shares", shares, real(0, 1).rows(count_of(words) + 1).cols(v.outputs()));
      v.require(std::is_sorted(words.begin(), words.end()), "words", "is not in order");
    }
  };
  std::vector<std::string> names = {};  // of the columns
  std::vector<Part> parts = {};

  bool empty() const { return names.empty(); }
  Index columns() const;

  // `joined` receives `other` and the columns of the training rows.
  static TargetWords fit(const Dataset& data, const Features& other, const Context& ctx,
                         Features& joined);
  // Throws Error (data) if the data lacks a column.
  Features apply(const Dataset& data, const Features& other) const;

  template <class V>
  void visit(V& v) {
    v("names", names);
    v("parts", parts);
    v.require(names.size() == parts.size(), "names", "does not fit the columns of words");
  }
};

}  // namespace mulberry::data
