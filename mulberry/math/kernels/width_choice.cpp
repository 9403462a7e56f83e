#include "mulberry/math/kernels/width_choice.hpp"

#include "mulberry/core/error.hpp"

namespace mulberry::math {

std::vector<Kernel> kernels_to_try(const KernelParams& params, const Features& train,
                                   const Context& ctx) {
  if (params.width != "auto") return {choose_kernel(params, train, ctx)};
  if (!has_distance(params.kernel)) {
    throw Error(
        Code::parameter,
        "expected no width for kernel=" + std::string(name_of(params.kernel)) + ", found auto",
        "Leave out width, or use kernel=rbf");
  }
  KernelParams middle = params;
  middle.width = "mean";
  const Kernel mean = choose_kernel(middle, train, ctx);
  std::vector<Kernel> out;
  for (const double factor : {0.5, 1.0, 2.0, 4.0, 8.0}) {
    out.push_back(mean);
    out.back().gamma *= factor;
  }
  return out;
}

}  // namespace mulberry::math
