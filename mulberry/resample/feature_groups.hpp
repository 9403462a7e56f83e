// Groups of rows that splits keep together, from a feature of the data.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/rooms.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::resample {

// The number of the group of each row. Throws Error (usage) if there is no such feature, and (data)
// if a row has no value of it.
std::vector<Id> feature_groups(const Dataset& data, const std::string& feature);

}  // namespace mulberry::resample
