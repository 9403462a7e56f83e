#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/resample/row_draws.hpp"

namespace mulberry::resample {
namespace {

std::vector<double> counted(const RowDraws& draws, Index rows, Index times) {
  Random random(5, "row draws");
  std::vector<double> out(at(rows), 0.0);
  for (Index k = 0; k < times; ++k) out[at(draws.draw(random))] += 1;
  return out;
}

TEST(RowDraws, ARowIsDrawnInProportionToItsWeight) {
  const std::vector<double> weights = {1, 0, 2, 0.5, 4.5};
  const Index times = 80'000;
  const RowDraws draws(5, weights);
  EXPECT_EQ(draws.count(), 4);
  EXPECT_DOUBLE_EQ(draws.weight(), 2.0);  // four rows that weigh 8 together
  const std::vector<double> found = counted(draws, 5, times);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i] / 8,
                 deviation = std::sqrt(static_cast<double>(times) * p * (1 - p));
    EXPECT_NEAR(found[i], static_cast<double>(times) * p, 4 * deviation) << "row " << i;
  }
}

TEST(RowDraws, WeightTwoIsDrawnAsOftenAsTwoRows) {
  const Index times = 40'000;
  const std::vector<double> weighted = counted(RowDraws(2, std::vector<double>{1, 2}), 2, times);
  const std::vector<double> repeated = counted(RowDraws(3, {}), 3, times);
  EXPECT_NEAR(weighted[1], repeated[1] + repeated[2], 4 * std::sqrt(2 * times * 2.0 / 9));
}

TEST(RowDraws, EqualWeightsAreDrawnAsNone) {
  EXPECT_EQ(counted(RowDraws(7, {}), 7, 500),
            counted(RowDraws(7, std::vector<double>(7, 3.0)), 7, 500));
  EXPECT_EQ(RowDraws(7, std::vector<double>(7, 3.0)).weight(), 3.0);
}

}  // namespace
}  // namespace mulberry::resample
