// What the library shares with the process that loads it: OpenBLAS.
//
//   int main() {
//     mulberry::prepare_blas();   // first of all, before other threads run
//     ...
//   }
//
// The library changes nothing of its process when it is loaded: no environment variable, no signal
// handler, no setting of OpenBLAS. While one of its matrix products runs, OpenBLAS is set to one
// thread, because the library makes its own parallelism and its results must not depend on the
// number of threads; after the last such product the number that was there before is set again.
// * A product that another thread of the program starts meanwhile runs on one thread. Its result is
//   right; its last bits may differ, as they do between numbers of threads.
// * A number that another thread sets meanwhile stays. The library's product may then run on
//   several threads until it ends, and its last bits may differ.
//
// prepare_blas is the one exception, and only if you call it.
#pragma once

#include <mulberry/export.h>

#include <string>

namespace mulberry {

// Releases of OpenBLAS before 0.3.25 take an Intel processor that is newer than themselves for one
// of 2004, and matrix products are then about five times slower than they need be. In this case the
// call chooses kernels by what the processor can do, and returns true; otherwise it does nothing.
// OPENBLAS_CORETYPE in the environment wins.
//
// It changes OpenBLAS for the whole process and, for a moment, the environment. Call it at the
// start of main(), while no other thread uses OpenBLAS or reads the environment.
MULBERRY_API bool prepare_blas();

// The kernels in use, as OpenBLAS names them: "Haswell", "SkylakeX", ...
MULBERRY_API std::string blas_core();

}  // namespace mulberry
