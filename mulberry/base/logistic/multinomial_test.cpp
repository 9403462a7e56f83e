#include "mulberry/base/logistic/multinomial.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mulberry::base {
namespace {

struct Example {
  Matrix x;
  std::vector<Id> y = {};
  std::vector<double> cost = {};
};

Example make_example(Index n, Index d, Id classes) {
  Random random(7, "multinomial_test");
  Example out{.x = Matrix(n, d)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) out.x(i, j) = random.chance(0.5) ? random.normal() : 0.0;
    out.y.push_back(static_cast<Id>(random.below(classes)));
    out.cost.push_back(random.uniform(0.1, 3.0));
  }
  return out;
}

// Straight from the definition.
double objective(const Example& e, Bias bias, MatrixView w, const std::vector<double>& b) {
  double sum = 0;
  for (Index k = 0; k < w.size(); ++k) sum += 0.5 * w.data()[k] * w.data()[k];
  for (const double v : b) sum += bias == Bias::regularised ? 0.5 * v * v : 0.0;
  for (Index i = 0; i < e.x.rows(); ++i) {
    double total = 0, own = 0;
    for (Index c = 0; c < w.rows(); ++c) {
      double score = b[at(c)];
      for (Index j = 0; j < w.cols(); ++j) score += w(c, j) * e.x(i, j);
      total += std::exp(score);
      if (c == e.y[at(i)]) own = score;
    }
    sum += e.cost[at(i)] * (std::log(total) - own);
  }
  return sum;
}

TEST(Multinomial, NothingNearIsBetter) {
  const Example e = make_example(60, 6, 4);
  for (const Bias bias : {Bias::regularised, Bias::free, Bias::none}) {
    const LinearOptions options = {.bias = bias, .tolerance = 1e-7};
    const auto best = solve_multinomial(e.x, e.y, 4, e.cost, options, Context());
    ASSERT_TRUE(best.certificate.converged);
    const double value = objective(e, bias, best.w, best.b);
    EXPECT_NEAR(best.certificate.objective, value, 1e-10 * value);
    Random random(8, "directions");
    for (int k = 0; k < 100; ++k) {
      auto near = best;
      const double size = std::pow(10.0, -random.uniform(0, 4));
      for (Index c = 0; c < 4; ++c) {
        for (double& v : near.w.row(c)) v += size * random.normal();
        if (bias != Bias::none) near.b[at(c)] += size * random.normal();
      }
      EXPECT_GE(objective(e, bias, near.w, near.b), value - 1e-9);
    }
  }
}

// Measurements in their units: large, far from 0 and of different sizes.
TEST(Multinomial, ColumnsInTheirUnits) {
  Example e = make_example(300, 6, 4);
  for (Index i = 0; i < 300; ++i) {
    for (Index j = 0; j < 6; ++j) {
      e.x(i, j) = std::pow(4.0, static_cast<double>(j)) * (30 + e.x(i, j));
    }
  }
  const auto best = solve_multinomial(e.x, e.y, 4, e.cost, {.tolerance = 1e-4}, Context());
  EXPECT_TRUE(best.certificate.converged);
  EXPECT_LT(best.certificate.iterations, 30);
}

TEST(Multinomial, SharesByHand) {
  // No feature and a free bias: the probabilities are the shares of the classes.
  const std::vector<Id> y = {0, 1, 1, 2, 2, 2};
  const LinearOptions options = {.bias = Bias::free, .tolerance = 1e-9};
  const auto got =
      solve_multinomial(Matrix(6, 0), y, 3, std::vector<double>(6, 1.0), options, Context());
  EXPECT_NEAR(got.b[1] - got.b[0], std::log(2.0), 1e-8);
  EXPECT_NEAR(got.b[2] - got.b[0], std::log(3.0), 1e-8);
}

TEST(Multinomial, SparseAndThreads) {
  const Example e = make_example(600, 20, 3);
  const LinearOptions options = {.tolerance = 1e-8};
  const auto dense = solve_multinomial(e.x, e.y, 3, e.cost, options, Context(1));
  const Features sparse(to_sparse(e.x));
  const auto one = solve_multinomial(sparse, e.y, 3, e.cost, options, Context(1));
  for (Index c = 0; c < 3; ++c) {
    for (Index j = 0; j < 20; ++j) EXPECT_NEAR(dense.w(c, j), one.w(c, j), 1e-7);
  }
  for (const int threads : {2, 8}) {
    EXPECT_EQ(solve_multinomial(e.x, e.y, 3, e.cost, options, Context(threads)).w, dense.w);
    EXPECT_EQ(solve_multinomial(sparse, e.y, 3, e.cost, options, Context(threads)).w, one.w);
  }
}

TEST(Multinomial, OneClassAndCancel) {
  const Example e = make_example(5, 2, 1);
  EXPECT_EQ(solve_multinomial(e.x, e.y, 1, e.cost, {}, Context()).w, Matrix(1, 2));
  const Example more = make_example(50, 3, 3);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(
      solve_multinomial(more.x, more.y, 3, more.cost, {}, Context().with_stop(stop.get_token())),
      std::exception);
}

}  // namespace
}  // namespace mulberry::base
