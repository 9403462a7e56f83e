// The cost of a computation: time and memory of this process, as the system counts them.
#pragma once

#include "mulberry/core/matrix.hpp"

namespace mulberry::evaluate {

double wall_seconds();        // since some fixed moment
double thread_cpu_seconds();  // spent by the calling thread

// Peak memory of this process in bytes, since it began or since the last reset; 0 if the system
// does not report it. Resetting works only on Linux; elsewhere nothing happens.
Index peak_memory();
void reset_peak_memory();

}  // namespace mulberry::evaluate
