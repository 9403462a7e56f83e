// The trials of a search, for people.
#pragma once

#include <string>

#include "mulberry/evaluate/tune.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {

// One row per trial, best first: the parameters that varied, the value with a bar, seconds.
Table tune_table(const TuneResult& result);
// The settings of the search, the table, the winner, and explanations of failures.
std::string tune_text(const TuneResult& result, bool colours);

}  // namespace mulberry::report
