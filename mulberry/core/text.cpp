#include "mulberry/core/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "mulberry/core/index.hpp"

namespace mulberry::core {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Edits of one letter: insert, delete, replace, or swap two neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  const auto same = [&](std::size_t i, std::size_t j) { return to_lower(a[i]) == to_lower(b[j]); };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same(i - 1, j - 1) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  const char* first = text.data();
  const char* last = first + text.size();
  const bool negative = first < last && *first == '-';
  if (first < last && (*first == '+' || *first == '-')) ++first;
  // from_chars would take "inf" and "nan", so what follows the sign must look like a number.
  if (first == last ||
      !(is_digit(*first) || (*first == '.' && first + 1 < last && is_digit(first[1])))) {
    return std::nullopt;
  }
  double value = 0;
  const auto [end, status] = std::from_chars(first, last, value);
  if (end != last) return std::nullopt;
  if (status == std::errc::result_out_of_range) {
    // Too large or too small? Only a number that is too small has a value, 0; its exponent or
    // leading zeros tell.
    const std::string_view digits(first, at(last - first));
    const auto e = digits.find_first_of("eE");
    const bool small = e != std::string_view::npos
                           ? digits.find('-', e) != std::string_view::npos
                           : digits.find_first_not_of("0.") > digits.find('.');
    if (!small) return std::nullopt;
    value = 0;
  } else if (status != std::errc()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

std::optional<Index> parse_integer(std::string_view text) {
  Index value = 0;
  const char* last = text.data() + text.size();
  const char* first = text.data();
  if (text.size() > 1 && *first == '+' && is_digit(first[1])) ++first;
  const auto [end, status] = std::from_chars(first, last, value);
  if (status != std::errc() || end != last) return std::nullopt;
  return value;
}

std::string_view shortest(double value, std::span<char, 32> buffer) {
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

std::string shortest(double value) {
  char buffer[32];
  return std::string(shortest(value, buffer));
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (;;) {
    const auto at = text.find(separator);
    out.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k > 0) out += separator;
    out += parts[k];
  }
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), to_lower);
  return out;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return to_lower(x) == to_lower(y); });
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t k_limit = 60;
  std::string out = "'";
  for (const char c : text.substr(0, k_limit)) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) {
      constexpr char digits[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      out += c;
    }
  }
  if (text.size() > k_limit) out += "...";
  return out + "'";
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  // The cost is the product of the lengths, and words in a damaged file may have any length.
  constexpr std::size_t k_longest = 200;
  if (word.size() > k_longest) return best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() >= word.size() + least) continue;
    const std::size_t edits = edit_distance(word, candidate);
    if (edits < least && edits < word.size()) {  // some letter is the same
      least = edits;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates,
                         std::string_view otherwise) {
  const auto near = nearest(word, candidates);
  return near ? "Did you mean " + in_quotes(*near) + "?" : std::string(otherwise);
}

}  // namespace mulberry::core
