// MemoryNeed: the memory that a learner takes, stated before it is trained. Every learner and base
// learner has `MemoryNeed memory(const Extent&) const` among its parameters and does not compile
// without; a learner that builds on others adds up what they state. tests/memory_test.cpp compares
// the statements with measured peaks.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "mulberry/core/spec.hpp"
#include "mulberry/data/extent.hpp"

namespace mulberry::model {

class CompleteSpec;

// Bytes above those of the data. What grows with the data itself (trees, support vectors, classes
// of a powerset) is stated for labels that the features explain badly, where it is largest.
struct MemoryNeed {
  double fit = 0;      // the peak while it is trained, with the model
  double model = 0;    // what stays
  double predict = 0;  // the peak while Extent::asked rows are predicted, with their scores

  // Beyond the model.
  double work() const { return std::max(0.0, fit - model); }
};

// What a complete learner states for data of this extent.
MemoryNeed memory_need(const CompleteSpec& spec, const Extent& extent);
// A base learner for one target of `extent.classes` classes.
MemoryNeed target_need(const Spec& base, const Extent& extent);
// A base learner for every label (FittedLabels).
MemoryNeed labels_need(const Spec& base, const Extent& extent);
// As above, label by label, for base learners that do not train all at once.
MemoryNeed separate_need(const MemoryNeed& column, const Extent& extent);
// Scores of all rows by models of the other folds (held_out_scores).
double held_out_need(const CompleteSpec& spec, const Extent& extent, double folds);

// Throws Error if training is sure to need more memory than this process can get; the message says
// what would fit.
void require_memory_for(const CompleteSpec& spec, const View& view, int threads);
// A sentence about the memory of training and of the model, for a user who asks.
std::string memory_sentence(const CompleteSpec& spec, const View& view, int threads);

}  // namespace mulberry::model
