// See base.cpp.
#pragma once

#include "python/src/binding.hpp"

namespace mulberry::python {

// The ids of base learners written in Python.
inline constexpr const char* k_python_scores = "python_scores";
inline constexpr const char* k_python_probabilities = "python_probabilities";

// While it lives, models that are saved or loaded on this thread may contain Python objects, which
// are added to the list or taken from it.
class ObjectsBeside {
 public:
  explicit ObjectsBeside(nb::list& objects);
  ~ObjectsBeside();
  ObjectsBeside(const ObjectsBeside&) = delete;
  ObjectsBeside& operator=(const ObjectsBeside&) = delete;
};

}  // namespace mulberry::python
