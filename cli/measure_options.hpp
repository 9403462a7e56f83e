// Options of the verbs that compute measures: which ones, and by which convention.
#pragma once

#include "cli/common.hpp"
#include "mulberry/measures/convention.hpp"

namespace mulberry::cli {

std::vector<Option> measure_options();
MeasureOptions measure_options_from(const Args& args);

}  // namespace mulberry::cli
