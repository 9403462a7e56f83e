// Options of the verbs that compare learners over several data sets.
#pragma once

#include "cli/common.hpp"
#include "mulberry/compare/verdicts.hpp"

namespace mulberry::cli {

std::vector<Option> verdict_options();  // --test, --alpha, --rope
VerdictOptions verdict_options_from(const Args& args);

}  // namespace mulberry::cli
