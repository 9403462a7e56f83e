// TextUnits: cuts a text into words or characters, by the rules of scikit-learn: a word is a run of
// at least two word characters; runs of white space between characters count as one blank.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "mulberry/data/text/text_options.hpp"
#include "mulberry/data/text/unicode.hpp"

namespace mulberry::data {

class TextUnits {
 public:
  explicit TextUnits(bool lowercase) : lowercase_(lowercase) {}

  // use(word) for each word, in UTF-8. A text of ASCII, the usual case, is never decoded.
  template <class Use>
  void words(std::string_view text, const Use& use) {
    if (is_ascii(text)) {
      ascii_words(text, use);
    } else {
      other_words(text, use);
    }
  }

  // The characters of the text, white space joined.
  std::u32string_view characters(std::string_view text);
  // use(characters) for each word between white space, with a blank on either side.
  template <class Use>
  void padded_words(std::string_view text, const Use& use) {
    const std::u32string_view all = characters(text);
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin;
      while (end < all.size() && !is_white_space(all[end])) ++end;
      if (end > begin) {
        padded_.assign(1, U' ');
        padded_ += all.substr(begin, end - begin);
        padded_ += U' ';
        use(std::u32string_view(padded_));
      }
      begin = end + 1;
    }
  }

 private:
  static constexpr std::size_t k_least = 2;  // characters of a word

  // For each ASCII character its lower case, and 0 for characters that words do not have.
  static constexpr std::array<char, 128> letters(bool lower) {
    std::array<char, 128> out = {};
    for (int c = 0; c < 128; ++c) {
      const bool small = c >= 'a' && c <= 'z', capital = c >= 'A' && c <= 'Z';
      if (capital) {
        out[static_cast<std::size_t>(c)] = static_cast<char>(lower ? c + ('a' - 'A') : c);
      } else if (small || (c >= '0' && c <= '9') || c == '_') {
        out[static_cast<std::size_t>(c)] = static_cast<char>(c);
      }
    }
    return out;
  }

  template <class Use>
  void ascii_words(std::string_view text, const Use& use) {
    static constexpr auto k_lowered = letters(true), k_kept = letters(false);
    const auto& letter = lowercase_ ? k_lowered : k_kept;
    word_.resize(text.size() + 1);
    char* const begin = word_.data();
    char* end = begin;
    for (const char c : text) {
      const char low = letter[static_cast<unsigned char>(c)];
      if (low != 0) {
        *end++ = low;
        continue;
      }
      if (end >= begin + k_least) use(std::string_view(begin, end));
      end = begin;
    }
    if (end >= begin + k_least) use(std::string_view(begin, end));
  }

  template <class Use>
  void other_words(std::string_view text, const Use& use) {
    const std::u32string& all = decoded(text);
    std::size_t length = 0;
    word_.clear();
    for (std::size_t k = 0; k <= all.size(); ++k) {
      if (k < all.size() && is_word_character(all[k])) {
        append_utf8(all[k], word_);
        ++length;
        continue;
      }
      if (length >= k_least) use(std::string_view(word_));
      word_.clear();
      length = 0;
    }
  }

  const std::u32string& decoded(std::string_view text);  // in lower case, if wanted

  bool lowercase_;
  std::string word_;
  std::u32string points_, lower_, joined_, padded_;
};

}  // namespace mulberry::data
