// Small files that verbs read and write: model or not, whole texts, lines of CSV; and whether a
// file can be written at all.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::cli {

bool is_model_file(const std::string& path);
// Call before the work is done: throws Error (usage, io) if `path` is one of the inputs, is no file
// name, or lies in a folder where nothing can be written.
void require_output(const std::string& path, std::span<const std::string> inputs);
// All or nothing: the file appears with its whole content, compressed if its name ends in .gz or
// .zst.
void write_whole_file(const std::string& path, const std::string& content);
// A line of RFC 4180: quotes only where they are needed.
std::string csv_row(const std::vector<std::string>& cells);

}  // namespace mulberry::cli
