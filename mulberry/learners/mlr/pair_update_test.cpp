#include "mulberry/learners/mlr/pair_update.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/random.hpp"

namespace mulberry::learners {
namespace {

std::vector<double> random_scores(Random& rng, std::size_t count, double mean) {
  std::vector<double> out(count);
  for (double& v : out) v = mean + rng.normal();
  return out;
}

double sum(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

// Calls check(problem) for rows of many sizes, some without violations, some with only violations.
template <class Check>
void for_many_rows(const Check& check) {
  Random rng(1, "rows");
  for (const std::size_t a : {1U, 2U, 5U}) {
    for (std::size_t b = 1; b <= 13; ++b) {
      for (const double lead : {-3.0, 0.0, 1.5, 9.0}) {
        const auto up = random_scores(rng, a, lead), down = random_scores(rng, b, 0);
        check(PairProblem{.assigned = up, .unassigned = down, .C = 0.4, .self = 0.7});
      }
    }
  }
}

TEST(PairUpdate, GroupStepIsItsFormula) {
  for_many_rows([](const PairProblem& row) {
    const double eta = 1.5;
    std::vector<double> up(row.assigned.size()), down(row.unassigned.size());
    for (std::size_t l = 0; l < down.size(); ++l) {
      double squares = 0;
      const auto h = [&](std::size_t k) {
        return std::max(0.0, (1 - row.assigned[k] + row.unassigned[l]) / 2);
      };
      for (std::size_t k = 0; k < up.size(); ++k) squares += h(k) * h(k);
      for (std::size_t k = 0; k < up.size() && squares > 0; ++k) {
        const double gamma = h(k) / std::max(row.C * row.self * eta, std::sqrt(squares));
        up[k] += row.C * gamma;
        down[l] += row.C * gamma;
      }
    }
    PairCoefficients found;
    approximate_group_step(row, eta, found);
    for (std::size_t k = 0; k < up.size(); ++k) EXPECT_NEAR(found.assigned[k], up[k], 1e-14);
    for (std::size_t l = 0; l < down.size(); ++l) EXPECT_NEAR(found.unassigned[l], down[l], 1e-14);
  });
}

// Coefficients within their bounds are optimal if and only if one multiplier explains all.
TEST(PairUpdate, RelaxedStepMeetsTheConditionsOfItsOptimum) {
  for_many_rows([](const PairProblem& row) {
    PairCoefficients found;
    relaxed_sum_step(row, found);
    EXPECT_NEAR(sum(found.assigned), sum(found.unassigned), 1e-13);
    double low = -1e9, high = 1e9;  // of the multiplier
    const auto bound = [&](double alpha, double most, double at, double sign) {
      EXPECT_GE(alpha, 0);
      EXPECT_LE(alpha, most);
      // alpha = clip(at - sign mu): at 0 and at `most`, mu is only bounded on one side.
      const double mu = sign * (at - alpha);
      if (alpha > 0) (sign > 0 ? high : low) = sign > 0 ? std::min(high, mu) : std::max(low, mu);
      if (alpha < most) (sign > 0 ? low : high) = sign > 0 ? std::max(low, mu) : std::min(high, mu);
    };
    for (std::size_t k = 0; k < row.assigned.size(); ++k) {
      bound(found.assigned[k], row.C * static_cast<double>(row.unassigned.size()),
            (0.5 - row.assigned[k]) / row.self, 1);
    }
    for (std::size_t l = 0; l < row.unassigned.size(); ++l) {
      bound(found.unassigned[l], row.C * static_cast<double>(row.assigned.size()),
            (0.5 + row.unassigned[l]) / row.self, -1);
    }
    EXPECT_LE(low, high + 1e-12);
  });
}

}  // namespace
}  // namespace mulberry::learners
