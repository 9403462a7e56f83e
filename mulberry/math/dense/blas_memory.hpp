// The buffers of OpenBLAS. It maps 128 MB of addresses for each thread that is in a product at the
// same time, keeps them for the next one, and tries forever if it cannot have them
// (blas_memory_alloc up to release 0.3.21), deaf to everything. So buffers are made here, by one
// thread at a time and after a look at the room, and no more threads are let in than there are
// buffers (blas_threads.hpp).
#pragma once

#include "mulberry/core/rooms.hpp"

namespace mulberry::math::blas {

// Has OpenBLAS make buffers until there are `wanted`, while nobody is in it and `have` are there.
// Returns how many there are now: fewer if there is no room for all. Throws Error (memory) if there
// is not even one.
int make_buffers(int have, int wanted);

// How many to ask for at first: several where addresses cost nothing.
int first_buffers();

// For a process that is ours, before it has a second thread: if its addresses are few (ulimit -v),
// all threads share one arena of malloc, instead of 64 MB for each.
void save_addresses();

}  // namespace mulberry::math::blas
