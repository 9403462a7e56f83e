// The effect of a parameter: learners are cross-validated for one value after another, on the same
// splits of one data set.
//
// A learner that has the parameter is trained for every value, any other learner once. The results
// are a plain Comparison, so everything here comes from cross_validate.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mulberry/evaluate/cross_validate.hpp"

namespace mulberry::evaluate {

struct SweepCurve {
  std::string name = {};                  // the learner as it was given
  bool follows = false;                   // has the parameter
  std::vector<std::size_t> learner = {};  // in the comparison, one per value
};

struct Sweep {
  std::string parameter = {};
  std::vector<double> values = {};
  std::vector<SweepCurve> curves = {};
  Comparison comparison = {};

  const Estimate& at(std::size_t curve, std::size_t value, std::size_t measure) const;
  // The curve with the best mean of a measure at a value, the first of equals; -1: none has any.
  Index best(std::size_t value, std::size_t measure) const;
  bool is_best(std::size_t value, std::size_t measure, std::size_t curve) const;  // all of equals
  std::string json() const;  // of the comparison, and where each curve finds its values in it
};

// `axis` is "name=1,2,5" or "name=1..10" for whole numbers; a dotted name reaches into the base
// learner. Throws Error if it is neither, or if no learner has the parameter.
Sweep sweep_parameter(std::span<const CompleteSpec> specs, std::string_view axis,
                      const Dataset& data, const EvaluateOptions& options, const Context& ctx);

}  // namespace mulberry::evaluate
