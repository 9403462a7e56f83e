// Outcome: a prediction to be measured. Owns nothing. Parts may be absent; measures that need them
// do not apply.
#pragma once

#include "mulberry/core/context.hpp"
#include "mulberry/data/features.hpp"
#include "mulberry/data/label_rules.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::measures {

struct Outcome {
  const Matrix* scores = nullptr;     // rows x labels
  const Csr* top_scores = nullptr;    // or only the best of each row; the others tie below them
  const Labels* decided = nullptr;    // rows x labels
  const LabelSets* sets = nullptr;    // exclusive groups of labels
  const LabelRules* rules = nullptr;  // what labels imply
  bool probabilities = false;         // whether `scores` are probabilities

  bool has_scores() const { return scores != nullptr || top_scores != nullptr; }
};

// Throws Error (data) if shapes differ from the truth, or if a score is not finite or, for
// probabilities, outside 0..1; names row and column, counted from 1.
void require_fitting(const Labels& truth, const Outcome& outcome, const Context& ctx);

// The scores of some rows, in the order given.
Matrix take_rows(MatrixView scores, std::span<const Id> rows);

}  // namespace mulberry::measures
