#include "mulberry/compare/rank_tests.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mulberry/core/index.hpp"

namespace mulberry::compare {
namespace {

TEST(RankTests, FriedmanByHand) {
  // Ranks 1 2 3, 1 3 2, 1.5 1.5 3, 1 2 3 with sums 4.5, 8.5 and 11, and one tie of two.
  const Matrix gains(4, 3, {3, 2, 1, 9, 1, 2, 2, 2, 1, 7, 6, 5});
  EXPECT_EQ(mean_ranks(rank_rows(gains)), (std::vector<double>{4.5 / 4, 8.5 / 4, 11.0 / 4}));
  const FriedmanTest test = friedman(gains);
  const double chi_square = 5.375 / (1 - 6.0 / 96);
  EXPECT_NEAR(test.chi_square, chi_square, 1e-12);
  EXPECT_NEAR(test.chi_square_p, std::exp(-chi_square / 2), 1e-12);  // two degrees of freedom
  EXPECT_EQ(test.freedom, 2);
  EXPECT_EQ(test.freedom_below, 6);
  EXPECT_NEAR(test.f, 3 * chi_square / (8 - chi_square), 1e-12);
  EXPECT_NEAR(test.f_p, std::pow(1 + test.f / 3, -3), 1e-12);
}

TEST(RankTests, PublishedCriticalDifference) {
  // Demsar 2006: 4 learners on 14 sets, and quantiles for 2 and for 10 learners.
  EXPECT_NEAR(critical_difference(4, 14, 0.05), 1.25, 0.005);
  EXPECT_NEAR(range_quantile(0.05, 2) / std::sqrt(2.0), 1.960, 5e-4);
  EXPECT_NEAR(range_quantile(0.05, 10) / std::sqrt(2.0), 3.164, 5e-4);
  EXPECT_NEAR(range_tail(range_quantile(0.01, 7), 7), 0.01, 1e-14);
}

TEST(RankTests, RangeOfTwoIsADifference) {
  for (const double q : {0.3, 1.0, 3.0, 9.0}) {
    EXPECT_NEAR(range_tail(q, 2) / std::erfc(q / 2), 1, 1e-12);
  }
  EXPECT_EQ(range_tail(0, 5), 1);
  EXPECT_EQ(range_tail(std::numeric_limits<double>::infinity(), 5), 0);
}

TEST(RankTests, EqualValuesShareRanksAndInfinityIsLast) {
  const double worst = -std::numeric_limits<double>::infinity();
  const Matrix ranks = rank_rows(Matrix(2, 4, {3, 5, 3, worst, worst, 1, worst, 2}));
  EXPECT_EQ(ranks.values(), (std::vector<double>{2.5, 1, 2.5, 4, 3.5, 2, 3.5, 1}));
}

TEST(RankTests, NothingDiffers) {
  const FriedmanTest test = friedman(Matrix(3, 3, 0.5));
  EXPECT_TRUE(std::isnan(test.chi_square));
  EXPECT_EQ(test.chi_square_p, 1);
  EXPECT_EQ(test.f_p, 1);
  EXPECT_TRUE(std::isnan(friedman(Matrix(1, 3, 0.5)).f_p));
  const Matrix p = nemenyi(Matrix(3, 3, 0.5));
  for (const double v : p.values()) EXPECT_EQ(v, 1);
}

}  // namespace
}  // namespace mulberry::compare
