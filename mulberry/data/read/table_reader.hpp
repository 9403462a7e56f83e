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
#include "mulberry/data/read/column_words.hpp"
#include "mulberry/data/read/missing_words.hpp"
#include "mulberry/data/read/word_numbers.hpp"
#include "mulberry/data/text/texts.hpp"

namespace mulberry::data {

// Records has next(), which moves to the next row, operator[](j), the text of cell j, and place(j).
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
    if (unnamed && roles_[0] == Role::feature && !states_[0].known) {
      roles_.of[0] = Role::ignored;
      roles_.notes.push_back(
          "the first column has no name: it is taken for the index of the rows "
          "and left out (" +
          mention("id", quoted(names[0])) + " keeps it as their id)");
    }
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (is_names(j)) states_[j].kind = Kind::word;
      if (roles_[j] == Role::text) states_[j].text = texts_++;
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
      if (roles_[j] != Role::feature || states_[j].known || states_[j].kind == Kind::number)
        continue;
      if (rows_ < limit.rows) return false;
      throw Error(Code::unsupported,
                  "expected numbers in the column " + quoted(columns_[j].name) +
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
    std::vector<std::vector<double>> ranks(columns_.size());
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
      if (roles_[j] == Role::text) {
        data.texts.push_back({columns_[j].name, text_[states_[j].text].finish()});
      }
      if (roles_[j] == Role::id) data.id_name = columns_[j].name;
    }
    data.ids = std::move(ids_);
    Index i = 0;
    TableBuilder table(path_, last ? std::move(columns_) : columns_,
                       last ? std::move(roles_) : roles_, options_,
                       [&](std::size_t) { return place_of_row(i); });
    table.count_unseen(unseen_);
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
  };

  // Columns whose cells are names even if they look like numbers.
  bool is_names(std::size_t j) const {
    return roles_[j] == Role::label_list || roles_[j] == Role::label_set || states_[j].known;
  }

  double read_cell(std::size_t j) {
    const Role role = roles_[j];
    if (role == Role::ignored) return 0;
    const std::string_view cell = records_[j];
    if (role == Role::text || role == Role::id) {
      std::string text(cell);
      decode(text);
      characters_ += count_of(text);
      if (role == Role::text) {
        text_[states_[j].text].add(text);
      } else {
        ids_.push_back(std::move(text));
      }
      return 0;
    }
    if (cell.empty() && role != Role::label_list) return read_missing(j);
    double value = 0;
    ColumnState& state = states_[j];
    const bool names = is_names(j);
    const bool number = !names && fast_number(cell, value);
    if (!number && role != Role::label_list && is_na(cell)) return read_missing(j);
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
               quoted(columns_[j].name) + " as in the rows before, found " + quoted(cell),
           "Leave cells without a value empty, and do not mix numbers and words in a column");
    }
    if (!number) return word_position(j, std::string(cell));
    if (role == Role::label && value != 0 && value != 1) fail_label(j, cell);
    if (role == Role::weight && value <= 0) {
      fail(j, Code::data, "expected a positive weight, found " + quoted(cell), k_weight_remedy);
    }
    return value;
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
                "expected a value of " + quoted(columns_[j].name) + ", found a missing one",
                k_missing_remedy, pending.front().where);
  }

  double read_missing(std::size_t j) const {
    if (roles_[j] == Role::feature && !options_.keep_missing) {
      fail(j, Code::data,
           "expected a value of " + quoted(columns_[j].name) + ", found a missing one",
           k_missing_remedy);
    }
    if (roles_[j] == Role::label_set) {
      fail(
          j, Code::data,
          "expected a value of the label set " + quoted(columns_[j].name) + ", found a missing one",
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
         "expected a value of " + quoted(columns_[j].name) + " that the training data has, found " +
             quoted(cell),
         did_you_mean(cell, known->words(), "Correct the value, or train with data that has it"));
  }

  void require_words(std::size_t j, std::string_view cell) const {
    if (roles_[j] == Role::weight || is_refused_number(cell)) {
      fail(j, Code::format, "expected a decimal number, found " + quoted(cell),
           "Leave cells without a value empty, and write numbers as 1.5 or 2e-3");
    }
  }

  [[noreturn]] void fail_label(std::size_t j, std::string_view cell) const {
    fail(j, Code::data,
         "expected 0 or 1 for the label " + quoted(columns_[j].name) + ", found " + quoted(cell),
         "Name only binary columns as labels, and leave missing cells empty; " +
             mention("label_sets") + " takes columns with string values");
  }

  [[noreturn]] void fail(std::size_t j, Code code, std::string problem, std::string remedy) const {
    throw Error(code, std::move(problem), std::move(remedy), records_.place(j));
  }

  // The rank of each word among the sorted values of its column, by position.
  std::vector<double> declare_values(std::size_t j, std::vector<std::string>& notes) {
    Column& column = columns_[j];
    ColumnState& state = states_[j];
    if (roles_[j] == Role::feature && !state.known) {
      const Place where{path_, column.line, column.at};
      if (auto note = check_words(column.name, state.words, rows_, where)) {
        notes.push_back(std::move(*note));
      }
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
