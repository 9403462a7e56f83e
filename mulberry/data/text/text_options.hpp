// TextOptions: how free text becomes features. The defaults are taken from scikit-learn's
// TfidfVectorizer, and the same options give the same values:
//   words           runs of at least two letters, digits and underscores, in lower case
//   weights         counts times ln((1 + rows) / (1 + rows that have the word)) + 1
//   norm            every row to length 1
#pragma once

#include <string>

#include "mulberry/core/params.hpp"

namespace mulberry::data {

enum class TextUnit { words, chars, chars_in_words };
enum class TextNorm { l2, none };

inline constexpr Index k_most_units = 20;            // of an n-gram
inline constexpr Index k_most_columns = 1073741824;  // of hashed n-grams

struct TextOptions {
  TextUnit units = TextUnit::words;
  std::string ngrams = "1";
  bool lowercase = true;
  double min_df = 1;
  double max_df = 1;
  Index max_features = 0;
  bool binary = false;
  bool sublinear = false;
  bool idf = true;
  TextNorm norm = TextNorm::l2;
  Index hash = 0;

  static Fields fields() {
    return Fields{
        choice("text_units", &TextOptions::units,
               "words, or characters of the whole text or within words",
               {"words", "chars", "chars_in_words"}),
        field("text_ngrams", &TextOptions::ngrams,
              "how many units in a row make a feature: 1, 1-2"),
        field("text_lowercase", &TextOptions::lowercase, "upper and lower case are the same"),
        field("text_min_df", &TextOptions::min_df,
              "least number of rows that have a feature; below 1, a share of the rows",
              at_least(0)),
        field("text_max_df", &TextOptions::max_df,
              "most rows that may have it; up to 1, a share of the rows", positive()),
        field("text_max_features", &TextOptions::max_features,
              "keep the most frequent ones only; 0: all", between(0, 2147483647)),
        field("text_binary", &TextOptions::binary, "count a feature once per row"),
        field("text_sublinear", &TextOptions::sublinear, "1 + ln(count) in place of the count"),
        field("text_idf", &TextOptions::idf, "weight by how few rows have a feature"),
        choice("text_norm", &TextOptions::norm, "length of the rows", {"l2", "none"}),
        field("text_hash", &TextOptions::hash,
              "number of columns to hash into, for unbounded vocabularies; 0: a vocabulary",
              between(0, static_cast<double>(k_most_columns)))};
  }
};

// The least and the most units of a feature.
struct NgramRange {
  Index least = 1, most = 1;
};
// Of options.ngrams, "2" or "1-3". Throws Error (parameter).
NgramRange ngram_range(const TextOptions& options);

}  // namespace mulberry::data
