// UTF-8 to code points and back, exact for any bytes: a byte that is not part of valid UTF-8
// becomes one of U+DC80..U+DCFF, as in Python's "surrogateescape", and is restored on the way back.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mulberry/core/rooms.hpp"

namespace mulberry::data {

std::u32string decode_utf8(std::string_view bytes);
// Lone surrogates other than the above and numbers beyond U+10FFFF become U+FFFD.
std::string encode_utf8(std::u32string_view text);

bool is_utf8(std::string_view bytes);
std::string utf8_from_latin1(std::string_view bytes);  // every byte is a letter

// Names go into models and JSON, which are UTF-8; other files are most often in Latin-1. Readers
// decode every name and word by the same rule before they compare any: UTF-8 stays, anything else
// is read as Latin-1. True if the text changed.
bool make_utf8(std::string& text);
inline constexpr const char* k_latin1_note = "names are not in UTF-8: they are read as Latin-1";

}  // namespace mulberry::data
