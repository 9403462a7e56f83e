// The trade-off between precision and recall: macro-F_beta of learners over a range of beta, on the
// same splits of one data set.
//
// A learner that can be trained for F_beta (one with the parameters `measure` and `beta`) is
// trained again for every beta, unless its expression names a measure; every other learner is
// trained once per split and measured at every beta. The values are the same for any number of
// threads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mulberry/evaluate/cross_validate.hpp"

namespace mulberry::evaluate {

struct TradeoffCurve {
  std::string name = {};              // as it was given
  Spec spec = {};                     // with all parameters
  bool trained_for_beta = false;      // trained again for every beta
  std::vector<Estimate> values = {};  // macro-F_beta over the splits, one per beta
};

struct Tradeoff {
  std::string data = {};  // name of the data set
  Index rows = 0, labels = 0;
  std::string splits = {}, convention = {};
  std::vector<double> betas = {};
  std::vector<TradeoffCurve> curves = {};

  Index best(std::size_t beta) const;  // the curve with the highest mean, the first of equals
  bool is_best(std::size_t beta, std::size_t curve) const;  // true for all of equals
  std::string json() const;
};

// `count` numbers from low to high in equal ratios; both must be above 0.
std::vector<double> beta_grid(double low, double high, Index count);

// The measures and the bootstrap of the options have no meaning here.
Tradeoff trade_off(std::span<const CompleteSpec> specs, const Dataset& data,
                   std::vector<double> betas, const EvaluateOptions& options, const Context& ctx);

}  // namespace mulberry::evaluate
