// Learners of a study that differ in one number at the end of their names ("mahr rounds=50", "rml,
// beta 0.1"), as curves: what a figure shows, instead of a long table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mulberry/study/study_results.hpp"

namespace mulberry::report {

using namespace study;

struct StudyCurve {
  std::string name = {};                   // "mahr"
  std::vector<double> at = {};             // increasing
  std::vector<std::size_t> learners = {};  // of the study, one per number
};

struct StudyCurves {
  std::string axis = {};  // "rounds"
  std::vector<StudyCurve> curves = {};
};

// Empty unless all learners have a number at the end, after the same word, and some curve has at
// least three.
std::optional<StudyCurves> find_curves(const std::vector<std::string>& learners);

// Means of one measure on one set, with a band of one deviation to each side, as SVG. More than
// six curves are drawn without bands.
std::string curves_picture(const StudyCurves& curves, const compare::Scores& scores,
                           std::size_t set);

}  // namespace mulberry::report
