// What a learner chose where a parameter was left to it: C=auto of an SVM, kappa=auto of MAHR.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/spec.hpp"
#include "mulberry/model/model.hpp"

namespace mulberry::report {

// "C=10", "C=0.1 to 100, by label", "gamma=0.25": for each parameter of the learner that is `auto`,
// found among what the model reports: a column of its certificate or kernel, or the best row of a
// search. Parameters that the model says nothing about are left out.
std::vector<std::string> chosen_parameters(const Spec& spec, const std::vector<Result>& results);

}  // namespace mulberry::report
