// Pictures of comparisons over data sets, as SVG. All stay readable with forty learners.
#pragma once

#include <string>

#include "mulberry/compare/verdicts.hpp"

namespace mulberry::report {

// Learners on an axis of mean ranks; bars join learners of which no two differ by the chosen test.
std::string critical_difference_picture(const Scores& scores, const Verdicts& verdicts);

// Row against column: the number of data sets won, tied and lost; a dot marks pairs that differ.
std::string win_tie_loss_picture(const Scores& scores, const Verdicts& verdicts);

// One panel per data set: quartiles of each learner's values over the splits, or the values
// themselves if they are fewer than five.
std::string boxes_picture(const Scores& scores, const Verdicts& verdicts);

}  // namespace mulberry::report
