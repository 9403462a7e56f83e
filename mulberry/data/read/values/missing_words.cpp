#include "mulberry/data/read/values/missing_words.hpp"

#include <algorithm>
#include <array>

#include "mulberry/core/text.hpp"
#include "mulberry/data/read/values/date_pattern.hpp"

namespace mulberry::data {

bool is_missing_word(std::string_view word) {
  constexpr std::array<std::string_view, 9> k_words = {"nan",  "-nan", "na",   "n/a", "null",
                                                       "none", "#n/a", "<na>", "nat"};
  constexpr std::size_t k_longest = 4;
  if (word.empty() || word.size() > k_longest) return false;
  return std::ranges::any_of(k_words,
                             [&](std::string_view known) { return same_word(word, known); });
}

std::optional<bool> truth_of(std::string_view word) {
  for (const std::string_view yes : {"true", "yes", "y", "t"}) {
    if (same_word(word, yes)) return true;
  }
  for (const std::string_view no : {"false", "no", "n", "f"}) {
    if (same_word(word, no)) return false;
  }
  return std::nullopt;
}

bool is_time(std::string_view word) {
  constexpr std::string_view k_digits = "0123456789";
  const auto hours = word.find(':');
  if (hours == std::string_view::npos || hours == 0 || hours > 2) return false;
  const std::string_view rest = word.substr(hours + 1);
  return word.substr(0, hours).find_first_not_of(k_digits) == std::string_view::npos &&
         rest.size() >= 2 &&
         rest.substr(0, 2).find_first_not_of(k_digits) == std::string_view::npos &&
         (rest.size() == 2 || rest[2] == ':' || rest[2] == ' ');
}

bool is_date(std::string_view word) {
  if (named_date(word)) return true;
  word = word.substr(0, word.find_first_of(" T"));
  const auto first = word.find_first_not_of("0123456789");
  if (first == std::string_view::npos || first == 0 || first > 4) return false;
  const char mark = word[first];
  if (mark != '-' && mark != '/' && mark != '.') return false;
  const auto second = word.find(mark, first + 1);
  if (second == std::string_view::npos) return false;
  const std::string_view parts[] = {
      word.substr(0, first), word.substr(first + 1, second - first - 1), word.substr(second + 1)};
  std::size_t digits = 0;
  for (const std::string_view part : parts) {
    const bool number =
        !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    if (!number || part.size() > 4) return false;
    digits += part.size();
  }
  return digits >= 4 && digits <= 8 && parts[1].size() <= 2 &&
         (parts[0].size() <= 2 || parts[2].size() <= 2);
}

}  // namespace mulberry::data
