// The file formats of data sets and their names: as --format spells them, and as file names end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::data {

enum class Format { arff, libsvm, xmlrepo, csv, tsv, npz, jsonl };

std::string_view format_name(Format format);
std::vector<std::string> format_names();
// Throws an Error (usage) that lists the names.
Format format_from_name(std::string_view name);
// By the suffix (.gz and .zst are ignored); empty if it is unknown.
std::optional<Format> format_from_path(std::string_view path);

}  // namespace mulberry::data
