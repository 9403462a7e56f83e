// width=auto of learners that choose the width of their kernel by rows that are held out.
#pragma once

#include <vector>

#include "mulberry/math/kernels/kernels.hpp"

namespace mulberry::math {

// The kernels among which width=auto chooses, from wide to narrow: the scales 1/2, 1, 2, 4 and 8
// times that of width=mean. For any other width, the one kernel of choose_kernel.
std::vector<Kernel> kernels_to_try(const KernelParams& params, const Features& train,
                                   const Context& ctx);

}  // namespace mulberry::math
