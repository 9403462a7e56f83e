#include "mulberry/core/visible.hpp"

#include <cstddef>

namespace mulberry::core {
namespace {

unsigned byte_at(std::string_view text, std::size_t k) {
  return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U;
}

// Bytes of the character that begins at `k`; 1 for a byte that is not part of UTF-8.
std::size_t length_at(std::string_view text, std::size_t k) {
  const unsigned first = byte_at(text, k);
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, k + i) & 0xC0U) != 0x80) return 1;
  }
  return length;
}

bool is_8_bit_control(unsigned code) { return code >= 0x80 && code < 0xA0; }

void append_escaped(std::string& out, unsigned code) {
  constexpr const char* k_digits = "0123456789abcdef";
  out += {'\\', 'x', k_digits[code >> 4U], k_digits[code & 15U]};
}

std::string escaped(std::string_view text, bool keep_lines) {
  std::string out;
  for (std::size_t k = 0; k < text.size();) {
    const unsigned first = byte_at(text, k), second = byte_at(text, k + 1);
    const std::size_t length = length_at(text, k);
    const bool kept = keep_lines && (first == '\n' || first == '\t');
    if ((first < 32 && !kept) || first == 127 || (length == 1 && is_8_bit_control(first))) {
      append_escaped(out, first);
    } else if (length == 2 && first == 0xC2 && is_8_bit_control(second)) {
      append_escaped(out, second);
    } else {
      out += text.substr(k, length);
    }
    k += length;
  }
  return out;
}

}  // namespace

std::string visible(std::string_view text) { return escaped(text, true); }
std::string visible_line(std::string_view text) { return escaped(text, false); }

}  // namespace mulberry::core
