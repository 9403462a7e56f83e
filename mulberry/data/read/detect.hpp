// Telling file formats apart by their content.
#pragma once

#include <string>
#include <string_view>

#include "mulberry/data/format.hpp"

namespace mulberry::data {

// `start` is the uncompressed start of the file. Unknown files are read as CSV, whose reader gives
// the best error messages.
Format detect_format(std::string_view start);

// The start of our comment at the start of libsvm files; the number of labels follows.
inline constexpr std::string_view k_libsvm_labels = "# mulberry: labels=";

// Throws Error for files that people name by mistake (a model, a label file, other compression, a
// web page or a pointer instead of the file, binary files), and for UTF-16.
void refuse_other_kinds(std::string_view start, const std::string& path);

// Throws Error for the small text that version control keeps in place of a large file.
void refuse_pointer(std::string_view start, const std::string& expected, const std::string& path);

// The delimiter of a table: the one of comma, tab, semicolon and bar that occurs most in its
// header, outside quotes, and if possible as often in its first row.
char detect_delimiter(std::string_view start);

}  // namespace mulberry::data
