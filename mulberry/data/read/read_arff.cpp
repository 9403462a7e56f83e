// ARFF as Weka reads it, without its silent guesses: dense and sparse rows, MEKA's -C option, and
// Mulan's label XML next to the data.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/number.hpp"
#include "mulberry/data/bytes/utf8.hpp"
#include "mulberry/data/read/arff_dates.hpp"
#include "mulberry/data/read/arff_header.hpp"
#include "mulberry/data/read/column_table.hpp"
#include "mulberry/data/read/readers.hpp"
#include "mulberry/data/read/values/word_numbers.hpp"
#include "mulberry/data/text/texts.hpp"

namespace mulberry::data {
namespace {

const std::string k_no_row_weights =
    "Weights after a row are not supported: make them an attribute (" + mention("weight_column") +
    ")";

constexpr double k_missing = std::numeric_limits<double>::quiet_NaN();

class RowReader : public BlockReader {
 public:
  RowReader(TextReader& text, std::vector<Column> columns, Roles roles, const ReadOptions& options,
            ArffDates dates, Dataset outline)
      : text_(text),
        outline_(std::move(outline)),
        dates_(std::move(dates)),
        list_column_(find_list(roles)),
        roles_(roles.of),
        declared_(dates_.any() ? columns : std::vector<Column>()),
        table_(text.path(), dates_.columns(text.path(), std::move(columns)),
               dates_.roles(std::move(roles)), options, [this](std::size_t k) { return place(k); }),
        columns_(dates_.any() ? declared_ : table_.columns()),
        keep_missing_(options.keep_missing),
        kind_(columns_.size(), k_numeric) {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (j == list_column_) {
        kind_[j] = k_list;
      } else if (roles_[j] == Role::ignored) {
        kind_[j] = k_ignored;
      } else if (dates_.has(j)) {
        kind_[j] = k_date;
      } else if (is_apart(roles_[j])) {
        kind_[j] = k_text;
        apart_.emplace_back(j, TextsBuilder());
      } else if (columns_[j].nominal) {
        kind_[j] = static_cast<Id>(nominal_.size());
        nominal_.emplace_back(columns_[j].values);
      }
    }
    begin_list();
  }

  bool read(const BlockLimit& limit) override {
    while (next()) {
      places_.clear();
      dates_.begin_row();
      const char* const row = skip_arff_blanks(text_.line().data(), end_);
      if (*row == '{') {
        read_sparse(row);
      } else {
        read_dense(row);
      }
      ++rows_;
      if (limit.is_full(rows_, table_.held() + characters_)) return true;
    }
    return false;
  }

  Index skip(Index rows) override {
    Index done = 0;
    while (done < rows && next()) ++done;
    return done;
  }

  Dataset cut(bool last) override {
    Dataset data = outline_;
    take_apart(data);
    if (list_column_ < columns_.size()) table_.set_list_values(std::move(list_values_));
    if (last) return table_.finish(std::move(data));
    for (auto& [column, texts] : apart_) texts = TextsBuilder();
    rows_ = characters_ = 0;
    Dataset out = table_.cut(std::move(data));
    begin_list();
    return out;
  }

 private:
  // Moves to the next line with a row.
  bool next() {
    while (text_.next()) {
      end_ = text_.line().data() + text_.line().size();
      if (!arff_at_end(skip_arff_blanks(text_.line().data(), end_), end_)) return true;
    }
    return false;
  }

  void begin_list() {
    list_values_.clear();
    list_numbers_.clear();
    if (list_column_ < columns_.size()) intern("");  // the meaning of an omitted sparse value
  }

  // The columns of text and of ids.
  void take_apart(Dataset& data) {
    for (auto& [column, texts] : apart_) {
      while (texts.rows() < rows_) texts.add({});
      const Texts all = texts.finish();
      const Role role = roles_[column];
      if (role != Role::id) {
        (role == Role::text ? data.texts : data.words).push_back({columns_[column].name, all});
        continue;
      }
      data.id_name = columns_[column].name;
      for (Index i = 0; i < all.rows(); ++i) data.ids.emplace_back(all[i]);
    }
  }

  static constexpr Id k_numeric = -1, k_list = -2, k_ignored = -3, k_text = -4, k_date = -5;

