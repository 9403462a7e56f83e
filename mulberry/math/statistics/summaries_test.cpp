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

TEST(Statistics, StudentTInClosedForm) {
  // Cauchy (one degree of freedom) and two degrees of freedom have elementary distributions.
  for (const double p : {0.001, 0.2, 0.6, 0.975}) {
    EXPECT_NEAR(student_t_quantile(p, 1) / std::tan(std::acos(-1.0) * (p - 0.5)), 1, 1e-12);
    const double x = (2 * p - 1) * std::sqrt(2 / (4 * p * (1 - p)));
    EXPECT_NEAR(student_t_quantile(p, 2) / x, 1, 1e-12);
  }
}

TEST(Statistics, StudentTFromTables) {
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262157162798205, 1e-11);
  EXPECT_NEAR(student_t_quantile(0.95, 4), 2.131846786326649, 1e-11);
  EXPECT_NEAR(student_t_quantile(0.975, 1e6), 1.959966356814107, 1e-9);
  EXPECT_NEAR(student_t_quantile(0.999, 37.5), 3.322283457779427, 1e-11);
  EXPECT_EQ(student_t_quantile(0.5, 3), 0);
}

}  // namespace
}  // namespace mulberry::math
