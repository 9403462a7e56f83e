// Structure between labels that options and a file of rules declare, added to data that was read.
//
// The file is JSON, for formats that cannot hold rules by themselves (all but ARFF with its label
// XML and .npz):
//     {"implies": [["dog", "animal"]], "exclusive": [["day", "night"]]}
// A row with the first label of a pair also has the second; of a group it has at most one. The file
// NAME.rules.json next to NAME.csv is found by itself.
#pragma once

#include <optional>
#include <string>

#include "mulberry/data/dataset.hpp"
#include "mulberry/data/format.hpp"
#include "mulberry/data/read/read_options.hpp"

namespace mulberry::data {

// Errors name the file, and what is wrong with it.
NamedRules read_rules_file(const std::string& path);
NamedRules parse_rules(std::string_view text, const std::string& path);
std::string rules_text(const NamedRules& rules);  // as a file holds them

// NAME.rules.json of NAME.csv, NAME.jsonl.gz and the like.
std::string rules_beside(const std::string& data_path);
bool needs_rules_file(Format format);

// Rules of the options and the file; labels that paths imply and rows do not name; implied labels
// of rows, by option.
void add_structure(Dataset& data, const std::string& path, Format format,
                   const ReadOptions& options);

}  // namespace mulberry::data
