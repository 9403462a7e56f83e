// CSV and TSV with a header. A column of numbers is numeric, a column of words is nominal, and a
// mixture is an error. Options say which columns are labels (roles.hpp).
//
// The values of nominal columns are known only at the end, so the cells are collected first, as
// numbers or positions of words, and then handed to the table row by row, freed as they go.
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/chunked.hpp"
#include "mulberry/data/bytes/number.hpp"
#include "mulberry/data/bytes/utf8.hpp"
#include "mulberry/data/label_sets.hpp"
#include "mulberry/data/read/column_table.hpp"
#include "mulberry/data/read/csv_records.hpp"
#include "mulberry/data/read/readers.hpp"
#include "mulberry/data/read/word_numbers.hpp"

namespace mulberry::data {
namespace {

constexpr double k_missing = std::numeric_limits<double>::quiet_NaN();
// More different words than this, a new one in most rows, are text rather than nominal values.
constexpr std::size_t k_surely_nominal = 100;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "nan", "-Infinity", "0x1f", "1e999", "1,5": meant as numbers, but not accepted.
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

class CsvReader {
 public:
  CsvReader(TextReader& text, const ReadOptions& options, char delimiter)
      : path_(text.path()), options_(options), records_(text, delimiter) {}

  Dataset read() {
    read_header();
    while (records_.next()) read_row();
    return finish();
  }

 private:
  enum class Kind { unknown, number, word };
  struct ColumnState {
    Kind kind = Kind::unknown;
    std::vector<std::string> words = {};
    std::unordered_map<std::string, std::size_t> position = {};
    std::optional<WordNumbers> known = {};  // the words in the training data of a model
  };

  void read_header() {
    if (!records_.next()) {
      throw Error(Code::format, "expected a header with column names, found only blank lines",
                  "Check how the file was made", {path_, 1, 1});
    }
    bool all_numbers = true;
    std::unordered_set<std::string> taken;
    const std::vector<Place> places = records_.places();
    for (std::size_t k = 0; k < records_.size(); ++k) {
      std::string name(records_[k]);
      latin1_ = make_utf8(name) || latin1_;
      if (name.empty()) {
        throw Error(Code::format, "expected a column name, found nothing",
                    "Name every column in the first line", places[k]);
      }
      if (!taken.insert(name).second) {
        throw Error(Code::format,
                    "expected column names that differ, found " + quoted(name) + " twice",
                    "Rename one of them", places[k]);
      }
      all_numbers = all_numbers && parse_number(name).has_value();
      columns_.push_back({name, false, {}, places[k].line, places[k].column});
    }
    if (all_numbers) {
      throw Error(Code::format, "expected a header with column names, found numbers",
                  "Put the names of the columns into the first line", places[0]);
    }
    std::vector<std::string> names;
    for (const Column& column : columns_) names.push_back(column.name);
    roles_ = choose_roles(names, options_);
    states_.resize(columns_.size());
    const WordNumbers known(options_.known_nominal.names);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const auto number = known.find(columns_[j].name);
      if (number && roles_[j] == Role::feature) {
        states_[j].known.emplace(options_.known_nominal.values[*number]);
      }
      if (is_text(j)) states_[j].kind = Kind::word;
    }
  }

  // Columns whose cells are names even if they look like numbers.
  bool is_text(std::size_t j) const {
    return roles_[j] == Role::label_list || roles_[j] == Role::label_set || states_[j].known;
  }

  void read_row() {
    if (records_.size() != columns_.size()) {
      const bool more = records_.size() > columns_.size();
      throw Error(Code::format,
                  "expected " + std::to_string(columns_.size()) +
                      " values as in the header, found " + std::to_string(records_.size()),
                  "Check the delimiters and quotes of this row; " + mention("delimiter") +
                      " names another delimiter",
                  records_.place(more ? columns_.size() : 0));
    }
    for (std::size_t j = 0; j < columns_.size(); ++j) cells_.push_back(read_cell(j));
    if (has_binary_sets()) lines_.push_back(records_.place(0).line);
    ++rows_;
  }

  double read_cell(std::size_t j) {
    if (roles_[j] == Role::ignored) return 0;
    const std::string_view cell = records_[j];
    if (cell.empty() && roles_[j] != Role::label_list) {
      if (roles_[j] == Role::feature && !options_.keep_missing) {
        fail(j, Code::data,
             "expected a value of " + quoted(columns_[j].name) + ", found a missing one",
             k_missing_remedy);
      }
      if (roles_[j] == Role::label_set) {
        fail(j, Code::data,
             "expected a value of the label set " + quoted(columns_[j].name) +
                 ", found a missing one",
             k_set_remedy);
      }
      if (roles_[j] == Role::weight) {
        fail(j, Code::data, "expected a weight, found a missing value", k_weight_remedy);
      }
      return k_missing;
    }
    double value = 0;
    ColumnState& state = states_[j];
    const bool number = !is_text(j) && fast_number(cell, value);
    const Kind kind = number ? Kind::number : Kind::word;
    if (state.kind == Kind::unknown) {
      state.kind = kind;
      if (!number) require_words(j, cell);
    }
    if (kind != state.kind) {
      fail(j, Code::format,
           "expected a " + std::string(number ? "word" : "number") + " in the column " +
               quoted(columns_[j].name) + " as in the rows before, found " + quoted(cell),
           "Leave cells without a value empty, and do not mix numbers and words in a column");
    }
    if (!number) {
      std::string word(cell);
      latin1_ = make_utf8(word) || latin1_;
      const auto [at, added] = state.position.try_emplace(word, state.words.size());
      if (added) {
        require_known(j, word);
        state.words.push_back(std::move(word));
      }
      return static_cast<double>(at->second);
    }
    if (roles_[j] == Role::label && value != 0 && value != 1) fail_label(j, cell);
    if (roles_[j] == Role::weight && value <= 0) {
      fail(j, Code::data, "expected a positive weight, found " + quoted(cell), k_weight_remedy);
    }
    return value;
  }

