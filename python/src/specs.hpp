// Specs between Python and the library: text, or (id, {name: text or spec}).
#pragma once

#include "mulberry/core/spec.hpp"
#include "python/src/binding.hpp"

namespace mulberry::python {

Spec spec_of(nb::handle given);
nb::tuple tuple_of(const Spec& spec);  // (id, {name: text or (id, ...)})

}  // namespace mulberry::python
