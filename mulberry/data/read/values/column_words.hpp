// What the words of a column say about it: names of a few kinds, free text, dates, or numbers that
// were written in a way that is not accepted.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mulberry/core/error.hpp"
#include "mulberry/core/matrix.hpp"

namespace mulberry::data {

// "-Infinity", "0x1f", "1e999", "1,5": meant as numbers, but not accepted.
bool is_refused_number(std::string_view word);

// Looks at the different words of a feature before each becomes a column. Throws Error
// (unsupported) for free text and for dates; returns a note if the words are many, or few but long.
std::optional<std::string> check_words(const std::string& column,
                                       std::span<const std::string> words, Index rows,
                                       const Place& where);

}  // namespace mulberry::data