  void require_known(std::size_t j, std::string_view cell) const {
    const auto& known = states_[j].known;
    if (!known || known->find(cell)) return;
    fail(j, Code::data,
         "expected a value of " + quoted(columns_[j].name) + " that the training data has, found " +
             quoted(cell),
         did_you_mean(cell, known->words(), "Correct the value, or train with data that has it"));
  }

  void require_words(std::size_t j, std::string_view cell) const {
    if (roles_[j] == Role::label) fail_label(j, cell);
    if (roles_[j] == Role::weight || is_refused_number(cell)) {
      fail(j, Code::format, "expected a decimal number, found " + quoted(cell),
           "Leave cells without a value empty, and write numbers as 1.5 or 2e-3");
    }
  }

  [[noreturn]] void fail_label(std::size_t j, std::string_view cell) const {
    fail(j, Code::data,
         "expected 0 or 1 for the label " + quoted(columns_[j].name) + ", found " + quoted(cell),
         "Name only binary columns as labels, and leave missing cells empty; " +
             mention("label_sets") +
             " takes "
             "columns with string values");
  }

  [[noreturn]] void fail(std::size_t j, Code code, std::string problem, std::string remedy) const {
    throw Error(code, std::move(problem), std::move(remedy), records_.place(j));
  }

  // The rank of each word among the sorted values of its column, by position.
  std::vector<double> declare_values(std::size_t j) {
    Column& column = columns_[j];
    ColumnState& state = states_[j];
    if (roles_[j] == Role::feature && state.words.size() > k_surely_nominal &&
        count_of(state.words) > rows_ / 2) {
      throw Error(Code::unsupported,
                  "expected numbers or a few different words in the column " + quoted(column.name) +
                      ", found text: " + std::to_string(state.words.size()) +
                      " different values in " + std::to_string(rows_) + " rows",
                  "Remove the column, or turn its text into numbers first",
                  {path_, column.line, column.at});
    }
    column.nominal = true;
    column.values = state.words;
    sort_names(column.values);
    std::vector<double> rank(state.words.size());
    for (std::size_t v = 0; v < column.values.size(); ++v) {
      rank[state.position.at(column.values[v])] = static_cast<double>(v);
    }
    state.position.clear();
    return rank;
  }

  Dataset finish() {
    std::vector<std::vector<double>> ranks(columns_.size());
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (states_[j].kind == Kind::word) ranks[j] = declare_values(j);
    }
    const std::size_t width = columns_.size();
    Index i = 0;
    TableBuilder table(path_, std::move(columns_), std::move(roles_), options_,
                       [&](std::size_t) { return place_of_row(i); });
    std::vector<double> row(width);
    std::size_t next = 0;
    for (; i < rows_; ++i) {
      for (std::size_t j = 0; j < width; ++j, ++next) {
        const double cell = cells_[next];
        const bool word = !ranks[j].empty() && !std::isnan(cell);
        row[j] = word ? ranks[j][static_cast<std::size_t>(cell)] : cell;
      }
      table.add_dense(row);
      cells_.release_before(next);
    }
    Dataset data;
    if (latin1_) data.notes.push_back(k_latin1_note);
    return table.finish(std::move(data));
  }

  bool has_binary_sets() const { return !roles_.prefix_sets.empty() || !roles_.named_sets.empty(); }

  // Errors in a cell are reported when it is read; a whole row can only violate a label set.
  Place place_of_row(Index i) const {
    const auto at = static_cast<std::size_t>(i);
    return at < lines_.size() ? Place{path_, lines_[at], 1} : Place{path_};
  }

  std::string path_;
  const ReadOptions& options_;
  CsvRecords records_;
  std::vector<Column> columns_;
  Roles roles_;
  std::vector<ColumnState> states_;
  Chunked<double> cells_;
  Index rows_ = 0;
  std::vector<std::int64_t> lines_;  // where each row begins, if label sets must be checked
  bool latin1_ = false;
};

}  // namespace

Dataset read_csv(TextReader& text, const ReadOptions& options, char delimiter) {
  if (delimiter == '"' || delimiter == '\n' || delimiter == '\r') {
    throw Error(Code::usage, "expected a delimiter other than a quote or the end of a line",
                "Name another character in " + mention("delimiter"));
  }
  return CsvReader(text, options, delimiter).read();
}

}  // namespace mulberry::data
