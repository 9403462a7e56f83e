#include "mulberry/learners/sets/set_boosting.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mulberry::learners {
namespace {

TEST(SetBoosting, VoteWeightsByHand) {
  EXPECT_NEAR(vote_weight(0.2, 5, 1000), 0.5545177444, 1e-10);
  EXPECT_NEAR(vote_weight(0.2, 2, 1000), 0.6931471806, 1e-10);
  EXPECT_NEAR(vote_weight(0.5, 14, 1000), 0.1832106684, 1e-10);
  for (const Id classes : {2, 3, 5, 14}) {
    EXPECT_NEAR(vote_weight((classes - 1.0) / classes, classes, 1000), 0, 1e-12);
  }
  // Without errors the rate counts as half an error.
  EXPECT_EQ(vote_weight(0, 2, 50), vote_weight(0.01, 2, 50));
  EXPECT_EQ(vote_weight(0.99, 2, 50), 0);
}

TEST(SetBoosting, WeightsByHand) {
  std::vector<double> weights(4, 0.25);
  const std::vector<std::uint8_t> wrong = {1, 0, 0, 1};
  const std::vector<int> others = {1, 1, 0, 0};
  reweigh(weights, std::log(2.0), wrong, 1.5, others);
  const std::vector<double> expected = {0.4, 0.2, 2.0 / 15, 4.0 / 15};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(weights[i], expected[i], 1e-15);
  // Two other sets wrong count twice.
  std::vector<double> two(2, 0.5);
  reweigh(two, 0, std::vector<std::uint8_t>{0, 0}, 3, std::vector<int>{2, 0});
  EXPECT_NEAR(two[0], 0.9, 1e-15);
}

TEST(SetBoosting, ChanceIsNotWorseThanChance) {
  EXPECT_FALSE(worse_than_chance(2.0 / 3, 3));
  EXPECT_FALSE(worse_than_chance(0.1 + 0.2 + 0.2, 2));
  EXPECT_TRUE(worse_than_chance(2.0 / 3 + 1e-6, 3));
}

TEST(SetBoosting, DrawsFollowTheWeights) {
  const std::vector<double> weights = {0.5, 0, 0.3, 0.2};
  std::vector<double> total(4, 0.0);
  for (std::uint64_t k = 0; k < 5000; ++k) {
    const std::vector<double> counts = draw_counts(weights, Random(1, "draws", k));
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      total[i] += counts[i];
      sum += counts[i];
    }
    ASSERT_EQ(sum, 4);
  }
  EXPECT_EQ(total[1], 0);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(total[i] / 20000, weights[i], 0.015);
}

TEST(SetBoosting, ErrorIsAShareOfTheMass) {
  EXPECT_DOUBLE_EQ(
      wrong_share(std::vector<double>{2, 0, 1, 1}, std::vector<std::uint8_t>{1, 1, 0, 1}), 0.75);
}

}  // namespace
}  // namespace mulberry::learners
