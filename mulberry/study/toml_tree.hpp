// A TOML file as a tree of values that know their lines. Only toml_tree.cpp knows the TOML library.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/core/matrix.hpp"
#include "mulberry/core/rooms.hpp"

namespace mulberry::study {

struct TomlValue {
  enum class Kind { table, array, text, integer, number, flag, other };
  Kind kind = Kind::table;
  std::string text = {};
  Index integer = 0;
  double number = 0;  // of an integer, too
  bool flag = false;
  std::vector<TomlValue> items = {};                            // of an array
  std::vector<std::pair<std::string, TomlValue>> entries = {};  // of a table, as in the file
  Place where = {};

  bool is(Kind k) const { return kind == k; }
  const TomlValue* find(std::string_view key) const;
  std::string kind_name() const;  // "a table", "text"
};

// Throws Error (format) with the line of the mistake.
TomlValue parse_toml(std::string_view text, const std::string& path);

// A table whose keys are checked: a key that is not in `known` is an Error with its line and the
// nearest name. The readers throw Error if a value has another type or is out of range.
class TomlSection {
 public:
  TomlSection(const TomlValue& table, std::string name, std::vector<std::string> known);

  bool has(const std::string& key) const { return table_->find(key) != nullptr; }
  const TomlValue* find(const std::string& key) const { return table_->find(key); }
  const Place& where() const { return table_->where; }
  std::string text(const std::string& key, const std::string& otherwise = {}) const;
  bool flag(const std::string& key, bool otherwise) const;
  Index integer(const std::string& key, Index otherwise, Index least, Index most) const;
  double number(const std::string& key, double otherwise, double least, double most) const;
  // A list of texts; a single text is a list of one.
  std::vector<std::string> texts(const std::string& key) const;
  std::vector<double> numbers(const std::string& key) const;
  // One of the words.
  std::string choice(const std::string& key, const std::string& otherwise,
                     const std::vector<std::string>& words) const;
  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const;

 private:
  const TomlValue* table_;
  std::string name_;  // for errors: "[protocol]"
};

// Runs f, and gives its Error this place unless it has one.
template <class F>
auto at_place(const Place& where, const F& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw error.where().file.empty() ? error.with_place(where) : error;
  }
}

}  // namespace mulberry::study
