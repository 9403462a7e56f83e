// Running a computation of the library from Python: the GIL is free in the meantime, Ctrl-C stops
// it within a tenth of a second, and progress is shown from the calling thread.
#pragma once

#include <functional>

#include "mulberry/core/context.hpp"
#include "python/src/binding.hpp"

namespace mulberry::python {

struct RunOptions {
  int threads = 1;
  std::uint64_t seed = 0;
  nb::object progress;  // called with (fraction, objective) about ten times a second, or None
};

// Threads live only during the call, so there are none to lose in a fork. Throws what `work`
// throws, or the Python exception of a signal handler or of `progress`.
void run(const RunOptions& options, const std::function<void(const Context&)>& work);

}  // namespace mulberry::python
