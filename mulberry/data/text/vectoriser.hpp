// Vectoriser: from a column of texts to sparse features. Fitted on training rows: it learns which
// words there are and how many rows have each; applied to other rows, words that it does not know
// count nothing. Columns are in the order of their words.
//
// The cost is one pass over the characters; see ngram_tree.hpp for the memory.
#pragma once

#include <memory>
#include <string>

#include "mulberry/core/bounds.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/data/features.hpp"
#include "mulberry/data/text/text_options.hpp"
#include "mulberry/data/text/texts.hpp"

namespace mulberry::data {

struct LazyLookup;

class Vectoriser {
 public:
  Vectoriser() = default;
  // `features`, if not null, receives the features of the texts, as apply would give them.
  // Throws Error (data) if no word is left, and Error (parameter) for options that exclude all.
  static Vectoriser fit(const Texts& texts, const TextOptions& options, const Context& ctx,
                        Csr* features = nullptr);
  // One with these words, in increasing order, and weights (empty: all 1).
  static Vectoriser of(const TextOptions& options, std::span<const std::string> words,
                       std::vector<double> idf);
  Csr apply(const Texts& texts, const Context& ctx) const;

  Index columns() const { return hash_ > 0 ? hash_ : count_of(start_) - 1; }
  bool hashes() const { return hash_ > 0; }
  std::string term(Index column) const;                                     // the words of a column
  const Array<double>& idf() const { return idf_; }                         // empty: all 1
  std::size_t bytes() const { return bytes_.size() + 16 * start_.size(); }  // about, in a file

  template <class V>
  void visit(V& v) {
    v("units", units_, up_to(TextUnit::chars_in_words));
    v("least", range_.least, whole(1, k_most_units));
    v("most", range_.most, whole(range_.least, k_most_units));
    v("lowercase", lowercase_);
    v("binary", binary_);
    v("sublinear", sublinear_);
    v("norm", norm_, up_to(TextNorm::none));
    v("hash", hash_, whole(0, k_most_columns));
    v("bytes", bytes_, whole(0, 255));
    v("start", start_, any_count());
    v("idf", idf_, real_from(0));
    v.require(consistent(), "start", "does not fit the vocabulary next to it");
  }

 private:
  explicit Vectoriser(const TextOptions& options);
  bool consistent() const;
  const LazyLookup& lookup() const;
  double weight(Index count, Id column) const;
  void finish_row(std::span<double> row) const;

  TextUnit units_ = TextUnit::words;
  NgramRange range_ = {};
  bool lowercase_ = true, binary_ = false, sublinear_ = false;
  TextNorm norm_ = TextNorm::l2;
  Index hash_ = 0;
  Array<char> bytes_;  // the words of all columns, one after the other
  Array<Index> start_ = std::vector<Index>{0};
  Array<double> idf_;
  // Made when it is first needed; copies share it.
  std::shared_ptr<LazyLookup> lookup_ = make_lazy();
  static std::shared_ptr<LazyLookup> make_lazy();
};

}  // namespace mulberry::data
