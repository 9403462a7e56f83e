// What a user should know before a learner is trained: memory that it will take, and parameters
// that are allowed but seldom meant.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/spec.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::learners {

// Sentences without a full stop about the learner and those that it builds on; `spec` has all its
// parameters. Kernel values, and the pairs of exact training, are mentioned when they take 100 MB
// or more, kernel values also when they take more than the learner's `memory` allows.
std::vector<std::string> training_notes(const Spec& spec, const Dataset& data);

}  // namespace mulberry::learners
