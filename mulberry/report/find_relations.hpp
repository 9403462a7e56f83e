// The relations that a trained model measures between labels: its reuse scores, with what the data
// says about the same labels, and how often the scores return when rows are drawn again.
#pragma once

#include <string>

#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/report/relations_report.hpp"
#include "mulberry/resample/stability.hpp"

namespace mulberry::report {

struct RelationOptions {
  double least = 0.05;  // smallest score of an arrow
  Index repeats = 0;    // further models on resampled rows; they need data
  Resample resample = Resample::bootstrap;
};

// bootstrap, folds or halves. Throws Error (usage).
Resample resample_of(const std::string& name);

// Throws Error (usage) if the repeats lack data or do not fit it; to be called before long work.
void require_repeats(const RelationOptions& options, const Dataset* data);

// `data`: what the model was trained on, or nullptr. Throws Error (unsupported) if the model has no
// reuse scores. Cost: `repeats` trainings.
Relations find_relations(const TrainedModel& model, const Dataset* data,
                         const RelationOptions& options, const Context& ctx);

}  // namespace mulberry::report
