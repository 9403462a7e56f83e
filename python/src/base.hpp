// See base.cpp.
#pragma once

#include <array>

#include "mulberry/core/spec.hpp"
#include "python/src/binding.hpp"

namespace mulberry::python {

// The ids of base learners written in Python; the last two take missing features.
inline constexpr const char* k_python_scores = "python_scores";
inline constexpr const char* k_python_probabilities = "python_probabilities";
inline constexpr const char* k_python_scores_of_gaps = "python_scores_of_gaps";
inline constexpr const char* k_python_probabilities_of_gaps = "python_probabilities_of_gaps";
// The longer ones first, so that none is part of a later one.
inline constexpr std::array k_python_ids = {k_python_scores_of_gaps, k_python_probabilities_of_gaps,
                                            k_python_scores, k_python_probabilities};

// While it lives, models that are saved or loaded on this thread may contain Python objects, which
// are added to the list or taken from it.
class ObjectsBeside {
 public:
  explicit ObjectsBeside(nb::list& objects);
  ~ObjectsBeside();
  ObjectsBeside(const ObjectsBeside&) = delete;
  ObjectsBeside& operator=(const ObjectsBeside&) = delete;
};

// The Python objects in a model that was trained with this spec just now. From here on the model
// does not keep them alive: whoever calls does.
nb::list release_objects(const Spec& spec);

}  // namespace mulberry::python