  static std::size_t find_list(const Roles& roles) {
    const auto found = std::find(roles.of.begin(), roles.of.end(), Role::label_list);
    return at(found - roles.of.begin());
  }

  // The place of a cell, or of the row if the cell was omitted.
  Place place(std::size_t k) const {
    if (k < places_.size()) return text_.place(places_[k]);
    return text_.place(skip_arff_blanks(text_.line().data(), end_));
  }

  double intern(std::string value) {
    make_utf8(value);
    const auto [found, fresh] = list_numbers_.emplace(value, list_values_.size());
    if (fresh) list_values_.push_back(value);
    return static_cast<double>(found->second);
  }

  // A text or an id; rows before this one that omitted theirs have none.
  void keep_apart(std::size_t column, std::string text) {
    make_utf8(text);
    characters_ += count_of(text);
    for (auto& [at, texts] : apart_) {
      if (at != column) continue;
      while (texts.rows() < rows_) texts.add({});
      texts.add(text);
    }
  }

  // Finds the number for a word: its value, or the position of the nominal value.
  bool find_value(std::size_t column, std::string_view word, bool is_quoted, double& value) {
    const Id kind = kind_[column];
    if (kind == k_text) {
      value = 0;
      keep_apart(column, word == "?" && !is_quoted ? std::string() : std::string(word));
      return true;
    }
    if (word == "?" && !is_quoted) {
      value = k_missing;
      return kind != k_date || keep_missing_;
    }
    if (kind == k_date) {
      const auto date = dates_.read(column, word);
      value = date.value_or(0);
      return date.has_value();
    }
    if (kind == k_numeric) return fast_number(word, value);
    if (kind == k_ignored) {
      value = 0;
      return true;
    }
    if (kind == k_list) {
      value = intern(std::string(word));
      return true;
    }
    const WordNumbers& nominal = nominal_[at(kind)];
    auto number = nominal.find(word);
    if (!number && !is_utf8(word)) number = nominal.find(utf8_from_latin1(word));  // as declared
    if (!number) return false;
    value = static_cast<double>(*number);
    return true;
  }

  double value_of(std::size_t column, std::string_view word, bool is_quoted, const char* at) {
    double value = 0;
    if (!find_value(column, word, is_quoted, value)) fail_value(column, word, at);
    return value;
  }

  [[noreturn]] void fail_value(std::size_t column, std::string_view word, const char* at) const {
    const Column& declared = columns_[column];
    if (kind_[column] == k_date && word == "?") {
      text_.fail(at, "expected a value of " + in_quotes(declared.name) + ", found a missing one",
                 k_missing_remedy);
    }
    if (kind_[column] == k_date) {
      text_.fail(at,
                 "expected a date of " + in_quotes(declared.name) + " written as " +
                     in_quotes(dates_.shown(column)) + ", found " + in_quotes(word),
                 "Correct it, or write missing ones as ?; commas stand between values");
    }
    if (kind_[column] == k_numeric) {
      text_.fail(at,
                 "expected a number for " + in_quotes(declared.name) + ", found " + in_quotes(word),
                 "Write numbers as 1.5 or 1e-3, missing ones as ?, with commas between values");
    }
    text_.fail(
        at,
        "expected one of the values of " + in_quotes(declared.name) + ", found " + in_quotes(word),
        did_you_mean(word, declared.values,
                     "Use a value that is declared in line " + std::to_string(declared.line)));
  }

  // A word up to one of the stops or the end; blanks inside belong to it, blanks and comments after
  // it do not.
  template <class Stop>
  std::string_view take_bare(const char*& at, const Stop& stop) const {
    const char* const begin = at;
    while (at < end_ && !stop(*at) && *at != ' ') ++at;
    const char* last = at;
    while (at < end_ && !stop(*at)) {
      if (*at == '%' && at[-1] == ' ') break;
      if (*at++ != ' ') last = at;
    }
    return {begin, core::at(last - begin)};
  }

