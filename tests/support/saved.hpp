// A model that went through a file.
#pragma once

#include "mulberry/evaluate/trained_model.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::tests {

inline evaluate::TrainedModel saved_and_loaded(evaluate::TrainedModel& model) {
  const TemporaryFolder folder;
  model.save(folder.file("model"));
  return evaluate::TrainedModel::load(folder.file("model"));
}

}  // namespace mulberry::tests
