// The report of a model on data that it was not trained on: measures with intervals, labels with
// their curves, confusion between labels, the worst rows, important features, and what the learner
// itself has to say. Large data is shown in parts.
#pragma once

#include <string>

#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/report/page/page.hpp"

namespace mulberry::report {

// Throws Error as TrainedModel::predict and align_labels do.
Page model_page(const TrainedModel& model, const Dataset& test, MeasureOptions options,
                const Context& ctx);

// A model without test data: what the learner has to say, and its settings.
Page learner_page(const TrainedModel& model);

// What the learner has to say, as sections: how training ended, its tables as graph, curves, maps
// or tables. Used by the page above and by pages without test data.
void add_learner_sections(Page& page, const TrainedModel& model);

}  // namespace mulberry::report
