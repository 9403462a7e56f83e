// The effect of a parameter, for people: a table of its values by learners for each measure, and a
// picture of one measure.
#pragma once

#include <string>

#include "mulberry/evaluate/sweep.hpp"

namespace mulberry::report {

std::string sweep_text(const Sweep& sweep, bool colours);
// One line per learner, with a band of one deviation to each side; `measure` must be in the
// comparison.
std::string sweep_picture(const Sweep& sweep, std::size_t measure = 0);

}  // namespace mulberry::report
