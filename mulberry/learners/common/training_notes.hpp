// Notes for the user before a learner is trained: the memory that it will need, and parameters that
// are allowed but seldom intended.
#pragma once

#include <string>
#include <vector>

#include "mulberry/math/kernels/kernel_matrix.hpp"
#include "mulberry/math/kernels/kernels.hpp"

namespace mulberry::learners {

// Sentences without a full stop about the learner and its nested learners; `spec` has all
// parameters. Kernel values and the pairs of exact training are mentioned if they take 100 MB or
// more, kernel values also if they take more than the learner's `memory` allows.
void add_kernel_note(Index rows, const KernelParams& kernel, KernelStorage wanted,
                     const std::string& help, std::vector<std::string>& out);

}  // namespace mulberry::learners
