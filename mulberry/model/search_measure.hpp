// The measure by which a learner chooses among its own settings: its value for scores of rows that
// were held out, and the best of several values.
#pragma once

#include <span>
#include <string>

#include "mulberry/core/context.hpp"
#include "mulberry/data/labels.hpp"
#include "mulberry/model/prediction.hpp"

namespace mulberry::model {

// Throws Error unless it is a measure of scores or decisions; `fallback` is what the remedy offers.
void require_search_measure(const std::string& learner, const std::string& name,
                            const std::string& fallback);
// Its value for margins.
double measured(const std::string& name, const Labels& y, const Matrix& margins,
                const LabelSets* sets, const Context& ctx);
// The place of the best value, the first of equals; NaN is worse than anything.
std::size_t best_of(std::span<const double> values, bool higher_is_better);

}  // namespace mulberry::model
