// All measures of a prediction, in one call that shares sorts and counts between them.
//
//   const auto values = measure_all(truth, {.scores = &scores, .decided = &decided}, {}, ctx);
//
// Pure functions with the same bits for any number of threads. Usual cost: O(n L) for dense scores
// plus O(p log p) for p positive cells; for decisions, only the stored labels.
#pragma once

#include "mulberry/measures/catalogue.hpp"
#include "mulberry/measures/outcome.hpp"
#include "mulberry/measures/value.hpp"

namespace mulberry::measures {

// Every measure that applies to the outcome, in the order of the table.
std::vector<MeasureValue> measure_all(const Labels& truth, const Outcome& outcome,
                                      const MeasureOptions& options, const Context& ctx);
// The named measures; set_accuracy gives one value per set. Throws Error for an unknown name or if
// the outcome lacks what a measure needs.
std::vector<MeasureValue> measure_some(std::span<const std::string> names, const Labels& truth,
                                       const Outcome& outcome, const MeasureOptions& options,
                                       const Context& ctx);
// One measure; not set_accuracy, which has a value per set.
MeasureValue measure(std::string_view name, const Labels& truth, const Outcome& outcome,
                     const MeasureOptions& options, const Context& ctx);

// Whether the outcome has what a measure needs.
bool applies(const MeasureInfo& info, const Outcome& outcome, const MeasureOptions& options);
// Throws Error unless it has.
void require_applies(std::string_view name, const Outcome& outcome, const MeasureOptions& options);

}  // namespace mulberry::measures
