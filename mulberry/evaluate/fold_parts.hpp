// The two parts of a split, as a learner sees them.
#pragma once

#include "mulberry/data/dataset.hpp"
#include "mulberry/model/learner.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::evaluate {

struct FoldParts {
  Dataset train = {}, test = {};
};

// With a precomputed kernel anywhere in the learner (`spec` has all parameters), square data is a
// matrix of kernel values; both parts keep the columns of the training rows.
FoldParts fold_parts(const Dataset& data, const Fold& fold, const CompleteSpec& spec);

}  // namespace mulberry::evaluate
