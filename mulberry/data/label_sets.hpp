// Label sets among binary labels: the labels `set=value` of a set named in --label-sets; and the
// order of names that are found in the rows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mulberry/data/labels.hpp"

namespace mulberry::data {

// The labels of each set, found by the prefix before '='. Throws Error (usage) for a set without
// any. Whether rows have exactly one is checked by require_label_sets.
LabelSets label_sets_by_prefix(std::span<const std::string> label_names,
                               std::span<const std::string> sets);

// Numbers by value, words alphabetically: an order that does not depend on the rows.
void sort_names(std::vector<std::string>& names);

}  // namespace mulberry::data
