// Base learners that the library does not bring along: a program that embeds it adds its own, under
// a name that list.inc does not have, before anything is trained or loaded. Not safe beside other
// threads that use the registry.
#pragma once

#include "mulberry/model/base_learner.hpp"

namespace mulberry::base {

void add_base(BaseLearner base);

}  // namespace mulberry::base
