// The values of ARFF, CSV and libsvm files compared with a parser that is slow and shares no code
// with the readers. It knows plain files only: what it does not understand is left to the other
// targets; what it understands must be read, to the last bit.
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>

#include "mulberry/core/index.hpp"
#include "mulberry/data/read/read.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace mulberry::tests {
namespace {

using Row = std::vector<double>;

struct Plain {
  std::vector<Row> x;
  std::vector<std::vector<Id>> y;
};

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == separator) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// The lines of a text whose last line ends, too.
std::optional<std::vector<std::string>> lines_of(const std::string& text) {
  std::vector<std::string> out = parts_of(text, '\n');
  if (out.back() != "") return std::nullopt;
  out.pop_back();
  return out;
}

// [-] digits [. digits] [e [+-] digits], with at most 40 characters.
std::optional<double> number(const std::string& text) {
  std::size_t k = 0;
  const auto digits = [&] {
    const std::size_t begin = k;
    while (k < text.size() && text[k] >= '0' && text[k] <= '9') ++k;
    return k > begin;
  };
  if (text.size() > 40) return std::nullopt;
  if (k < text.size() && text[k] == '-') ++k;
  if (!digits()) return std::nullopt;
  if (k < text.size() && text[k] == '.') {
    ++k;
    if (!digits()) return std::nullopt;
  }
  if (k < text.size() && text[k] == 'e') {
    ++k;
    if (k < text.size() && (text[k] == '+' || text[k] == '-')) ++k;
    if (!digits()) return std::nullopt;
  }
  if (k != text.size()) return std::nullopt;
  const double out = std::strtod(text.c_str(), nullptr);
  return std::isfinite(out) ? std::optional(out) : std::nullopt;
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() < 20 && text[0] >= 'a' && text[0] <= 'z' &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == std::string::npos;
}

bool are_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!is_name(name)) return false;
  }
  return std::set(names.begin(), names.end()).size() == names.size();
}

// Rows of numbers between commas, the last of which is a label.
std::optional<Plain> table(const std::vector<std::string>& lines, std::size_t first,
                           std::size_t columns) {
  if (first >= lines.size() || columns < 2) return std::nullopt;
  Plain out;
  for (std::size_t i = first; i < lines.size(); ++i) {
    const auto cells = parts_of(lines[i], ',');
    if (cells.size() != columns || (cells.back() != "0" && cells.back() != "1")) {
      return std::nullopt;
    }
    Row& row = out.x.emplace_back();
    for (std::size_t j = 0; j + 1 < columns; ++j) {
      const auto value = number(cells[j]);
      if (!value) return std::nullopt;
      row.push_back(*value);
    }
    out.y.push_back(cells.back() == "1" ? std::vector<Id>{0} : std::vector<Id>{});
  }
  return out;
}

std::optional<Plain> plain_csv(const std::string& text) {
  const auto lines = lines_of(text);
  if (!lines || lines->empty()) return std::nullopt;
  const auto names = parts_of(lines->front(), ',');
  return are_names(names) ? table(*lines, 1, names.size()) : std::nullopt;
}

std::optional<Plain> plain_arff(const std::string& text) {
  const auto lines = lines_of(text);
  if (!lines || lines->empty() || lines->front() != "@relation r") return std::nullopt;
  std::vector<std::string> names;
  std::size_t k = 1;
  for (; k < lines->size() && (*lines)[k] != "@data"; ++k) {
    const auto words = parts_of((*lines)[k], ' ');
    const bool last = k + 1 < lines->size() && (*lines)[k + 1] == "@data";
    if (words.size() != 3 || words[0] != "@attribute" || words[2] != (last ? "{0,1}" : "numeric")) {
      return std::nullopt;
    }
    names.push_back(words[1]);
  }
  return are_names(names) ? table(*lines, k + 1, names.size()) : std::nullopt;
}

// "0,2 1:0.5 7:2": labels below 3 and indices from 1, both increasing.
std::optional<Plain> plain_libsvm(const std::string& text) {
  const auto lines = lines_of(text);
  if (!lines || lines->empty()) return std::nullopt;
  Plain out;
  std::size_t width = 0;
  for (const std::string& line : *lines) {
    const auto words = parts_of(line, ' ');
    if (words.size() < 2) return std::nullopt;
    auto& labels = out.y.emplace_back();
    for (const std::string& word : parts_of(words[0], ',')) {
      if (word != "0" && word != "1" && word != "2") return std::nullopt;
      const Id label = word[0] - '0';
      if (!labels.empty() && label <= labels.back()) return std::nullopt;
      labels.push_back(label);
    }
    Row& row = out.x.emplace_back();
    for (std::size_t k = 1; k < words.size(); ++k) {
      const auto pair = parts_of(words[k], ':');
      if (pair.size() != 2 || pair[0].empty() || pair[0].size() > 3 || pair[0][0] == '0' ||
          pair[0].find_first_not_of("0123456789") != std::string::npos) {
        return std::nullopt;
      }
      const auto index = static_cast<std::size_t>(std::atoi(pair[0].c_str()));
      const auto value = number(pair[1]);
      if (!value || index <= row.size()) return std::nullopt;
      row.resize(index, 0.0);
      row.back() = *value;
    }
    width = std::max(width, row.size());
  }
  for (Row& row : out.x) row.resize(width, 0.0);
  return out;
}

void compare(const Dataset& data, const Plain& plain) {
  MULBERRY_ASSERT(data.rows() == count_of(plain.x));
  for (Index i = 0; i < data.rows(); ++i) {
    const Row& row = plain.x[at(i)];
    MULBERRY_ASSERT(data.columns() == count_of(row));
    for (Index j = 0; j < data.columns(); ++j) MULBERRY_ASSERT(data.x.at(i, j) == row[at(j)]);
    const auto labels = data.y.row(i);
    MULBERRY_ASSERT(std::vector<Id>(labels.begin(), labels.end()) == plain.y[at(i)]);
  }
}

}  // namespace
}  // namespace mulberry::tests

// The first byte chooses the format, the rest is the file.
FUZZ_TARGET(differential) {
  using namespace mulberry::tests;
  if (input.empty()) return;
  const int choice = static_cast<unsigned char>(input.front()) % 3;
  input.remove_prefix(1);
  const std::string text(input);
  ReadOptions options;
  options.label_count = choice == 2 ? 3 : -1;
  options.format = choice == 0 ? Format::csv : choice == 1 ? Format::arff : Format::libsvm;
  options.index_base = IndexBase::one;
  if (choice == 0) options.delimiter = ',';
  const auto plain = choice == 0   ? plain_csv(text)
                     : choice == 1 ? plain_arff(text)
                                   : plain_libsvm(text);
  if (!plain) return;
  compare(read_dataset(open_bytes(input, "fuzz"), "fuzz", options), *plain);
}
