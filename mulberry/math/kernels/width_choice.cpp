#include "mulberry/math/kernels/width_choice.hpp"

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::math {

std::vector<Kernel> kernels_to_try(const std::string& gamma, const KernelParams& params,
                                   const Features& train, const Context& ctx) {
  if (gamma == "width") return {choose_kernel(params, train, ctx)};
  const auto refuse = [&](const std::string& expected, const std::string& remedy) {
    throw Error(Code::parameter, "gamma: expected " + expected + ", found " + in_quotes(gamma),
                remedy);
  };
  const auto number = parse_number(gamma);
  if (gamma != "auto" && !(number && *number > 0)) {
    refuse("width, auto or a number > 0", "Use gamma=auto");
  }
  if (params.width != KernelParams().width || params.width_factor != 1) {
    refuse("it without width and width_factor", "Leave out gamma or the others");
  }
  if (gamma == "auto" && !has_distance(params.kernel)) {
    refuse("none with kernel=" + std::string(name_of(params.kernel)),
           "Leave out gamma, or use kernel=rbf");
  }
  KernelParams middle = params;
  middle.width = number ? gamma : "mean";
  const Kernel kernel = choose_kernel(middle, train, ctx);
  if (number) return {kernel};
  std::vector<Kernel> out;
  for (const double factor : {0.5, 1.0, 2.0, 4.0, 8.0}) {
    out.push_back(kernel);
    out.back().gamma *= factor;
  }
  return out;
}

}  // namespace mulberry::math
