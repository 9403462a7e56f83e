// Measures of the ranking of labels within each row: one parallel pass over the rows computes all
// of them.
#pragma once

#include "mulberry/measures/outcome.hpp"
#include "mulberry/measures/protocol.hpp"

namespace mulberry::measures {

struct Ranking {
  RowMeasures rows;
  ProtocolCurve protocol;
};

Ranking measure_ranking(const Labels& truth, const Outcome& outcome, const MeasureOptions& options,
                        const Selection& wanted, const Context& ctx);

// Propensities of Jain, Prabhu and Varma (KDD 2016) from training labels:
// 1 / (1 + C (N_l + b)^-a) with C = (ln N - 1)(b + 1)^a, for propensity_precision_at_k.
std::vector<double> propensities(const Labels& training, double a = 0.55, double b = 1.5);

}  // namespace mulberry::measures
