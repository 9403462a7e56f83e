// What a user should know before a learner is trained: memory that it will take, and parameters
// that are allowed but seldom meant.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/spec.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry {

// Sentences without a full stop; `spec` has all its parameters. Kernel values are mentioned when
// they take 100 MB or more, or more than the learner's `memory` allows.
std::vector<std::string> training_notes(const Spec& spec, const Dataset& data);

}  // namespace mulberry
