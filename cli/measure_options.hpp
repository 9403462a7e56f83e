// Options of the verbs that compute measures: which ones, and by which convention.
#pragma once

#include "cli/common.hpp"
#include "mulberry/measures/convention.hpp"

namespace mulberry::cli {

// `usual` says which measures there are without --measures.
std::vector<Option> measure_options(const std::string& usual = "all that apply");
MeasureOptions measure_options_from(const Args& args);

}  // namespace mulberry::cli
