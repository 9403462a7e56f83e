#include "mulberry/base/rbf/rbf_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/random.hpp"

namespace mulberry::base {
namespace {

struct Rings {
  Matrix x;
  std::vector<Id> y;
};

// `count` rings around the origin whose classes take turns: few centres cannot tell many apart.
Rings rings(Index rows, Id count = 4) {
  Rings out{Matrix(rows, 2), {}};
  Random random(3, "rings");
  for (Index i = 0; i < rows; ++i) {
    const Id ring = static_cast<Id>(i % count);
    const double radius = 1.0 + ring + 0.15 * random.normal();
    const double angle = random.uniform(0, 6.283185307179586);
    out.x(i, 0) = radius * std::cos(angle);
    out.x(i, 1) = radius * std::sin(angle);
    out.y.push_back(ring % 4);
  }
  return out;
}

// The class of row i from a network that was trained without it.
Id without(const Matrix& activations, const Rings& data, std::vector<double> mass, Index i,
           double ridge) {
  mass[static_cast<std::size_t>(i)] = 0;
  const ActivationRows rows{
      activations.rows(), activations.cols(),
      [&](Index k, std::span<double> out) { std::ranges::copy(activations.row(k), out.begin()); }};
  const Matrix weights = fit_outputs(rows, data.y, 4, mass, ridge, Context());
  const Matrix scores = outputs(rows, weights, Context());
  const auto row = scores.row(i);
  return static_cast<Id>(std::ranges::max_element(row) - row.begin());
}

TEST(RbfChoice, LeavesEveryRowOutInClosedForm) {
  const Rings data = rings(40);
  std::vector<double> mass(40, 1.0);
  for (std::size_t i = 0; i < 40; i += 3) mass[i] = 2.5;
  mass[7] = 0;
  const Matrix places(8, 2, std::vector<double>(data.x.data(), data.x.data() + 16));
  const Matrix activations = rbf_activations(data.x, places, 1.5, Context());
  const RbfTarget target{data.y, 4};
  double wrong = 0, total = 0;
  for (Index i = 0; i < 40; ++i) {
    const double s = mass[static_cast<std::size_t>(i)];
    total += s;
    if (without(activations, data, mass, i, 0.01) != data.y[static_cast<std::size_t>(i)])
      wrong += s;
  }
  EXPECT_GT(wrong, 0);
  EXPECT_NEAR(left_out_error(activations, {&target, 1}, mass, 0.01, Context()), wrong / total,
              1e-12);
}

TEST(RbfChoice, TakesMoreCentresWhereTheyHelp) {
  const Rings data = rings(600, 12);
  const RbfTarget target{data.y, 4};
  const RbfParams chosen =
      choose_rbf({.centres = std::nullopt}, data.x, {}, {&target, 1}, Context());
  ASSERT_TRUE(chosen.centres);
  EXPECT_GE(*chosen.centres, 50);
  EXPECT_LE(*chosen.centres, 300);  // one per two rows at most
  // Classes that nothing can tell apart need no large network.
  std::vector<Id> same(600, 0);
  const RbfTarget easy{same, 1};
  EXPECT_EQ(*choose_rbf({.centres = std::nullopt}, data.x, {}, {&easy, 1}, Context()).centres, 25);
}

TEST(RbfChoice, LeavesANumberAlone) {
  const Rings data = rings(40);
  EXPECT_EQ(*choose_rbf({.centres = 7}, data.x, {}, {}, Context()).centres, 7);
}

}  // namespace
}  // namespace mulberry::base
