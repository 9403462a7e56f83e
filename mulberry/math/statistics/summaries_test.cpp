#include "mulberry/math/statistics/summaries.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace mulberry::math {
namespace {

TEST(Statistics, MeanDeviationAndQuantile) {
  const std::vector<double> v = {1, 2, 4, 9};
  EXPECT_DOUBLE_EQ(mean_of(v), 4);
  EXPECT_DOUBLE_EQ(deviation_of(v), std::sqrt((9 + 4 + 0 + 25) / 3.0));
  EXPECT_TRUE(std::isnan(deviation_of(std::vector<double>{1})));
  EXPECT_DOUBLE_EQ(sorted_quantile(v, 0), 1);
  EXPECT_DOUBLE_EQ(sorted_quantile(v, 0.5), 3);
  EXPECT_DOUBLE_EQ(sorted_quantile(v, 1), 9);
}

}  // namespace
}  // namespace mulberry::math
