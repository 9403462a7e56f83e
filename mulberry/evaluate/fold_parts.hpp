// The two parts of a split, as a learner sees them.
#pragma once

#include "mulberry/data/dataset.hpp"
#include "mulberry/model/learner.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::evaluate {

struct FoldParts {
  Dataset train = {}, test = {};
};

// When the learner takes values of a kernel, square data is a matrix of them, of which both parts
// keep the columns of the training rows.
FoldParts fold_parts(const Dataset& data, const Fold& fold, const CompleteSpec& spec);

}  // namespace mulberry::evaluate
