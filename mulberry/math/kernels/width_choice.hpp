// gamma=auto of learners that choose the scale of their kernel by rows that are held out.
#pragma once

#include <string>
#include <vector>

#include "mulberry/math/kernels/kernels.hpp"

namespace mulberry::math {

// What such learners say about their parameter `gamma`.
inline constexpr const char* k_gamma_help =
    "scale of a kernel of distances: a number, auto (the best of several for rows that are held "
    "out), or width (as that parameter says)";

// The kernels to choose from, wide ones first. gamma=auto: the scales 1/2, 1, 2, 4 and 8 times that
// of width=mean; a number: the kernel of this scale; width: the one of choose_kernel.
std::vector<Kernel> kernels_to_try(const std::string& gamma, const KernelParams& params,
                                   const Features& train, const Context& ctx);

}  // namespace mulberry::math
