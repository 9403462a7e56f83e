// Small text helpers: numbers that round-trip, near misses for error messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::core {

// Decimal numbers as our files write them: optional sign, "5.", ".5", exponent; underflow is 0.
// Empty for anything else: hexadecimal, nan, inf, overflow, trailing letters, blanks.
std::optional<double> parse_number(std::string_view text);
std::optional<Index> parse_integer(std::string_view text);

// The shortest decimal that reads back as the same bits.
std::string shortest(double value);
std::string_view shortest(double value, std::span<char, 32> buffer);  // without an allocation

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string lower(std::string_view text);
bool same_word(std::string_view a, std::string_view b);  // ASCII letters in any case

// 'text' in quotes, with control bytes escaped and cut if long: safe to print for any file.
std::string in_quotes(std::string_view text);

// The candidate with the fewest edits, if it is near enough to be meant.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);
// "Did you mean 'x'?" or, if nothing is near, `otherwise`.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates,
                         std::string_view otherwise);

}  // namespace mulberry::core
