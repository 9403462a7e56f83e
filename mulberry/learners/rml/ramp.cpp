#include "mulberry/learners/rml/ramp.hpp"

#include <algorithm>

#include "mulberry/core/error.hpp"

namespace mulberry::learners {

RampPath descend_ramp(Bundle& bundle, std::vector<char> start, double lambda,
                      const RampOptions& options, const Context& ctx) {
  MULBERRY_ASSERT(options.max_steps >= 1);
  RampPath out;
  std::vector<char> anchor = std::move(start);
  for (int step = 0; step < options.max_steps; ++step) {
    bundle.anchor_at(anchor);
    const BundleCertificate found = bundle.solve(lambda, ctx);
    out.iterations += found.iterations;
    out.converged = out.converged && found.converged;
    out.lower = found.lower;
    // The convex objective counts <anchor, s>; the best labelling has the positive scores.
    double slack = 0;
    std::vector<char> predicted(anchor.size());
    const auto scores = bundle.scores();
    for (std::size_t v = 0; v < anchor.size(); ++v) {
      predicted[v] = scores[v] > 0 || (options.select_ties && scores[v] == 0) ? 1 : 0;
      slack += std::max(scores[v], 0.0) - static_cast<double>(anchor[v]) * scores[v];
    }
    const double value = found.objective - slack;
    const bool gains = out.objective.empty() ||
                       out.objective.back() - value > options.tolerance * out.objective.back();
    out.objective.push_back(value);
    if (!gains || predicted == anchor) break;
    anchor = std::move(predicted);
  }
  out.scorer.assign(bundle.scorer().begin(), bundle.scorer().end());
  return out;
}

}  // namespace mulberry::learners
