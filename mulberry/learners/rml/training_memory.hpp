// What training with reverse multi-label learning takes beside the data, known before it is taken.
#pragma once

#include <optional>

#include "mulberry/core/spec.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::learners {

struct RmlMemory {
  std::size_t planes = 0;  // at most, of the label that a thread is at
  std::size_t kernel = 0;  // its values, shared by all threads
};

// Nothing unless `spec` (with all parameters) is that learner.
std::optional<RmlMemory> rml_memory(const Spec& spec, const Dataset& data);

}  // namespace mulberry::learners
