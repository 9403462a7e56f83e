// JsonRecords: the rows of JSON lines: one object per line, such as
//     {"id": 7, "text": "...", "labels": ["a", "b"], "price": 3}
// whose values are texts, numbers, true, false, null, or lists of texts and numbers. The keys of
// the first object are the columns; a key that a later object leaves out is a missing value.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mulberry/data/bytes/text_reader.hpp"

namespace mulberry::data {

class JsonRecords {
 public:
  explicit JsonRecords(TextReader& text) : text_(text) {}

  // The elements of a list, between each other; no text has this character.
  static constexpr char k_between = '\x1f';

  bool next();  // false at the end of the file; the first call fixes the keys
  const std::vector<std::string>& keys() const { return keys_; }
  std::string_view operator[](std::size_t k) const { return cells_[k].text; }
  bool is_list(std::size_t k) const { return cells_[k].list; }
  // Left out, null or NaN; neither an empty list nor an empty text.
  bool is_missing(std::size_t k) const {
    const Cell& cell = cells_[k];
    return !cell.list && cell.text.empty() && (cell.at == nullptr || *cell.at != '"');
  }
  std::string& text(std::size_t k) { return cells_[k].text; }
  Place place(std::size_t k) const {
    return text_.place(cells_[k].at == nullptr ? text_.line().data() : cells_[k].at);
  }

 private:
  struct Cell {
    std::string text = {};  // empty: missing
    bool list = false;
    const char* at = nullptr;  // null: left out
  };
  void read_object();
  void read_value(Cell& cell);
  void read_scalar(std::string& out);
  void read_string(std::string& out);
  void read_escape(std::string& out, const char* begin);
  unsigned read_hex(const char* begin);
  void read_list(Cell& cell);
  void skip();
  void expect(char c, const char* what);
  std::string found() const;
  std::size_t column_of(const std::string& key, const char* at);

  TextReader& text_;
  std::vector<std::string> keys_;
  std::unordered_map<std::string, std::size_t> column_;
  std::vector<Cell> cells_;
  bool first_ = true;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace mulberry::data
