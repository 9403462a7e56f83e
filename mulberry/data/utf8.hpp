// UTF-8 to code points and back, exact for any bytes: a byte that is not part of valid UTF-8
// becomes one of U+DC80..U+DCFF, as Python's "surrogateescape" has it, and comes back as itself.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mulberry {

std::u32string decode_utf8(std::string_view bytes);
// Lone surrogates other than the above and numbers beyond U+10FFFF become U+FFFD.
std::string encode_utf8(std::u32string_view text);

bool is_utf8(std::string_view bytes);
std::string utf8_from_latin1(std::string_view bytes);  // every byte is a letter

}  // namespace mulberry
