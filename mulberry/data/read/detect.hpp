// Telling file formats apart by their content.
#pragma once

#include <string>
#include <string_view>

#include "mulberry/data/format.hpp"

namespace mulberry::data {

// `start` is the uncompressed start of the file. Files that look like nothing we know are taken for
// CSV, whose reader says best what is wrong.
Format detect_format(std::string_view start);

// How a comment of ours at the start of libsvm files begins; the number of labels follows.
inline constexpr std::string_view k_libsvm_labels = "# mulberry: labels=";

// Throws Error for what people name by mistake (a model, a label file, other compression, a web
// page that came instead of the file, binary files), for UTF-16 and for lines that end as on old
// Macs.
void refuse_other_kinds(std::string_view start, const std::string& path);

// The delimiter of a table: the one of comma, tab, semicolon and bar that occurs most in its
// header, outside quotes, and if possible as often in its first row.
char detect_delimiter(std::string_view start);

}  // namespace mulberry::data
