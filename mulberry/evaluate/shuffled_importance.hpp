// How much a model relies on each feature: the values of one feature are shuffled among the rows of
// test data, everything else stays, and what the AUC of the labels loses is its importance (Breiman
// 2001, section 10). Works with every learner. Features that say the same thing
// stand in for each other, so each of them may seem unimportant.
//
// Cost: one prediction of the rows per feature. A nominal attribute is one feature, however many
// columns it became, and so is a column of text. The same bits for any number of threads.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/evaluate/trained_model.hpp"

namespace mulberry::evaluate {

struct ShuffledFeature {
  std::string name;
  double loss = 0;                // mean over labels
  std::vector<double> per_label;  // in the order of the model; NaN without both classes
};

struct ShuffledImportance {
  Index rows = 0;                              // that were predicted again for each feature
  std::vector<ShuffledFeature> features = {};  // the most important first
};

// The features that would be shuffled.
Index shuffled_features(const Dataset& test);

// At most `most_rows` of the test rows are used, drawn once.
ShuffledImportance shuffled_importance(const TrainedModel& model, const Dataset& test,
                                       Index most_rows, const Context& ctx);

}  // namespace mulberry::evaluate
