// mulberry cv over several data sets.
#pragma once

#include <optional>

#include "cli/args.hpp"

namespace mulberry::cli {

// If the last words are several files: the same learners on each of them, then tables and tests
// over them; returns the exit code. With one data set, refuses the options of those tests.
std::optional<int> cv_over_sets(const Args& args);

}  // namespace mulberry::cli
