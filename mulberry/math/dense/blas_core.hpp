// The processor type whose kernels OpenBLAS runs. Its releases before 0.3.25 take an Intel
// processor that is newer than themselves for a Prescott of 2004, and products of matrices are then
// five times slower than they need be.
#pragma once

#include <string>
#include <string_view>

#include "mulberry/core/rooms.hpp"

namespace mulberry::math::blas {

// Chooses again in this case, by what the processor can do, as later releases do; true if it did.
// OPENBLAS_CORETYPE in the environment wins. This changes OpenBLAS for the whole process and, for a
// moment, the environment: the library never does it by itself. A program does at its start, while
// no other thread is in OpenBLAS or reads the environment.
bool choose_core();

std::string_view core_name();  // as OpenBLAS calls it
std::string library_file();    // that OpenBLAS was loaded from; empty when not known

}  // namespace mulberry::math::blas
