// The report of a model on data that it was not trained on: measures with intervals, labels with
// their curves, confusion between labels, the worst rows, important features, and what the learner
// itself has to say. Large data is shown in parts.
#pragma once

#include <string>

#include "mulberry/evaluate/shuffled_importance.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/report/page/page.hpp"

namespace mulberry::report {

// Where the learner does not state which features matter, each one is shuffled among the test rows,
// which costs a prediction per feature: by default up to k_shuffled_features of them on 300 rows,
// with `all` every one on 1,000 rows.
enum class ImportanceOf { few_features, all };
constexpr Index k_shuffled_features = 200;

// Throws Error as TrainedModel::predict and align_labels do.
Page model_page(const TrainedModel& model, const Dataset& test, MeasureOptions options,
                ImportanceOf importance, const Context& ctx);

// A model without test data: what the learner has to say, and its settings.
Page learner_page(const TrainedModel& model);

// Which features matter, as a section: by what the learner states, if it does, or by shuffling.
bool states_importance(const TrainedModel& model);
void add_stated_importance(Page& page, const TrainedModel& model);
void add_shuffled_importance(Page& page, const TrainedModel& model,
                             const ShuffledImportance& found);

// What the learner has to say, as sections: how training ended, its tables as graph, curves, maps
// or tables. Used by the page above and by pages without test data.
void add_learner_sections(Page& page, const TrainedModel& model);

}  // namespace mulberry::report
