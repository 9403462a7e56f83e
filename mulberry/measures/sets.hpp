// Measures of exclusive label sets: the class of a row in each set is right or not.
#pragma once

#include "mulberry/measures/outcome.hpp"
#include "mulberry/measures/value.hpp"

namespace mulberry::measures {

// The true class of each row in set s (an index into its members); -1 if it is not observed. Throws
// Error if a row has several classes, or none although all cells are observed.
std::vector<Id> true_classes(const Labels& truth, const LabelSets& sets, std::size_t s);
// The predicted class: the one decided member or, without exactly one, the best-scored member
// (lower index first); -1 if neither is known, which counts as wrong.
std::vector<Id> predicted_classes(const Outcome& outcome, std::size_t s);

// set_accuracy:NAME for each set, and set_accuracy_all (over rows observed in every set).
RowMeasures measure_sets(const Labels& truth, const Outcome& outcome, const Selection& wanted);

// counts(t, p): rows of true class t predicted as p; the last column: predicted as none.
Matrix confusion(const Labels& truth, const Outcome& outcome, std::size_t s);

}  // namespace mulberry::measures
