// DatePattern: dates as a pattern of Java's SimpleDateFormat writes them, which is how ARFF
// declares date attributes: dd/MM/yyyy HH:mm, yyyyMMdd, 'on' d MMM yyyy.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

// 17 May 2024, 17-May-2024, May 17, 2024, Friday, 17. May 2024 10:30: a date whose month is a word,
// which no other order of its parts can be.
struct NamedDate {
  int year = 0, month = 0, day = 0;
  std::string_view time = {};  // as written; empty if there is none
};
std::optional<NamedDate> named_date(std::string_view word);

class DatePattern {
 public:
  // Empty: ISO 8601, with or without a time. Throws Error for letters that do not tell a day and
  // its time, for years of two digits, and if year, month or day is lacking.
  DatePattern(std::string pattern, const Place& where);

  // How models know the dates of such a column, whatever file comes later.
  ColumnForm form(std::string column) const;
  // The parts that a form has (date_part_names); nothing for a word that is no such date.
  std::optional<std::vector<double>> values(std::string_view word, const ColumnForm& form) const;
  std::string shown() const;  // for people

 private:
  struct Field {
    char letter = 0;           // of the pattern; 0: text that stands as it is
    std::size_t width = 0;     // how often the letter is written
    bool fixed = false;        // takes exactly that many digits: another number follows
    std::string literal = {};  // of text
  };

  std::string pattern_;
  std::vector<Field> fields_;
};

}  // namespace mulberry::data
