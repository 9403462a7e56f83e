// Letters of all languages, as Python sees them: lower case, word characters, white space. Texts
// are cut and compared as scikit-learn does it in Python, so that both give the same vocabulary.
#pragma once

#include <string>
#include <string_view>

#include "mulberry/core/rooms.hpp"

namespace mulberry::data {

// \w: letters, anything with a numeric value, and the underscore. Combining marks are not.
bool is_word_character(char32_t c);
// \s.
bool is_white_space(char32_t c);

bool is_ascii(std::string_view text);

// str.lower(): one character may become two (U+0130), and a capital sigma at the end of a word
// becomes the final one.
void lower_case(std::u32string_view text, std::u32string& out);

// The code points of UTF-8; bytes that are not UTF-8 become U+FFFD.
void append_code_points(std::string_view utf8, std::u32string& out);
void append_utf8(char32_t c, std::string& out);

}  // namespace mulberry::data
