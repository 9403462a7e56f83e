// Table: one result in four forms. People get aligned columns with bars and the best values marked,
// papers the same as LaTeX; programs get the same rows as CSV or JSON with all digits.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/index.hpp"
#include "mulberry/core/matrix.hpp"

namespace mulberry::report {

struct TableColumn {
  std::string title = {};  // for people
  std::string key = {};    // for CSV and JSON; empty: only people see the column
  bool right = true;       // aligned to the right, as numbers are
};

struct TableCell {
  std::string text = {};   // for people
  bool is_number = false;  // programs get `number`, otherwise the text; NaN is an empty cell
  double number = std::numeric_limits<double>::quiet_NaN();
  bool best = false;
  std::string mark = {};  // one letter after the text, such as •, where there is no star
  double bar = std::numeric_limits<double>::quiet_NaN();  // 0..1: drawn behind the text

  TableCell(std::string words) : text(std::move(words)) {}  // NOLINT: a cell is words or a number
  TableCell(const char* words) : text(words) {}             // NOLINT
  // Shown with `digits` decimals, or in scientific form if those would all be 0.
  static TableCell of(double value, int digits);
  static TableCell of(Index value);
};

// What switches the styles of text(colours) on and off in a terminal.
inline constexpr std::array<std::string_view, 3> k_styles = {"\x1b[1m", "\x1b[1;32m", "\x1b[0m"};

class Table {
 public:
  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}
  void add(std::vector<TableCell> row);                // one cell per column
  void add_rule() { rules_.push_back(rows_.size()); }  // for people: a line before the next row
  Index rows() const { return count_of(rows_); }
  const std::vector<TableColumn>& columns() const { return columns_; }
  const std::vector<std::vector<TableCell>>& lines() const { return rows_; }

  // Aligned lines. The best values are marked with a star, and bold if colours are allowed. Control
  // characters of names are escaped.
  std::string text(bool colours) const;
  // A tabular with the rules of booktabs; the best values are bold, marks are raised. Names are
  // escaped, so any text is safe.
  std::string latex() const;
  std::string csv() const;
  std::string json() const;  // [{"key": value, ...}, ...]

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<TableCell>> rows_;
  std::vector<std::size_t> rules_;
};

// Names as titles of columns: as they are, or a letter each if one of them is long, with the lines
// that explain the letters.
struct ShortNames {
  std::vector<std::string> titles = {};
  std::string key = {};  // "A = ...\nB = ...\n"; empty without letters
};
ShortNames short_names(const std::vector<std::string>& names);

// With `digits` decimals; 0 has no sign, whatever is rounded to it.
std::string fixed_text(double value, int digits);

// A bar of `width` letters, filled to `share` in steps of an eighth and padded with blanks.
std::string bar_text(double share, Index width);
// Columns of a terminal that UTF-8 text takes.
Index display_width(std::string_view text);

}  // namespace mulberry::report
