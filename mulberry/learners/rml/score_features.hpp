// Reverse multi-label learning with scores of the labels as features: how they are scaled, and how
// the scorers of a kernel use them.
#pragma once

#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::learners::rml {

// One over the deviation of each column: the scores are of the order of 1 / rows. 0 for a column
// that is constant up to rounding, such as that of a label without positives: it says nothing.
std::vector<double> unit_scale(MatrixView scores);
void scale_columns(Matrix& scores, const std::vector<double>& scale);

// `both` has the scores of the first scorers, then the kernel part of the scores of the second
// scorers. Returns the full scores of the second scorers, which add the first scores, scaled and
// weighted (`weights`: labels x labels).
Matrix add_first_scores(Matrix both, const std::vector<double>& scale, MatrixView weights);

}  // namespace mulberry::learners::rml
