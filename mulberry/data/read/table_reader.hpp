// TableReader: the rows of a table with named columns whose types the file does not declare (CSV,
// TSV, JSON lines). A column of numbers is numeric, a column of words is nominal, and a mixture is
// an error. Options say which columns are labels, text or ids (roles.hpp).
//
// The values of nominal columns are known only at the end of a block, so its cells are collected
// first, as numbers or positions of words, and then handed to the table row by row, freed as they
// go.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/chunked.hpp"
#include "mulberry/data/bytes/number.hpp"
#include "mulberry/data/bytes/utf8.hpp"
#include "mulberry/data/label_sets.hpp"
#include "mulberry/data/read/block_reader.hpp"
#include "mulberry/data/read/column_table.hpp"
#include "mulberry/data/read/values/column_words.hpp"
#include "mulberry/data/read/values/missing_words.hpp"
#include "mulberry/data/read/values/table_numbers.hpp"
#include "mulberry/data/read/values/word_numbers.hpp"
#include "mulberry/data/text/texts.hpp"

namespace mulberry::data {

// Records has next(), which moves to the next row, operator[](j), the text of cell j, and place(j);
// is_missing(j), if an empty cell is not the same as a missing one.
template <class Records>
class TableReader {
 public:
  TableReader(std::string path, const ReadOptions& options, Records& records)
      : path_(std::move(path)), options_(options), records_(records) {}

