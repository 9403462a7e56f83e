#include "mulberry/base/class_coupling.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "mulberry/core/random.hpp"

namespace mulberry::base {
namespace {

double objective(const std::vector<double>& wins, const std::vector<double>& p) {
  double out = 0;
  std::size_t pair = 0;
  for (std::size_t a = 0; a < p.size(); ++a) {
    for (std::size_t b = a + 1; b < p.size(); ++b) {
      const double win = wins[pair++], gap = (1 - win) * p[a] - win * p[b];
      out += gap * gap;
    }
  }
  return out;
}

TEST(ClassCoupling, SharesThatExplainAllDuelsAreFound) {
  const std::vector<double> truth = {0.5, 0.2, 0.05, 0.25};
  std::vector<double> wins, found(4);
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = a + 1; b < 4; ++b) wins.push_back(truth[a] / (truth[a] + truth[b]));
  }
  couple_classes(wins, found);
  for (std::size_t a = 0; a < 4; ++a) EXPECT_NEAR(found[a], truth[a], 1e-4);
}

// No shares nearby, and none drawn at random, have a lower objective.
TEST(ClassCoupling, FindsTheMinimum) {
  Random random(5, "coupling", 0);
  for (int round = 0; round < 30; ++round) {
    const auto count = static_cast<std::size_t>(3 + random.below(8));
    std::vector<double> wins(count * (count - 1) / 2), found(count);
    for (double& w : wins) w = 0.01 + 0.98 * random.uniform();
    couple_classes(wins, found);
    double sum = 0;
    for (const double p : found) {
      EXPECT_GE(p, 0);
      sum += p;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    const double reached = objective(wins, found);
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<double> other(count);
      double all = 0;
      const double near = trial % 2 == 0 ? 0.01 : 1;
      for (std::size_t a = 0; a < count; ++a)
        all += other[a] = (1 - near) * found[a] + near * random.uniform() / 5;
      for (double& p : other) p /= all;
      EXPECT_GE(objective(wins, other), reached - 1e-5);
    }
  }
}

}  // namespace
}  // namespace mulberry::base
