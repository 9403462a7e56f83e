// What a search tried, for people.
#pragma once

#include <string>

#include "mulberry/evaluate/tune.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {

// One row a trial, best first: the parameters that varied, the value with a bar, seconds.
Table tune_table(const TuneResult& result);
// The table between what was done and what won; failures are explained below.
std::string tune_text(const TuneResult& result, bool colours);

}  // namespace mulberry::report
