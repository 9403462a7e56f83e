#include "mulberry/learners/mahr/hinge_lp.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/random.hpp"

namespace mulberry::learners {
namespace {

double objective(const HingeRows& rows, std::span<const double> prices, std::span<const double> b) {
  double out = 0;
  for (Index r = 0; r < rows.size(); ++r) {
    double margin = 1;
    for (std::size_t k = 0; k < b.size(); ++k) margin -= rows.row(r)[k] * b[k];
    out += rows.weights()[at(r)] * std::max(0.0, margin);
  }
  for (std::size_t k = 0; k < b.size(); ++k) out += prices[k] * std::abs(b[k]);
  return out;
}

// b with M b = c for three variables, by Cramer's rule; false if M is singular.
bool solve3(const double m[3][3], const double c[3], double b[3]) {
  const auto det = [](const double a[3][3]) {
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
  };
  const double all = det(m);
  if (std::abs(all) < 1e-9) return false;
  for (int k = 0; k < 3; ++k) {
    double other[3][3];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) other[i][j] = j == k ? c[i] : m[i][j];
    }
    b[k] = det(other) / all;
  }
  return true;
}

// The objective is convex, piecewise linear and grows in every direction: its minimum is at a
// point where three of the rows and axes are tight. Tries all.
double brute_force(const HingeRows& rows, std::span<const double> prices) {
  std::vector<std::vector<double>> lines;  // a, then c
  for (Index r = 0; r < rows.size(); ++r) {
    const auto a = rows.row(r);
    lines.push_back({a[0], a[1], a[2], 1});
  }
  for (std::size_t k = 0; k < 3; ++k) {
    lines.push_back({0, 0, 0, 0});
    lines.back()[k] = 1;
  }
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t p = 0; p < lines.size(); ++p) {
    for (std::size_t q = p + 1; q < lines.size(); ++q) {
      for (std::size_t r = q + 1; r < lines.size(); ++r) {
        double m[3][3], c[3], b[3];
        const std::size_t chosen[] = {p, q, r};
        for (int i = 0; i < 3; ++i) {
          for (std::size_t j = 0; j < 3; ++j) m[i][j] = lines[chosen[i]][j];
          c[i] = lines[chosen[i]][3];
        }
        if (solve3(m, c, b) && b[0] >= -1e-12) {
          best = std::min(best, objective(rows, prices, std::vector<double>(b, b + 3)));
        }
      }
    }
  }
  return best;
}

HingeRows random_rows(Random& random, Index variables, Index count) {
  HingeRows out(variables);
  std::vector<double> row(at(variables));
  std::vector<double> bias(row.size());
  for (double& v : bias) v = random.uniform(0.3, 0.7);
  for (Index r = 0; r < count; ++r) {
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = random.chance(bias[k]) ? 1 : -1;
    out.add(row, random.uniform() / static_cast<double>(count));
  }
  return out;
}

TEST(HingeLp, EqualsTheBestOfAllVertices) {
  Random random(1, "hinge_lp.test");
  for (int trial = 0; trial < 2000; ++trial) {
    const HingeRows rows = random_rows(random, 3, 1 + random.below(30));
    const double price = random.chance(0.3) ? 1e-6 : 0.2 * random.uniform();
    const double prices[] = {1e-6, price, price};
    const HingeLpResult found = solve_hinge_lp(rows, prices);
    ASSERT_TRUE(found.optimal) << trial;
    ASSERT_GE(found.b[0], 0);
    ASSERT_NEAR(found.value, brute_force(rows, prices), 1e-9) << trial;
    ASSERT_NEAR(found.value, objective(rows, prices, found.b), 1e-12);
  }
}

// For more variables: a convex function has no better point anywhere near its minimum.
TEST(HingeLp, NoDirectionLeadsDown) {
  Random random(2, "hinge_lp.test");
  for (int trial = 0; trial < 40; ++trial) {
    const Index variables = 4 + random.below(17);
    const HingeRows rows = random_rows(random, variables, 20 + random.below(300));
    std::vector<double> prices(at(variables), 0.05 * random.uniform() + 1e-6);
    const HingeLpResult found = solve_hinge_lp(rows, prices);
    ASSERT_TRUE(found.optimal);
    for (int probe = 0; probe < 300; ++probe) {
      std::vector<double> near = found.b;
      const double step = std::pow(10, -random.uniform(1, 5));
      if (probe < 2 * variables) {
        near[at(probe / 2)] += probe % 2 == 0 ? step : -step;
      } else {
        for (double& v : near) v += step * random.normal();
      }
      near[0] = std::max(near[0], 0.0);
      ASSERT_GE(objective(rows, prices, near), found.value - 1e-10) << trial << " " << probe;
    }
  }
}

HingeRows golden_rows(const std::vector<double>& weights) {
  const double signs[8][3] = {{1, 1, 1},   {1, 1, -1},  {1, -1, 1},  {-1, 1, 1},
                              {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, -1}};
  HingeRows out(3);
  for (std::size_t r = 0; r < 8; ++r) out.add(signs[r], weights[r]);
  return out;
}

TEST(HingeLp, WorkedExamples) {
  const double prices[] = {1e-6, 1e-6, 1e-6};
  const auto all =
      solve_hinge_lp(golden_rows({.30, .20, .20, .20, .025, .025, .025, .025}), prices);
  for (const double v : all.b) EXPECT_NEAR(v, 1, 1e-9);
  EXPECT_NEAR(all.value, 0.25, 1e-5);
  const auto own = solve_hinge_lp(golden_rows({.30, .12, .15, .13, .06, .08, .11, .05}), prices);
  EXPECT_NEAR(own.b[0], 1, 1e-9);
  EXPECT_NEAR(own.b[1], 0, 1e-9);
  EXPECT_NEAR(own.b[2], 0, 1e-9);
  EXPECT_NEAR(own.value, 0.64, 1e-5);
}

TEST(HingeLp, EqualRowsAreOne) {
  HingeRows rows(2);
  const double a[] = {1, -1}, b[] = {1, 1};
  rows.add(a, 0.25);
  rows.add(b, 0.5);
  rows.add(a, 0.125);
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows.weights()[0], 0.375);
}

}  // namespace
}  // namespace mulberry::learners
