// A learner as a user would write it: with the parameters that differ from their defaults.
#pragma once

#include "mulberry/core/spec.hpp"

namespace mulberry::model {

// Inside it as well: br(base=logistic(C=2)).
Spec without_defaults(const Spec& spec);

}  // namespace mulberry::model
