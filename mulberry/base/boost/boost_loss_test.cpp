// Derivatives of the losses against finite differences, and the products with the Hessian.
#include "mulberry/base/boost/boost_loss.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mulberry/core/random.hpp"

namespace mulberry::base {
namespace {

constexpr BoostLoss k_losses[] = {BoostLoss::logistic, BoostLoss::row_logistic, BoostLoss::squared};

struct Example {
  std::vector<std::int8_t> truth = {1, -1, 0, 1, -1};
  std::vector<double> scores = {0.3, -1.2, 0.7, -2.5, 1.9};
  std::vector<double> weights = {1, 2, 3, 0.5, 1.5};
  LossRow row(bool weighted) const {
    return {truth, scores, weighted ? std::span<const double>(weights) : std::span<const double>()};
  }
};

TEST(BoostLoss, DerivativesAreThoseOfTheLoss) {
  const double step = 1e-5;
  for (const BoostLoss loss : k_losses) {
    for (const bool weighted : {false, true}) {
      const Example example;
      std::vector<double> g(5), h(5);
      derivatives(loss, example.row(weighted), g, h);
      for (std::size_t k = 0; k < 5; ++k) {
        Example up = example, down = example;
        up.scores[k] += step;
        down.scores[k] -= step;
        const double high = loss_of(loss, up.row(weighted)),
                     low = loss_of(loss, down.row(weighted));
        const double middle = loss_of(loss, example.row(weighted));
        EXPECT_NEAR(g[k], (high - low) / (2 * step), 1e-8) << k;
        EXPECT_NEAR(h[k], (high - 2 * middle + low) / (step * step), 1e-4) << k;
      }
      EXPECT_EQ(g[2], 0);
      EXPECT_EQ(h[2], 0);
    }
  }
}

TEST(BoostLoss, ProductsWithTheHessianAreDifferencesOfGradients) {
  const Example example;
  const std::vector<double> v = {0.5, -1, 2, 1.5, -0.3};
  const double step = 1e-6;
  std::vector<double> g(5), h(5), up(5), down(5), q(5), product(5, 0.0);
  derivatives(BoostLoss::row_logistic, example.row(true), g, h);
  for (std::size_t k = 0; k < 5; ++k) q[k] = -g[k] * example.truth[k];
  multiply_hessian(q, example.truth, 2.0, v, product);
  Example high = example, low = example;
  for (std::size_t k = 0; k < 5; ++k) {
    high.scores[k] += step * v[k];
    low.scores[k] -= step * v[k];
  }
  derivatives(BoostLoss::row_logistic, high.row(true), up, h);
  derivatives(BoostLoss::row_logistic, low.row(true), down, h);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_NEAR(product[k], 2 * (up[k] - down[k]) / (2 * step), 1e-7) << k;
  }
}

TEST(BoostLoss, ByHand) {
  // Scores 0: every cell costs ln 2; a row of two labels ln 3; squares 1/2 each.
  const std::vector<std::int8_t> truth = {1, -1};
  const std::vector<double> zero = {0, 0};
  EXPECT_NEAR(loss_of(BoostLoss::logistic, {truth, zero}), 2 * std::log(2), 1e-15);
  EXPECT_NEAR(loss_of(BoostLoss::row_logistic, {truth, zero}), std::log(3), 1e-15);
  EXPECT_EQ(loss_of(BoostLoss::squared, {truth, zero}), 1);
  std::vector<double> g(2), h(2);
  derivatives(BoostLoss::row_logistic, {truth, zero}, g, h);
  EXPECT_NEAR(g[0], -1.0 / 3, 1e-15);
  EXPECT_NEAR(g[1], 1.0 / 3, 1e-15);
  EXPECT_NEAR(h[0], 2.0 / 9, 1e-15);
}

TEST(BoostLoss, LargeScoresDoNotOverflow) {
  const std::vector<std::int8_t> truth = {1, -1, 1};
  const std::vector<double> scores = {-5000, 5000, 5000};
  for (const BoostLoss loss : k_losses) {
    std::vector<double> g(3), h(3);
    derivatives(loss, {truth, scores}, g, h);
    EXPECT_TRUE(std::isfinite(loss_of(loss, {truth, scores})));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(std::isfinite(g[k]) && h[k] >= 0);
  }
}

}  // namespace
}  // namespace mulberry::base
