// Choosing C of reverse multi-label learning by cross-validation on the measure that is optimised.
#pragma once

#include <vector>

#include "mulberry/core/bounds.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/learners/rml/column.hpp"

namespace mulberry::learners::rml {

struct CostSearch {
  std::vector<double> costs = {};  // tried, increasing
  std::vector<double> mean = {};   // the measure at each, averaged over the labels that count
  Matrix value = {};               // costs x labels; NaN for a label that does not count

  double best() const;                        // the smallest C with the highest mean
  std::vector<double> best_by_label() const;  // the best C of each label
  template <class V>
  void visit(V& v) {
    v("costs", costs, any_real());
    v("mean", mean, any_real().length(count_of(costs)));
    v("value", value, any_real().rows(count_of(costs)).cols(v.outputs()));
  }
};

// Folds x labels in parallel; each task goes through all costs with its own planes and drops them.
//
// The predictions of all folds are pooled before a label is measured, because a fold without
// positives of a label has no measure. Means over folds that skip such a label, or count it as 0,
// were also tried (docs/learners/rml.md): without rare labels all three agree; with rare labels the
// means chose the same C or a smaller, worse one. Labels without any positive do not count, except
// for the Hamming loss.
//
// With `cut`, scores are measured after `held_out_cuts`, and not at 0: the C whose scores are best
// where the bound cuts them may be a bad one for scores that are cut elsewhere afterwards (medical:
// C = 100 and C = 10). Takes a score per cell and cost in addition.
CostSearch search_costs(const Inputs& inputs, const Labels& y, const Settings& settings,
                        Index folds, bool cut, const Context& ctx);

}  // namespace mulberry::learners::rml
