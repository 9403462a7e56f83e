// What to do about a base learner that cannot do what a learner asks of its base.
#pragma once

#include <string>

#include "mulberry/core/rooms.hpp"
#include "mulberry/model/base_learner.hpp"

namespace mulberry::model {

// "one of these as base: forest, logistic": all that suit with their default parameters.
std::string suitable_bases(bool (*suits)(const BaseLearner& base));

}  // namespace mulberry::model
