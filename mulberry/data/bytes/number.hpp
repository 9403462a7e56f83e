// scan_number, fast_number: parse_number for the inner loops of readers. Short decimals such as
// "0.125" and "-3" take a fast path, which is exact because both the digits and the power of ten
// are exact doubles; everything else goes to parse_number, so both always agree.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {

// Reads a number at p that ends at a blank, a tab or `end`. Returns where it ends, or null if there
// is no number.
inline const char* scan_number(const char* p, const char* end, double& value) {
  static constexpr std::array<double, 20> k_power = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                     1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                     1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
  constexpr std::uint64_t k_exact = std::uint64_t{1} << 53;
  const auto is_end = [&](const char* at) { return at == end || *at == ' ' || *at == '\t'; };
  const auto digit = [](char c) { return static_cast<unsigned>(c - '0'); };
  const char* const begin = p;
  const bool negative = p < end && *p == '-';
  if (negative) ++p;
  std::uint64_t digits = 0;
  const char* const first = p;
  while (p < end && digit(*p) < 10) digits = digits * 10 + digit(*p++);
  const std::ptrdiff_t whole = p - first;
  std::ptrdiff_t fraction = 0;
  if (p < end && *p == '.') {
    const char* const point = ++p;
    while (p < end && digit(*p) < 10) digits = digits * 10 + digit(*p++);
    fraction = p - point;
  }
  const std::ptrdiff_t count = whole + fraction;
  if (is_end(p) && count > 0 && count <= 19 && digits <= k_exact) {
    const double magnitude = static_cast<double>(digits) / k_power[at(fraction)];
    value = negative ? -magnitude : magnitude;
    return p;
  }
  while (!is_end(p)) ++p;
  const auto slow = parse_number({begin, at(p - begin)});
  if (!slow) return nullptr;
  value = *slow;
  return p;
}

// As above, for a whole text.
inline bool fast_number(std::string_view text, double& value) {
  const char* const end = text.data() + text.size();
  return scan_number(text.data(), end, value) == end;
}

}  // namespace mulberry::data