  void read_dense(const char* at) {
    const char* const row = at;
    row_.resize(columns_.size());
    std::size_t column = 0;
    for (; !arff_at_end(at, end_); ++column) {
      const char* const begin = at;
      if (column == row_.size()) {
        text_.fail(
            begin,
            "expected " + std::to_string(row_.size()) + " values, one per attribute, found more",
            *begin == '{' ? k_no_row_weights
                          : "Remove the extra values, or declare their attributes");
      }
      places_.push_back(begin);
      const bool is_quoted = *at == '\'' || *at == '"';
      if (is_quoted) {
        at = arff_quoted(text_, at, word_);
        row_[column] = value_of(column, word_, true, begin);
      } else {
        const auto word = take_bare(at, [](char c) { return c == ',' || c == '\t'; });
        if (word.empty()) {
          text_.fail(begin, "expected a value, found nothing before the comma",
                     "Write missing values as ?");
        }
        if (!find_value(column, word, false, row_[column])) {
          // A comment needs no blank before it. But 50% alone is a percentage, not a number.
          const auto comment = word.find('%');
          if (comment == std::string_view::npos || comment + 1 == word.size() ||
              !find_value(column, word.substr(0, comment), false, row_[column])) {
            fail_value(column, word, begin);
          }
          at = end_;
        }
      }
      const char* const gap = at;
      at = skip_arff_blanks(at, end_);
      if (at < end_ && *at == ',') {
        at = skip_arff_blanks(at + 1, end_);
      } else if (is_quoted && gap == at && at < end_) {
        text_.fail(at, "expected a comma after the closing quote, found " + found_at(at),
                   "Separate values by commas; write a quote inside quotes as \\'");
      } else if (is_quoted && !arff_at_end(at, end_) &&
                 std::string_view(gap, at).find('\t') == std::string_view::npos) {
        text_.fail(at, "expected a comma after the value, found " + found_at(at),
                   "Separate values by commas");
      }
    }
    if (column < row_.size()) {
      text_.fail(row,
                 "expected " + std::to_string(row_.size()) + " values, one per attribute, found " +
                     std::to_string(column),
                 "Complete the row, or write it as sparse: {index value, ...}");
    }
    table_.add_dense(dates_.any() ? dates_.spread(row_, places_) : row_);
  }

  std::string found_at(const char* at) const { return in_quotes({at, end_}); }

  void read_sparse(const char* at) {
    const char* const row = at++;
    cells_.clear();
    for (;;) {
      at = skip_arff_blanks(at, end_);
      if (at == end_) {
        text_.fail(row, "expected '}' at the end of the sparse row, found the end of the line",
                   "Write a row on one line; the file may be cut short");
      }
      if (*at == '}') break;
      const std::size_t column = take_index(at);
      at = skip_arff_blanks(at, end_);
      const char* const begin = at;
      double value = 0;
      if (at < end_ && (*at == '\'' || *at == '"')) {
        at = arff_quoted(text_, at, word_);
        value = value_of(column, word_, true, begin);
      } else {
        while (at < end_ && *at != ',' && *at != '}' && !arff_blank(*at)) ++at;
        value = value_of(column, {begin, core::at(at - begin)}, false, begin);
      }
      cells_.push_back({static_cast<Id>(column), value});
      at = skip_arff_blanks(at, end_);
      if (at < end_ && *at == ',') {
        ++at;
      } else if (at < end_ && *at != '}') {
        text_.fail(at, "expected ',' or '}' after a value, found " + found_at(at),
                   "Put values with blanks in quotes");
      }
    }
    at = skip_arff_blanks(at + 1, end_);
    if (!arff_at_end(at, end_)) {
      text_.fail(at, "expected the end of the line after '}', found " + found_at(at),
                 k_no_row_weights);
    }
    if (const auto omitted = dates_.omitted(cells_)) {
      text_.fail(row,
                 "expected a date of " + in_quotes(columns_[*omitted].name) +
                     ", found a sparse row without one",
                 "Write it in every row, or ? if it is missing");
    }
    table_.add_sparse(dates_.any() ? dates_.spread(cells_, places_) : cells_);
  }

