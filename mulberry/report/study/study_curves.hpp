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
  std::vector<std::size_t> lines = {};  // learners without a number, drawn all along the axis
};

// Empty unless all numbers stand after the same word, and some curve has at least three.
std::optional<StudyCurves> find_curves(const std::vector<std::string>& learners);

// The curves on the axis of a figure, for a set with so many labels. If a curve counts its number
// once for each label, all end where the shortest does: further on there is nothing to compare.
StudyCurves on_axis(StudyCurves curves, const StudyFigure& figure, Index labels);

// Means of one measure on one set, with a band of one deviation to each side, as SVG. More than
// six curves are drawn without bands.
std::string curves_picture(const StudyCurves& curves, const compare::Scores& scores,
                           std::size_t set);

// The F-beta measures of a study with several betas, and one of them over beta on one set.
std::vector<std::string> measures_over_beta(const Study& study, const StudyResults& results);
std::string beta_picture(const Study& study, const StudyResults& results,
                         const std::string& measure, std::size_t set);

}  // namespace mulberry::report
