// Words that files use for values that are not there, for yes and no, and for dates.
#pragma once

#include <optional>
#include <string_view>

#include "mulberry/core/rooms.hpp"

namespace mulberry::data {

// NaN, NA, N/A, null, None and their like: missing in a column of numbers. In a column of words
// they may be meant: NA is also Namibia.
bool is_missing_word(std::string_view word);

// true, false, yes, no and their first letters, in any case.
std::optional<bool> truth_of(std::string_view word);

// 2024-05-17, 17.05.2024, 5/17/24, 17 May 2024, with or without a time after it.
bool is_date(std::string_view word);

// 10:30, 10:30:15, 9:05 PM.
bool is_time(std::string_view word);

}  // namespace mulberry::data
