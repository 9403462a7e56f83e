// Numbers as tables of everyday life write them: with a decimal comma or a mark between thousands,
// if options say so; with a unit that all values of a column have in common (45%, $3.20); and
// dates, split into their parts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

// A number with these marks: marks between thousands stand between groups of three digits, or not
// at all. thousands: 0 for none.
bool written_number(std::string_view text, char decimal, char thousands, double& value);

// A number with a unit before or after it. Where no option names the marks, a comma followed by a
// point is one between thousands: $1,234.50.
bool unit_number(std::string_view text, std::string_view unit, char decimal, char thousands,
                 double& value);

// The unit of words that are numbers with one unit, on the same side of all: %, or the sign of a
// currency. Words that mean a missing value do not count. Nothing if they have none in common.
std::optional<std::string> common_unit(std::span<const std::string> words, char decimal,
                                       char thousands);

// What to say about words that are numbers with other marks than expected, with or without a unit:
// "--decimal , --thousands .". Nothing if no marks make numbers of all of them.
std::optional<std::string> marks_remedy(std::span<const std::string> words);

// How the dates of a column are written; words that mean a missing value do not count. Nothing
// unless the others are dates. Throws Error if it is not clear what is the month (3/4/2024 in all
// rows, or both 13/4/2024 and 4/13/2024) or the century, if a date does not exist, or if a few
// words among dates are none.
std::optional<ColumnForm> date_form(const std::string& column, std::span<const std::string> words,
                                    const Place& where);

// year, month, day, weekday, days, and the hour if the form has times.
std::vector<std::string_view> date_part_names(const ColumnForm& form);
// The parts of a date: weekday 0 is Monday, days count from 1970. Nothing for other words.
std::optional<std::vector<double>> date_values(std::string_view word, const ColumnForm& form);
// Of a day that is known; nothing if there is no such day.
std::optional<std::vector<double>> date_values(int year, int month, int day, double hour,
                                               const ColumnForm& form);

}  // namespace mulberry::data
