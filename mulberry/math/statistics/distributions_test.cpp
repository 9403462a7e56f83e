#include "mulberry/math/statistics/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mulberry::math {
namespace {

TEST(Distributions, StudentTInClosedForm) {
  // Cauchy (one degree of freedom) and two degrees of freedom have elementary distributions.
  for (const double p : {0.001, 0.2, 0.6, 0.975}) {
    EXPECT_NEAR(student_t_quantile(p, 1) / std::tan(std::acos(-1.0) * (p - 0.5)), 1, 1e-12);
    const double x = (2 * p - 1) * std::sqrt(2 / (4 * p * (1 - p)));
    EXPECT_NEAR(student_t_quantile(p, 2) / x, 1, 1e-12);
  }
}

TEST(Distributions, StudentTFromTables) {
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262157162798205, 1e-11);
  EXPECT_NEAR(student_t_quantile(0.95, 4), 2.131846786326649, 1e-11);
  EXPECT_NEAR(student_t_quantile(0.975, 1e6), 1.959966356814107, 1e-9);
  EXPECT_NEAR(student_t_quantile(0.999, 37.5), 3.322283457779427, 1e-11);
  EXPECT_EQ(student_t_quantile(0.5, 3), 0);
}

TEST(Distributions, TailsFromTables) {
  EXPECT_NEAR(normal_tail(1.959963984540054), 0.025, 1e-15);
  EXPECT_NEAR(normal_upper_quantile(0.025), 1.959963984540054, 1e-15);
  EXPECT_EQ(normal_upper_quantile(0.5), 0);
  EXPECT_NEAR(chi_square_tail(5.991464547107979, 2), 0.05, 1e-15);
  EXPECT_NEAR(f_tail(4.102821015130399, 2, 10), 0.05, 1e-15);
  EXPECT_NEAR(student_t_two_sided(-2.262157162798205, 9), 0.05, 1e-14);
}

TEST(Distributions, EndsAreNoErrors) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(normal_tail(infinity), 0);
  EXPECT_EQ(normal_tail(-infinity), 1);
  EXPECT_EQ(chi_square_tail(0, 3), 1);
  EXPECT_EQ(chi_square_tail(infinity, 3), 0);
  EXPECT_EQ(f_tail(-1, 3, 4), 1);
  EXPECT_EQ(f_tail(infinity, 3, 4), 0);
  EXPECT_EQ(student_t_two_sided(-infinity, 3), 0);
  EXPECT_EQ(student_t_two_sided(0, 3), 1);
}

}  // namespace
}  // namespace mulberry::math
