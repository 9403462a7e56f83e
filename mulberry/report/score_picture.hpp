// A picture of how well each label is predicted: the labels, worst first, and their curves of
// precision against recall.
#pragma once

#include <string>
#include <vector>

#include "mulberry/measures/label_table.hpp"

namespace mulberry::report {

// Precision, recall and F1 of at most `most` labels, or AUC if nothing was decided; curves of the
// first `curves` of them, if there are scores, with a dot where the decisions are.
std::string score_picture(const std::string& title, const Labels& truth, const Outcome& outcome,
                          const std::vector<std::string>& label_names,
                          const MeasureOptions& options, const Context& ctx, Index most = 60,
                          Index curves = 24);

}  // namespace mulberry::report
