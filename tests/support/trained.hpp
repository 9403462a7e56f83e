// What a learner that was trained on one data set says of another.
#pragma once

#include <cstdint>
#include <string>

#include "mulberry/model/learner.hpp"

namespace mulberry::tests {

inline model::Prediction predicted(const std::string& text, const data::Dataset& train,
                                   const data::Dataset& test, std::uint64_t seed = 1) {
  const core::Context ctx(2, seed);
  return fit_learner(model::CompleteSpec(core::parse_spec(text)), view_of(train), ctx)
      ->predict({.x = &test.x}, ctx);
}

}  // namespace mulberry::tests
