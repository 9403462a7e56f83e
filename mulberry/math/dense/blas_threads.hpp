// One thread for OpenBLAS while we are inside it, and the host's number of threads afterwards.
//
// OpenBLAS has a single number of threads for the whole process. Our products must run on the
// calling thread (the bits of a threaded product depend on the number of threads, and our own loops
// already use all cores), but the number belongs to the program that loaded us. So every product
// holds a OneThread: the first one in remembers the number and sets 1, the last one out gives it
// back. As many threads may hold one at the same time as OpenBLAS has buffers; if there is no room
// for another buffer (blas_memory.hpp), the next one waits until somebody is out.
//
// What the rest of the process sees: a product that another thread starts in OpenBLAS while one of
// ours runs is computed on one thread; its result is right. If another thread sets the number while
// one of ours runs, that number stays, and ours may run on several threads until it is done.
#pragma once

#include "mulberry/core/rooms.hpp"

namespace mulberry::math::blas {

class OneThread {
 public:
  OneThread();  // throws Error (memory) if OpenBLAS cannot have a buffer
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
};

}  // namespace mulberry::math::blas
