// Labels that a file identifies by number, not by column name (libsvm, XMLRepo, npz): which options
// apply to them, and their names and sets.
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
  LabelSets sets = {};    // that the label file declares
  NamedRules rules = {};  // likewise
};

// The names of --label-xml, in its order. Options that name columns are an Error (usage).
NumberedLabels label_names_from_options(const ReadOptions& options, const std::string& path);

// Every label gets a name, so their number must be in proportion to the file: `evidence` is the
// number of rows and entries that were read. Throws Error (format).
void require_plausible_labels(Index labels, Index evidence, const Place& where);

// As above, for features, for which learners store numbers.
void require_plausible_features(Index features, Index evidence, const Place& where);

// Names, hierarchy and --label-sets of data.y; sets are checked.
void name_labels(Dataset& data, NumberedLabels labels, const ReadOptions& options);

}  // namespace mulberry::data
