// Results of learners on data sets, as Python hands them over.
#pragma once

#include <string>
#include <vector>

#include "mulberry/compare/verdicts.hpp"
#include "python/src/binding.hpp"

namespace mulberry::python {

// `sets`: (name, (training rows, test rows) of every split, learners x splits) of each.
compare::Scores scores_of(bool higher_is_better, std::vector<std::string> learners,
                          const nb::list& sets);

}  // namespace mulberry::python
