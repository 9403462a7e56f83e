// Labels that a file knows by number, not by column name (libsvm, XMLRepo, npz): which options make
// sense for them, and the names and sets they get.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/data/read/read_options.hpp"

namespace mulberry::data {

struct NumberedLabels {
  std::vector<std::string> names = {};  // empty: the numbers are the names
  std::vector<Id> parents = {};
  LabelSets sets = {};  // that the label file declares
};

// The names of --label-xml, in its order. Options that name columns are an Error (usage).
NumberedLabels label_names_from_options(const ReadOptions& options, const std::string& path);

// Every label gets a name, so their number must be in proportion to what the file holds: `evidence`
// is what was actually read (rows and entries). Throws Error (format).
void require_plausible_labels(Index labels, Index evidence, const Place& where);

// The same for features, which learners keep numbers for.
void require_plausible_features(Index features, Index evidence, const Place& where);

// Names, hierarchy and --label-sets of data.y; sets are checked.
void name_labels(Dataset& data, NumberedLabels labels, const ReadOptions& options);

}  // namespace mulberry::data
