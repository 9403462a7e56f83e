// Options of the verbs that cut data into parts: split, cv, tune.
#pragma once

#include "cli/common.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::cli {

std::vector<Option> split_options(const std::string& folds_fallback);
// --holdout and --folds exclude each other; `folds` is the number of folds if neither is given.
SplitOptions split_options_from(const Args& args, const Dataset& data, Index folds);

}  // namespace mulberry::cli
