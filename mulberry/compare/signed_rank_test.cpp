#include "mulberry/compare/signed_rank.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mulberry::compare {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_infinity = std::numeric_limits<double>::infinity();

TEST(SignedRank, SmallCasesByHand) {
  // Of 8 signs, only the one that was seen and its opposite are as extreme.
  const SignedRankTest all = wilcoxon(std::vector<double>{1, 2, 3});
  EXPECT_EQ(all.plus, 6);
  EXPECT_EQ(all.minus, 0);
  EXPECT_DOUBLE_EQ(all.p, 0.25);
  // Ranks 1.5, 1.5, 3 and a zero that is left out: sums of at least 4.5 are 4.5, 4.5 and 6.
  const SignedRankTest tied = wilcoxon(std::vector<double>{1, -1, 0, 2});
  EXPECT_EQ(tied.used, 3);
  EXPECT_EQ(tied.plus, 4.5);
  EXPECT_EQ(tied.minus, 1.5);
  EXPECT_DOUBLE_EQ(tied.p, 0.75);
  EXPECT_TRUE(tied.exact);
}

TEST(SignedRank, NothingToCompare) {
  EXPECT_EQ(wilcoxon({}).p, 1);
  EXPECT_EQ(wilcoxon(std::vector<double>{0, 0, k_nan}).p, 1);
  EXPECT_EQ(wilcoxon(std::vector<double>{0, 0, k_nan}).used, 0);
}

TEST(SignedRank, InfinitiesRankAsTheLargest) {
  EXPECT_DOUBLE_EQ(wilcoxon(std::vector<double>{k_infinity, 1, -2}).p,
                   wilcoxon(std::vector<double>{9, 1, -2}).p);
}

TEST(SignedRank, ExactAndNormalMeet) {
  std::vector<double> d;
  for (int k = 1; k <= 50; ++k) d.push_back(k % 3 == 0 ? -k : k);
  const SignedRankTest exact = wilcoxon(d);
  d.push_back(51);
  const SignedRankTest normal = wilcoxon(d);
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(normal.exact);
  EXPECT_NEAR(exact.p, normal.p, 0.01);
}

TEST(Holm, StepsDown) {
  const std::vector<double> p = holm(std::vector<double>{0.01, 0.04, 0.03, 0.9});
  EXPECT_DOUBLE_EQ(p[0], 0.04);
  EXPECT_DOUBLE_EQ(p[1], 0.09);  // 2 x 0.04, but not below the one before it
  EXPECT_DOUBLE_EQ(p[2], 0.09);
  EXPECT_DOUBLE_EQ(p[3], 0.9);
  EXPECT_TRUE(holm({}).empty());
}

TEST(Bayesian, CertainCases) {
  const Context ctx(1, 3);
  const std::vector<double> better(12, 0.5), same(12, 0.001);
  const BayesianVerdict first = bayesian_signed_rank(better, {}, ctx);
  EXPECT_GT(first.first, 0.999);
  const BayesianVerdict rope = bayesian_signed_rank(same, {}, ctx);
  EXPECT_GT(rope.rope, 0.999);
  const BayesianVerdict last = bayesian_signed_rank(std::vector<double>(12, -k_infinity), {}, ctx);
  EXPECT_GT(last.second, 0.999);
}

TEST(Bayesian, SidesAreAlikeAndAddUp) {
  const std::vector<double> d = {0.3, -0.1, 0.02, 0.2, -0.3, 0.15};
  std::vector<double> reverse = d;
  for (double& v : reverse) v = -v;
  const Context ctx(1, 3);
  const BayesianVerdict a = bayesian_signed_rank(d, {.rope = 0.05}, ctx);
  const BayesianVerdict b = bayesian_signed_rank(reverse, {.rope = 0.05}, ctx);
  EXPECT_NEAR(a.first, b.second, 0.01);
  EXPECT_NEAR(a.first + a.rope + a.second, 1, 1e-12);
  const BayesianVerdict none = bayesian_signed_rank(std::vector<double>{0, 0}, {.rope = 0}, ctx);
  EXPECT_DOUBLE_EQ(none.first, 0.5);
  EXPECT_DOUBLE_EQ(none.second, 0.5);
}

}  // namespace
}  // namespace mulberry::compare
