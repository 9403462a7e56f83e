// The processor type whose kernels OpenBLAS uses. Releases before 0.3.25 treat an Intel processor
// that is newer than the library as a Prescott of 2004, which makes matrix products five times
// slower than necessary.
#pragma once

#include <string>
#include <string_view>

#include "mulberry/core/rooms.hpp"

namespace mulberry::math::blas {

// In this case chooses again by the abilities of the processor, as later releases do; true if it
// did. OPENBLAS_CORETYPE in the environment takes precedence. Must not run while another thread is
// in OpenBLAS.
bool choose_core();

std::string_view core_name();  // name of the type in OpenBLAS
std::string library_file();    // that OpenBLAS was loaded from; empty when not known

}  // namespace mulberry::math::blas
