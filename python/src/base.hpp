// See base.cpp.
#pragma once

#include "python/src/binding.hpp"

namespace mulberry::python {

// While it lives, on this thread: models that are saved or loaded may have Python objects inside,
// which are added to the list or taken from it.
class ObjectsBeside {
 public:
  explicit ObjectsBeside(nb::list& objects);
  ~ObjectsBeside();
  ObjectsBeside(const ObjectsBeside&) = delete;
  ObjectsBeside& operator=(const ObjectsBeside&) = delete;
};

}  // namespace mulberry::python
