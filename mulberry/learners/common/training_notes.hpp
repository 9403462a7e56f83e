// Sentences about memory that several learners need for their notes (Params::notes).
#pragma once

#include <string>
#include <vector>

#include "mulberry/math/kernels/kernel_matrix.hpp"
#include "mulberry/math/kernels/kernels.hpp"

namespace mulberry::learners {

// About the kernel's values between all rows, when they take much or more than `memory` allows.
// `wanted` is how the learner would keep them; `help` says what else the user can do.
void add_kernel_note(Index rows, const KernelParams& kernel, KernelStorage wanted,
                     const std::string& help, std::vector<std::string>& out);

}  // namespace mulberry::learners
