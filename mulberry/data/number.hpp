// fast_number: parse_number for the inner loops of readers. Short decimals such as "0.125" and
// "-3" take a path of their own, exact because both the digits and the power of ten are exact
// doubles; everything else goes to parse_number, so both always agree.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "mulberry/core/text.hpp"

namespace mulberry {

inline bool fast_number(std::string_view text, double& value) {
  static constexpr std::array<double, 16> k_power = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p < end && *p == '-';
  if (negative) ++p;
  if (end - p <= 16) {  // at most 15 digits and a point: below 2^53
    std::uint64_t digits = 0;
    const char* const first = p;
    const auto digit = [&] { return static_cast<unsigned>(*p - '0'); };
    while (p < end && digit() < 10) digits = digits * 10 + digit(), ++p;
    const std::ptrdiff_t whole = p - first;
    std::ptrdiff_t fraction = 0;
    if (p < end && *p == '.') {
      const char* const point = ++p;
      while (p < end && digit() < 10) digits = digits * 10 + digit(), ++p;
      fraction = p - point;
    }
    if (p == end && whole + fraction > 0 && whole + fraction <= 15) {
      const double magnitude =
          static_cast<double>(digits) / k_power[static_cast<std::size_t>(fraction)];
      value = negative ? -magnitude : magnitude;
      return true;
    }
  }
  const auto slow = parse_number(text);
  if (!slow) return false;
  value = *slow;
  return true;
}

}  // namespace mulberry
