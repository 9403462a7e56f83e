// Whether OpenBLAS can have the memory that it is about to take. It maps a buffer of 128 MB of
// addresses for each thread that is in a product at the same time, keeps it, and tries forever if
// it cannot get one (blas_memory_alloc up to release 0.3.21), deaf to everything. Asking first
// turns that into an Error.
#pragma once

#include "mulberry/core/rooms.hpp"

namespace mulberry::math::blas {

// Throws Error (memory) if there is no room for this many buffers.
void require_buffers(int count);

// For a process that is ours, at the start of main(): if the memory of processes is limited
// (ulimit -v), starts the program again without threads of OpenBLAS. Each of them takes a buffer as
// soon as the library is loaded, and we never use them.
void do_without_blas_threads(char** argv);

}  // namespace mulberry::math::blas
