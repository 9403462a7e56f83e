// The effect of a parameter, for people: a table of its values by learners for each measure, and a
// picture of one measure.
#pragma once

#include <string>

#include "mulberry/evaluate/study.hpp"

namespace mulberry::report {

std::string study_text(const Study& study, bool colours);
// One line per learner, with a band of one deviation to each side; `measure` must be in the
// comparison.
std::string study_picture(const Study& study, std::size_t measure = 0);

}  // namespace mulberry::report
