// Telling file formats apart by their content.
#pragma once

#include <string_view>

#include "mulberry/data/format.hpp"

namespace mulberry {

// `start` is the uncompressed start of the file. Files that look like nothing we know are taken for
// CSV, whose reader says best what is wrong.
Format detect_format(std::string_view start);

// The delimiter of a table: the one of comma, tab, semicolon and bar that occurs most in its
// header, outside quotes.
char detect_delimiter(std::string_view start);

}  // namespace mulberry
