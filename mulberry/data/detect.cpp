#include "mulberry/data/detect.hpp"

#include <algorithm>

#include "mulberry/core/text.hpp"

namespace mulberry {
namespace {

constexpr std::string_view k_blank = " \t\r";

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view take_word(std::string_view& line) {
  const auto begin = std::min(line.find_first_not_of(k_blank), line.size());
  const auto end = std::min(line.find_first_of(k_blank, begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

bool is_arff(std::string_view start) {
  while (!start.empty()) {
    const std::string_view line = trim(take_line(start));
    if (line.empty() || line.front() == '%') continue;
    std::string_view rest = line;
    const std::string_view word = take_word(rest);
    return same_word(word, "@relation") || same_word(word, "@attribute") ||
           same_word(word, "@data");
  }
  return false;
}

bool is_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_xmlrepo(std::string_view start) {
  std::string_view line = take_line(start);
  for (int k = 0; k < 3; ++k) {
    if (!is_digits(take_word(line))) return false;
  }
  return take_word(line).empty();
}

bool is_pair(std::string_view word) {
  const auto colon = word.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view index = word.substr(0, colon);
  return (is_digits(index) || index == "qid") && parse_number(word.substr(colon + 1)).has_value();
}

bool is_label_list(std::string_view word) {
  const auto labels = split(word, ',');
  return std::all_of(labels.begin(), labels.end(),
                     [](const std::string& label) { return is_digits(label); });
}

// Every line of the start has the form "labels index:value ...", and at least one has a pair.
bool is_libsvm(std::string_view start) {
  bool any_pair = false;
  while (!start.empty()) {
    const bool whole = start.find('\n') != std::string_view::npos;
    std::string_view line = take_line(start);
    if (!whole && any_pair) break;  // perhaps cut in the middle of a number
    line = line.substr(0, line.find('#'));
    for (std::string_view word = take_word(line), first = word; !word.empty();
         word = take_word(line)) {
      if (is_pair(word)) {
        any_pair = true;
      } else if (word.data() != first.data() || !is_label_list(word)) {
        return false;
      }
    }
  }
  return any_pair;
}

bool is_tsv(std::string_view start) {
  const std::string_view line = take_line(start);
  return std::count(line.begin(), line.end(), '\t') > std::count(line.begin(), line.end(), ',');
}

}  // namespace

Format detect_format(std::string_view start) {
  if (start.starts_with("PK\x03\x04")) return Format::npz;
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  if (is_arff(start)) return Format::arff;
  if (is_xmlrepo(start)) return Format::xmlrepo;
  if (is_libsvm(start)) return Format::libsvm;
  return is_tsv(start) ? Format::tsv : Format::csv;
}

}  // namespace mulberry
