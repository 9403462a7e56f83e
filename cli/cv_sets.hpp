// mulberry cv over several data sets.
#pragma once

#include "cli/args.hpp"

namespace mulberry::cli {

// How many words at the end are files: the data sets. The last word always counts, so that a
// misspelt name is reported as such. A learner's text has no dot or slash outside of its brackets.
std::size_t trailing_files(const Args& args);

// The same learners and splits on each of the last `files` words, then tables and tests over them.
int run_cv_sets(const Args& args, std::size_t files);

}  // namespace mulberry::cli
