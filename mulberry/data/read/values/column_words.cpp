#include "mulberry/data/read/values/column_words.hpp"

#include <algorithm>

#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/read/values/missing_words.hpp"

namespace mulberry::data {
namespace {

// More different words than this, a new one in most rows, are text rather than nominal values.
constexpr std::size_t k_surely_nominal = 100;
constexpr std::size_t k_many = 1000;      // columns that one attribute seldom should become
constexpr std::size_t k_few_dates = 2;    // of different dates, which may be names of two groups
constexpr std::ptrdiff_t k_sentence = 4;  // blanks between the words of a text

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_sentence(const std::string& word) {
  return std::count(word.begin(), word.end(), ' ') >= k_sentence;
}

// One of the words if all are of a kind, but for those that mean a missing value, and are many.
const std::string* example_of(std::span<const std::string> words,
                              bool (*is_kind)(std::string_view)) {
  const std::string* out = nullptr;
  std::size_t found = 0;
  for (const std::string& word : words) {
    if (is_kind(word)) {
      ++found;
      if (out == nullptr) out = &word;
    } else if (!is_missing_word(word)) {
      return nullptr;
    }
  }
  return found > k_few_dates ? out : nullptr;
}

}  // namespace

bool is_refused_number(std::string_view word) {
  if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
  if (same_word(word, "nan") || same_word(word, "inf") || same_word(word, "infinity")) return true;
  if (word.size() > 2 && same_word(word.substr(0, 2), "0x")) return true;
  if (word.empty() || !is_digit(word.front())) return false;
  if (word.find(',') != std::string_view::npos) {  // a decimal comma, or one between thousands
    return is_digit(word.back()) &&
           word.find_first_not_of("0123456789.,") == std::string_view::npos;
  }
  return word.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
         word.find_first_of("eE") != std::string_view::npos;
}

std::optional<std::string> check_words(const std::string& column,
                                       std::span<const std::string> words, Index rows,
                                       const Place& where) {
  const std::string name = in_quotes(column);
  const std::string leave_out = mention("ignore", column) + " leaves it out";
  if (const std::string* date = example_of(words, is_date)) {
    throw Error(
        Code::unsupported,
        "expected numbers or a few different words in the column " + name +
            ", found dates such as " + in_quotes(*date),
        mention("dates", "parts") + " makes numbers of year, month, day and weekday; " + leave_out,
        where);
  }
  if (const std::string* time = example_of(words, is_time)) {
    throw Error(Code::unsupported,
                "expected numbers or a few different words in the column " + name +
                    ", found times such as " + in_quotes(*time),
                "Write them as numbers, such as hours (10.5); " + leave_out, where);
  }
  if (words.size() > k_surely_nominal && count_of(words) > rows / 2) {
    throw Error(Code::unsupported,
                "expected numbers or a few different words in the column " + name +
                    ", found text: " + std::to_string(words.size()) + " different values in " +
                    std::to_string(rows) + " rows",
                (count_of(words) == rows ? mention("id", column) + " names the rows by it; " : "") +
                    mention("text", column) + " turns its words into features; " + leave_out,
                where);
  }
  if (words.size() > k_many) {
    return "the column " + name + " has " + std::to_string(words.size()) +
           " different words, each of which becomes a column; " + leave_out + ", " +
           mention("text", column) + " with " + mention("text_hash", "1024") +
           " hashes them into fewer, and " + mention("target_words", column) +
           " replaces each by the shares of labels among its training rows";
  }
  if (2 * std::ranges::count_if(words, is_sentence) > std::ssize(words)) {
    return "the column " + name + " looks like free text: " + mention("text", column) +
           " turns its words into features; " + leave_out;
  }
  return std::nullopt;
}

}  // namespace mulberry::data
