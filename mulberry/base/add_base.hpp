// Additional base learners: a program that embeds the library adds its own, under a name that
// list.inc does not have, before anything is trained or loaded. Not safe while other threads use
// the registry.
#pragma once

#include "mulberry/model/base_learner.hpp"

namespace mulberry::base {

void add_base(BaseLearner base);

}  // namespace mulberry::base