  // `unnamed` is a first column without a name, as pandas writes its index.
  void set_columns(std::vector<Column> columns, bool unnamed) {
    columns_ = std::move(columns);
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
    }
    for (const ColumnForm& form : options_.known_forms) {
      const auto found = std::ranges::find(columns_, form.name, &Column::name);
      const auto j = at(found - columns_.begin());
      if (found == columns_.end() || roles_[j] != Role::feature) continue;
      states_[j].form = form;
      states_[j].kind = form.dates ? Kind::word : Kind::number;
    }
    if (unnamed && roles_[0] == Role::feature && !states_[0].known) {
      roles_.of[0] = Role::ignored;
      roles_.notes.push_back(
          "the first column has no name: it is taken for the index of the rows "
          "and left out (" +
          mention("id", in_quotes(names[0])) + " keeps it as their id)");
    }
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (is_names(j)) states_[j].kind = Kind::word;
      if (is_text(j)) states_[j].text = texts_++;
    }
    begin_block();
  }

  std::size_t width() const { return columns_.size(); }
  const Roles& roles() const { return roles_; }
  Index rows() const { return rows_; }  // of this block
  Index held() const { return static_cast<Index>(cells_.size()) + characters_; }

  // Whether the rows so far may be a block: the words of a column that no model knows number its
  // columns, and only all rows have all words. Throws Error if no more may be read.
  bool can_cut(const BlockLimit& limit) const {
    if (options_.known_features) return true;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const ColumnState& state = states_[j];
      if (roles_[j] != Role::feature || state.known || state.form || state.kind == Kind::number)
        continue;
      if (rows_ < limit.rows) return false;
      throw Error(Code::unsupported,
                  "expected numbers in the column " + in_quotes(columns_[j].name) +
                      " to read some of the rows only, found words or nothing",
                  "Read all rows, or train on data with named columns",
                  {path_, columns_[j].line, columns_[j].at});
    }
    return true;
  }

  void add_row() {
    for (std::size_t j = 0; j < columns_.size(); ++j) cells_.push_back(read_cell(j));
    if (has_binary_sets()) lines_.push_back(records_.place(0).line);
    ++rows_;
  }

  // The rows so far; the reader is ready for more unless these are the last.
  Dataset cut(bool last) {
    Dataset data;
    std::vector<Matrix> ranks(columns_.size());  // of words: what stands for each of them
    std::vector<std::string> notes;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (states_[j].kind == Kind::word) {
        ranks[j] = declare_values(j, notes);
      } else {
        require_no_pending(j);
      }
    }
    const std::size_t width = columns_.size();
    for (std::size_t j = 0; j < width; ++j) {
      const Role role = roles_[j];
      if (is_text(j)) {
        (role == Role::text ? data.texts : data.words)
            .push_back({columns_[j].name, text_[states_[j].text].finish()});
      }
      if (role == Role::id) data.id_name = columns_[j].name;
    }
    data.ids = std::move(ids_);
    for (const ColumnState& state : states_) {
      if (state.form) data.forms.push_back(*state.form);
    }
    std::vector<Column> columns = last ? std::move(columns_) : columns_;
    Roles roles = last ? std::move(roles_) : roles_;
    if (std::ranges::any_of(data.forms, &ColumnForm::dates)) split_dates(columns, roles.of);
    Index i = 0;
    TableBuilder table(path_, std::move(columns), std::move(roles), options_,
                       [&](std::size_t) { return place_of_row(i); });
    table.count_unseen(unseen_);
    std::vector<double> row;
    std::size_t next = 0;
    for (; i < rows_; ++i) {
      row.clear();
      for (std::size_t j = 0; j < width; ++j, ++next) {
        const double cell = cells_[next];
        const Index parts = ranks[j].cols();
        if (parts == 0) row.push_back(cell);
        for (Index p = 0; p < parts; ++p) {
          row.push_back(std::isnan(cell) ? cell : ranks[j](static_cast<Index>(cell), p));
        }
      }
      table.add_dense(row);
      cells_.release_before(next);
    }
    data.notes.insert(data.notes.end(), notes.begin(), notes.end());
    if (latin1_) data.notes.push_back(k_latin1_note);
    if (!last) begin_block();
    return table.finish(std::move(data), last);
  }

  void decode(std::string& word) { latin1_ = make_utf8(word) || latin1_; }

 private:
  void begin_block() {
    for (ColumnState& state : states_) {
      state.words.clear();
      state.position.clear();
      state.pending.clear();
    }
    text_.clear();
    text_.resize(texts_);
    ids_.clear();
    cells_.shrink(0);
    lines_.clear();
    rows_ = characters_ = 0;
  }

  enum class Kind { unknown, number, word };
  static constexpr double k_missing = std::numeric_limits<double>::quiet_NaN();
  // A cell with a word that means a missing value if the column turns out to be one of numbers.
  struct Pending {
    std::size_t cell;
    std::string word;
    Place where;
  };
  struct ColumnState {
    Kind kind = Kind::unknown;
    std::size_t text = 0;  // of text_
    std::vector<std::string> words = {};
    std::unordered_map<std::string, std::size_t> position = {};
    std::vector<Pending> pending = {};
    std::optional<WordNumbers> known = {};  // the words in the training data of a model
    std::optional<ColumnForm> form = {};    // of numbers with units and dates; known to a model
  };

  bool is_text(std::size_t j) const { return is_apart(roles_[j]) && roles_[j] != Role::id; }

  // Columns whose cells are names even if they look like numbers.
  bool is_names(std::size_t j) const {
    return roles_[j] == Role::label_list || roles_[j] == Role::label_set || states_[j].known;
  }

  double read_cell(std::size_t j) {
    const Role role = roles_[j];
    if (role == Role::ignored) return 0;
    const std::string_view cell = records_[j];
    if (is_apart(role)) {
      std::string text(cell);
      decode(text);
      characters_ += count_of(text);
      if (role == Role::id) {
        ids_.push_back(std::move(text));
      } else {
        text_[states_[j].text].add(text);
      }
      return 0;
    }
    if (cell.empty() && (role != Role::label_list || lists_nothing_known(j))) {
      return read_missing(j);
    }
    double value = 0;
    ColumnState& state = states_[j];
    if (state.form) return read_formed(j, cell);
    const bool names = is_names(j);
    const bool number = !names && read_number(cell, value);
    if (!number && is_na(cell)) return read_missing(j);
    if (!number && !names && state.kind != Kind::word && is_missing_word(cell)) {
      if (role == Role::label || state.kind == Kind::number) return read_missing(j);
      if (state.kind == Kind::unknown && role == Role::feature) {
        state.pending.push_back({cells_.size(), std::string(cell), records_.place(j)});
        return k_missing;
      }
    }
    if (role == Role::label && !number) {
      const auto truth = truth_of(cell);
      if (!truth) fail_label(j, cell);
      return *truth ? 1 : 0;
    }
    const Kind kind = number ? Kind::number : Kind::word;
    if (state.kind == Kind::unknown) {
      state.kind = kind;
      if (!number) {
        require_words(j, cell);
        settle_pending(j);
      }
    }
    if (kind != state.kind) {
      fail(j, Code::format,
           "expected a " + std::string(number ? "word" : "number") + " in the column " +
               in_quotes(columns_[j].name) + " as in the rows before, found " + in_quotes(cell),
           number_remedy(cell, number));
    }
    if (!number) return word_position(j, std::string(cell));
    if (role == Role::label && value != 0 && value != 1) fail_label(j, cell);
    if (role == Role::weight && value <= 0) {
      fail(j, Code::data, "expected a positive weight, found " + in_quotes(cell), k_weight_remedy);
    }
    return value;
  }

  // An empty cell of a table lists no label; null in JSON says nothing about the labels.
  bool lists_nothing_known(std::size_t j) const {
    if constexpr (requires { records_.is_missing(j); }) return records_.is_missing(j);
    return false;
  }

  bool read_number(std::string_view cell, double& value) const {
    if (options_.decimal == '.' && options_.thousands == 0) return fast_number(cell, value);
    return written_number(cell, options_.decimal, options_.thousands, value);
  }

  // A cell of a column whose numbers have a unit, or are dates, as the model knows.
  double read_formed(std::size_t j, std::string_view cell) {
    if (is_na(cell) || is_missing_word(cell)) return read_missing(j);
    const ColumnForm& form = *states_[j].form;
    double value = 0;
    if (form.dates) {
      const auto count = states_[j].words.size();
      const double position = word_position(j, std::string(cell));
      if (states_[j].words.size() > count && !date_values(cell, form)) {
        fail(j, Code::data,
             "expected a date of " + in_quotes(form.name) + " as in the training data, found " +
                 in_quotes(cell),
             "Write dates as 2024-05-17");
      }
      return position;
    }
    if (!unit_number(cell, form.unit, options_.decimal, options_.thousands, value)) {
      fail(j, Code::data,
           "expected a number with " + in_quotes(form.unit) + " for " + in_quotes(form.name) +
               " as in the training data, found " + in_quotes(cell),
           "Write it as in the training data, or leave the cell empty");
    }
    return value;
  }

  // What to do about a cell that is no number, or the first number among words.
  static std::string number_remedy(std::string_view cell, bool number) {
    const std::vector<std::string> words = {std::string(cell)};
    if (const auto marks = number ? std::nullopt : marks_remedy(words)) return *marks;
    if (number) {
      return "Do not mix numbers and words in a column; leave cells without a value empty";
    }
    return "If it stands for a missing value, say so with " + mention("na", std::string(cell)) +
           ", or leave the cell empty; numbers are written as 1.5 or 2e-3";
  }

  bool is_na(std::string_view cell) const {
    return std::find(options_.na_words.begin(), options_.na_words.end(), cell) !=
           options_.na_words.end();
  }

  double word_position(std::size_t j, std::string word) {
    decode(word);
    ColumnState& state = states_[j];
    const auto [at, added] = state.position.try_emplace(word, state.words.size());
    if (added) {
      require_known(j, word);
      state.words.push_back(std::move(word));
    }
    return static_cast<double>(at->second);
  }

  // The column is one of words, so the words that might have meant a missing value are words, too.
  void settle_pending(std::size_t j) {
    for (Pending& cell : states_[j].pending) {
      cells_.set(cell.cell, word_position(j, std::move(cell.word)));
    }
    states_[j].pending.clear();
  }

  void require_no_pending(std::size_t j) const {
    const auto& pending = states_[j].pending;
    if (pending.empty() || options_.keep_missing) return;
    throw Error(Code::data,
                "expected a value of " + in_quotes(columns_[j].name) + ", found a missing one",
                k_missing_remedy, pending.front().where);
  }

  double read_missing(std::size_t j) const {
    if (roles_[j] == Role::feature && !options_.keep_missing) {
      fail(j, Code::data,
           "expected a value of " + in_quotes(columns_[j].name) + ", found a missing one",
           k_missing_remedy);
    }
    if (roles_[j] == Role::label_set) {
      fail(j, Code::data,
           "expected a value of the label set " + in_quotes(columns_[j].name) +
               ", found a missing one",
           k_set_remedy);
    }
    if (roles_[j] == Role::weight) {
      fail(j, Code::data, "expected a weight, found a missing value", k_weight_remedy);
    }
    return k_missing;
  }

  void require_known(std::size_t j, std::string_view cell) const {
    const auto& known = states_[j].known;
    if (!known || known->find(cell)) return;
    if (options_.unseen == Unseen::zero && options_.known_nominal.coding == Nominal::one_hot)
      return;
    fail(j, Code::data,
         "expected a value of " + in_quotes(columns_[j].name) +
             " that the training data has, found " + in_quotes(cell),
         did_you_mean(cell, known->words(), "Correct the value, or train with data that has it"));
  }

  void require_words(std::size_t j, std::string_view cell) const {
    if (roles_[j] == Role::weight || is_refused_number(cell)) {
      fail(j, Code::format, "expected a decimal number, found " + in_quotes(cell),
           number_remedy(cell, false));
    }
  }

  [[noreturn]] void fail_label(std::size_t j, std::string_view cell) const {
    fail(j, Code::data,
         "expected 0 or 1 for the label " + in_quotes(columns_[j].name) + ", found " +
             in_quotes(cell),
         "Name only binary columns as labels, and leave missing cells empty; " +
             mention("label_sets") + " takes columns with string values");
  }

  [[noreturn]] void fail(std::size_t j, Code code, std::string problem, std::string remedy) const {
    throw Error(code, std::move(problem), std::move(remedy), records_.place(j));
  }

  // What stands for each word of a column, by position: its rank among the sorted values, the
  // number that it is, or the parts of a date.
  Matrix declare_values(std::size_t j, std::vector<std::string>& notes) {
    Column& column = columns_[j];
    ColumnState& state = states_[j];
    const Place where{path_, column.line, column.at};
    if (state.form) return formed_values(j);
    if (roles_[j] == Role::feature && !state.known) {
      state.form = form_of(j, where, notes);
      if (state.form) return formed_values(j);
      if (auto note = check_words(column.name, state.words, rows_, where)) {
        notes.push_back(std::move(*note));
      }
    }
    column.nominal = true;
    column.values = state.words;
    sort_names(column.values);
    Matrix rank(count_of(state.words), 1);
    for (std::size_t v = 0; v < column.values.size(); ++v) {
      rank(static_cast<Index>(state.position.at(column.values[v])), 0) = static_cast<double>(v);
    }
    state.position.clear();
    return rank;
  }

  // Words for missing values in a column that turned out to be one of numbers.
  void require_kept(std::size_t j, std::span<const double> values) const {
    if (options_.keep_missing || std::ranges::none_of(values, [](double v) { return v != v; }))
      return;
    throw Error(Code::data,
                "expected a value of " + in_quotes(columns_[j].name) + ", found a missing one",
                k_missing_remedy, {path_, columns_[j].line, columns_[j].at});
  }

  // What a column of words is if its words are numbers with a unit or dates.
  std::optional<ColumnForm> form_of(std::size_t j, const Place& where,
                                    std::vector<std::string>& notes) const {
    const std::string& name = columns_[j].name;
    const auto& words = states_[j].words;
    if (auto unit = common_unit(words, options_.decimal, options_.thousands)) {
      if (options_.known_features) {
        throw Error(Code::data,
                    "expected numbers without a unit in the column " + in_quotes(name) +
                        ", as in the training data, found " + in_quotes(words.front()),
                    "Write them as in the training data", where);
      }
      notes.push_back("the column " + in_quotes(name) + " is read as numbers, without its " +
                      in_quotes(*unit));
      return ColumnForm{.name = name, .unit = std::move(*unit)};
    }
    constexpr std::size_t k_few = 2;  // of different words, which may be names
    const auto marks = words.size() > k_few ? marks_remedy(words) : std::nullopt;
    if (marks) {
      throw Error(Code::data,
                  "expected numbers or a few different words in the column " + in_quotes(name) +
                      ", found numbers written as " + in_quotes(words.front()),
                  *marks + "; " + mention("ignore", name) + " leaves it out", where);
    }
    if (options_.dates == Dates::refuse) return std::nullopt;
    return date_form(name, words, where);
  }

  // The number of each word, or the parts of each date.
  Matrix formed_values(std::size_t j) const {
    const ColumnForm& form = *states_[j].form;
    const auto& words = states_[j].words;
    Matrix out(count_of(words), form.dates ? count_of(date_part_names(form)) : 1, k_missing);
    for (std::size_t w = 0; w < words.size(); ++w) {
      const auto row = out.row(static_cast<Index>(w));
      if (!form.dates) {
        double value = 0;
        if (unit_number(words[w], form.unit, options_.decimal, options_.thousands, value)) {
          row[0] = value;
        }
      } else if (const auto values = date_values(words[w], form)) {
        std::ranges::copy(*values, row.begin());
      }
    }
    require_kept(j, out.values());
    return out;
  }

  // A column of dates becomes one column per part, in its place.
  void split_dates(std::vector<Column>& columns, std::vector<Role>& roles) const {
    std::vector<Column> split;
    std::vector<Role> split_roles;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const auto& form = states_[j].form;
      if (!form || !form->dates) {
        split.push_back(std::move(columns[j]));
        split_roles.push_back(roles[j]);
        continue;
      }
      append_date_columns(*form, columns[j], split);
      split_roles.resize(split.size(), Role::feature);
    }
    require_distinct_columns(path_, split);
    columns = std::move(split);
    roles = std::move(split_roles);
  }

  bool has_binary_sets() const { return !roles_.prefix_sets.empty() || !roles_.named_sets.empty(); }

  // Errors in a cell are reported when it is read; a whole row can only violate a label set.
  Place place_of_row(Index i) const {
    const auto row = at(i);
    return row < lines_.size() ? Place{path_, lines_[row], 1} : Place{path_};
  }

  std::string path_;
  const ReadOptions& options_;
  Records& records_;
  std::vector<Column> columns_;
  Roles roles_;
  std::vector<ColumnState> states_;
  std::size_t texts_ = 0;           // columns of text
  std::vector<TextsBuilder> text_;  // of each
  std::vector<std::string> ids_;
  Chunked<double> cells_;
  Index rows_ = 0, characters_ = 0;
  UnseenByColumn unseen_;            // of all rows
  std::vector<std::int64_t> lines_;  // where each row begins, if label sets must be checked
  bool latin1_ = false;
};

}  // namespace mulberry::data
