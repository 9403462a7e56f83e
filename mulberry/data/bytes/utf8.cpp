#include "mulberry/data/bytes/utf8.hpp"

namespace mulberry::data {
namespace {

constexpr char32_t k_escape = 0xdc00;  // plus a byte of 0x80 or more

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The length of the valid sequence at the start of `bytes` and its code point; 0 if not valid.
std::size_t decode_one(std::string_view bytes, char32_t& point) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  const std::size_t size = lead < 0x80           ? 1
                           : (lead >> 5) == 0x6  ? 2
                           : (lead >> 4) == 0xe  ? 3
                           : (lead >> 3) == 0x1e ? 4
                                                 : 0;
  if (size == 0 || bytes.size() < size) return 0;
  point = size == 1 ? lead : lead & (0x7fu >> size);
  for (std::size_t k = 1; k < size; ++k) {
    if (!is_continuation(bytes[k])) return 0;
    point = (point << 6) | (static_cast<unsigned char>(bytes[k]) & 0x3f);
  }
  constexpr char32_t k_least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  return point < k_least[size] || point > 0x10ffff || surrogate ? 0 : size;
}

}  // namespace

std::u32string decode_utf8(std::string_view bytes) {
  std::u32string out;
  while (!bytes.empty()) {
    char32_t point = 0;
    std::size_t size = decode_one(bytes, point);
    if (size == 0) {
      size = 1;
      point = k_escape + static_cast<unsigned char>(bytes[0]);
    }
    out += point;
    bytes.remove_prefix(size);
  }
  return out;
}

std::string encode_utf8(std::u32string_view text) {
  std::string out;
  for (char32_t point : text) {
    if (point >= k_escape + 0x80 && point <= k_escape + 0xff) {
      out += static_cast<char>(point - k_escape);
      continue;
    }
    if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff) point = 0xfffd;
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (point >> shift & 0x3f)); };
    if (point < 0x80) {
      out += static_cast<char>(point);
    } else if (point < 0x800) {
      out += static_cast<char>(0xc0 | point >> 6);
      tail(0);
    } else if (point < 0x10000) {
      out += static_cast<char>(0xe0 | point >> 12);
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xf0 | point >> 18);
      tail(12);
      tail(6);
      tail(0);
    }
  }
  return out;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    char32_t point = 0;
    const std::size_t size = decode_one(bytes, point);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

std::string utf8_from_latin1(std::string_view bytes) {
  std::u32string text;
  for (const char c : bytes) text += static_cast<unsigned char>(c);
  return encode_utf8(text);
}

bool make_utf8(std::string& text) {
  if (is_utf8(text)) return false;
  text = utf8_from_latin1(text);
  return true;
}

}  // namespace mulberry::data
