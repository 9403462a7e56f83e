// Reverse multi-label learning with scores of the labels as features: how they are scaled, and how
// a kernel's scorers take them in.
#pragma once

#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::learners::rml {

// One over the deviation of each column: scores of single rows are of the order of 1 / rows.
std::vector<double> unit_scale(MatrixView scores);
void scale_columns(Matrix& scores, const std::vector<double>& scale);

// `both` has the scores of the first scorers and then those of the second, without what these make
// of the first ones: scaled and weighted (`weights`: labels x labels). Returns the latter in full.
Matrix add_first_scores(Matrix both, const std::vector<double>& scale, MatrixView weights);

}  // namespace mulberry::learners::rml
