#include "mulberry/data/text/unicode.hpp"

#include <unicode/uchar.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace mulberry::data {
namespace {

constexpr char32_t k_replacement = 0xFFFD, k_capital_sigma = 0x3A3, k_sigma = 0x3C3,
                   k_final_sigma = 0x3C2, k_dotted_i = 0x130, k_dot_above = 0x307;
constexpr std::size_t k_plane = 0x10000;  // nearly all text lies in the first plane

bool find_word_character(UChar32 c) {
  if (c == '_') return true;
  const std::uint32_t type = U_MASK(u_charType(c));
  if ((type & U_GC_L_MASK) != 0) return true;
  return u_getIntPropertyValue(c, UCHAR_NUMERIC_TYPE) != U_NT_NONE;
}

struct Character {
  char16_t lower;
  bool word;
};

// Asking ICU for each character of a text would take most of the time; asking it once for each
// character of the first plane takes milliseconds.
const std::vector<Character>& first_plane() {
  static const std::vector<Character> table = [] {
    std::vector<Character> out(k_plane);
    for (std::size_t c = 0; c < k_plane; ++c) {
      const auto point = static_cast<UChar32>(c);
      const UChar32 low = u_tolower(point);
      out[c] = {static_cast<char16_t>(low), find_word_character(point)};
    }
    return out;
  }();
  return table;
}

char32_t simple_lower(char32_t c) {
  return c < k_plane ? first_plane()[c].lower
                     : static_cast<char32_t>(u_tolower(static_cast<UChar32>(c)));
}

bool ignored_by_case(char32_t c) {
  return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_CASE_IGNORABLE) != 0;
}
bool has_case(char32_t c) { return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_CASED) != 0; }

// A sigma is final if a letter comes before it and none after it; marks between do not count.
bool ends_word(std::u32string_view text, std::size_t sigma) {
  std::size_t before = sigma;
  while (before > 0 && ignored_by_case(text[before - 1])) --before;
  if (before == 0 || !has_case(text[before - 1])) return false;
  std::size_t after = sigma + 1;
  while (after < text.size() && ignored_by_case(text[after])) ++after;
  return after == text.size() || !has_case(text[after]);
}

}  // namespace

bool is_word_character(char32_t c) {
  return c < k_plane ? first_plane()[c].word : find_word_character(static_cast<UChar32>(c));
}

bool is_white_space(char32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_ascii(std::string_view text) {
  constexpr std::uint64_t k_high_bits = 0x8080808080808080U;
  std::size_t k = 0;
  for (; k + sizeof(std::uint64_t) <= text.size(); k += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + k, sizeof word);
    if ((word & k_high_bits) != 0) return false;
  }
  for (; k < text.size(); ++k) {
    if (static_cast<unsigned char>(text[k]) >= 0x80) return false;
  }
  return true;
}

void lower_case(std::u32string_view text, std::u32string& out) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char32_t c = text[k];
    if (c == k_dotted_i) {
      out += U'i';
      out += k_dot_above;
    } else if (c == k_capital_sigma) {
      out += ends_word(text, k) ? k_final_sigma : k_sigma;
    } else {
      out += simple_lower(c);
    }
  }
}

void append_code_points(std::string_view utf8, std::u32string& out) {
  const auto byte = [&](std::size_t k) {
    return k < utf8.size() ? static_cast<unsigned char>(utf8[k]) : 0U;
  };
  for (std::size_t k = 0; k < utf8.size();) {
    const unsigned first = byte(k);
    if (first < 0x80) {
      out += static_cast<char32_t>(first);
      ++k;
      continue;
    }
    const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
    char32_t c = more == 3 ? first & 0x07U : more == 2 ? first & 0x0FU : first & 0x1FU;
    bool good = more > 0;
    for (std::size_t m = 1; good && m <= more; ++m) {
      good = (byte(k + m) & 0xC0U) == 0x80U;
      c = (c << 6U) | (byte(k + m) & 0x3FU);
    }
    good = good && c <= 0x10FFFF;
    out += good ? c : k_replacement;
    k += good ? more + 1 : 1;
  }
}

void append_utf8(char32_t c, std::string& out) {
  const auto add = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0U | (c >> 6U));
    add(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    add(0xE0U | (c >> 12U));
    add(0x80U | ((c >> 6U) & 0x3FU));
    add(0x80U | (c & 0x3FU));
  } else {
    add(0xF0U | (c >> 18U));
    add(0x80U | ((c >> 12U) & 0x3FU));
    add(0x80U | ((c >> 6U) & 0x3FU));
    add(0x80U | (c & 0x3FU));
  }
}

}  // namespace mulberry::data
