// Small files that verbs read and write: is it a model, whole texts, rows of CSV; and whether a
// file may be written at all.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::cli {

bool is_model_file(const std::string& path);
// To be asked before the work is done: throws Error (usage, io) when `path` is one of the inputs,
// no name of a file, or nothing can be written in its folder.
void require_output(const std::string& path, std::span<const std::string> inputs);
// All or nothing: the file appears with its content.
void write_whole_file(const std::string& path, const std::string& content);
// A line of RFC 4180: quotes only where they are needed.
std::string csv_row(const std::vector<std::string>& cells);

}  // namespace mulberry::cli