  // The index of a sparse entry and the blank after it.
  std::size_t take_index(const char*& at) {
    const char* const begin = at;
    std::size_t index = 0;
    while (at < end_ && *at >= '0' && *at <= '9' && at - begin < 12) {
      index = index * 10 + core::at(*at++ - '0');
    }
    if (at == begin || at == end_ || !arff_blank(*at)) {
      const char* word_end = begin;
      while (word_end < end_ && *word_end != ',' && *word_end != '}') ++word_end;
      text_.fail(begin,
                 "expected an index, a blank and a value, found " +
                     in_quotes({begin, core::at(word_end - begin)}),
                 "Write sparse rows as {index value, index value}, dense rows without braces");
    }
    if (index >= columns_.size()) {
      text_.fail(begin,
                 "expected an index below " + std::to_string(columns_.size()) +
                     ", the number of attributes, found " + std::to_string(index),
                 "Count indices of sparse rows from 0");
    }
    if (!cells_.empty() && static_cast<Id>(index) <= cells_.back().column) {
      text_.fail(begin,
                 "expected increasing indices, found " + std::to_string(index) + " after " +
                     std::to_string(cells_.back().column),
                 "Sort the entries of the row, and give each index once");
    }
    places_.push_back(begin);
    return index;
  }

  TextReader& text_;
  Dataset outline_;                                          // name and notes
  Index rows_ = 0, characters_ = 0;                          // of this block
  std::vector<std::pair<std::size_t, TextsBuilder>> apart_;  // columns of text and of ids
  ArffDates dates_;
  std::size_t list_column_;
  std::vector<Role> roles_;       // of the attributes
  std::vector<Column> declared_;  // the attributes, if the table has other columns
  TableBuilder table_;
  const std::vector<Column>& columns_;
  bool keep_missing_;
  std::vector<Id> kind_;  // k_numeric, k_list, ..., or an index into nominal_
  std::vector<WordNumbers> nominal_;
  std::unordered_map<std::string, std::size_t> list_numbers_;
  std::vector<std::string> list_values_;

  // The current row.
  const char* end_ = nullptr;
  std::vector<const char*> places_;
  std::vector<double> row_;
  std::vector<ColumnCell> cells_;
  std::string word_;
};

void refuse_text(const TextReader& text, const std::vector<ArffAttribute>& attributes,
                 const Roles& roles, const ArffDates& dates) {
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    const ArffAttribute& attribute = attributes[j];
    const bool is_text = attribute.type == ArffType::text;
    if ((!is_text && attribute.type != ArffType::date) || roles[j] == Role::ignored ||
        is_apart(roles[j]) || dates.has(j)) {
      continue;
    }
    if (is_text && roles[j] == Role::label_list) continue;
    std::string remedy = "Only features may be such attributes; ";
    if (roles[j] == Role::feature) {
      remedy = is_text
                   ? mention("text", attribute.name) + " turns its words into features; "
                   : mention("dates", "parts") + " makes numbers of year, month, day and weekday; ";
    }
    throw Error(Code::unsupported,
                "expected numeric or nominal attributes, found " + in_quotes(attribute.name) +
                    " of type " + (is_text ? "string" : "date"),
                remedy + mention("ignore", attribute.name) + " leaves it out",
                {text.path(), attribute.line, attribute.at});
  }
}

}  // namespace

std::unique_ptr<BlockReader> arff_reader(TextReader& text, const ReadOptions& options) {
  ArffHeader header = read_arff_header(text);
  LabelHints hints;
  hints.count = header.label_count;
  hints.count_where = {text.path(), header.relation_line, header.relation_at};
  std::string unread;
  if (const auto path = find_label_xml(text.path())) {
    try {
      hints.xml = read_label_xml(*path);
    } catch (const Error& error) {
      if (!names_labels(options)) throw;  // otherwise the labels are known without it
      unread = "the label file next to the data is left out, because it cannot be read (" +
               std::string(error.what()) + "): labels that only it knows become features";
    }
  }
  std::vector<std::string> names;
  for (const auto& attribute : header.attributes) names.push_back(attribute.name);
  Roles roles = choose_roles(names, options, hints);
  if (!unread.empty()) roles.notes.push_back(unread);
  ArffDates dates(text.path(), header.attributes, roles, options);
  refuse_text(text, header.attributes, roles, dates);
  std::vector<Column> columns;
  columns.reserve(names.size());
  for (auto& [name, type, values, line, at, pattern] : header.attributes) {
    columns.push_back({std::move(name), type == ArffType::nominal, std::move(values), line, at});
  }
  header.attributes = {};
  Dataset data;
  data.name = header.relation;
  data.notes = std::move(header.notes);
  data.forms = dates.forms();
  return std::make_unique<RowReader>(text, std::move(columns), std::move(roles), options,
                                     std::move(dates), std::move(data));
}

}  // namespace mulberry::data
