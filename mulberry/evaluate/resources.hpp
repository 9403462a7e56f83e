// What a computation costs: time and memory of this process, as the system counts them.
#pragma once

#include "mulberry/core/matrix.hpp"

namespace mulberry::evaluate {

double wall_seconds();        // since some fixed moment
double thread_cpu_seconds();  // spent by the calling thread

// The most memory this process has held at once, in bytes, since it began or since the last reset;
// 0 where the system does not say. Resetting works on Linux only, elsewhere nothing happens.
Index peak_memory();
void reset_peak_memory();

}  // namespace mulberry::evaluate
