// How the training of a model with several parts ended. Their objectives belong to different
// problems and are not summed.
#pragma once

#include <algorithm>

#include "mulberry/model/model.hpp"

namespace mulberry::learners {

// Parts: a range of anything with summary().
template <class Parts>
Summary summary_of_parts(const Parts& parts) {
  Summary out;
  for (const auto& part : parts) {
    const Summary one = part.summary();
    out.converged = out.converged && one.converged;
    out.interrupted = out.interrupted || one.interrupted;
    out.rounds = std::max(out.rounds, one.rounds);
  }
  return out;
}

}  // namespace mulberry::learners
