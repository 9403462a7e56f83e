// Small files that verbs read and write: is it a model, whole texts, rows of CSV.
#pragma once

#include <string>
#include <vector>

namespace mulberry::cli {

bool is_model_file(const std::string& path);
// All or nothing: the file appears with its content.
void write_whole_file(const std::string& path, const std::string& content);
// A line of RFC 4180: quotes only where they are needed.
std::string csv_row(const std::vector<std::string>& cells);

}  // namespace mulberry::cli
