#include "mulberry/base/rbf/rbf_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/model/base_learner.hpp"

namespace mulberry::base {
namespace {

struct Rows {
  Matrix x;
  std::vector<Id> y;
};

// Class c around the point (3 c, -3 c), with noise; the second column is in another unit.
Rows make_rows(Index n, Id classes, std::uint64_t stream = 0) {
  Random random(5, "rbf_network_test", stream);
  Rows out{Matrix(n, 2), {}};
  for (Index i = 0; i < n; ++i) {
    const Id c = static_cast<Id>(i % classes);
    out.y.push_back(c);
    out.x(i, 0) = 3.0 * c + random.normal();
    out.x(i, 1) = 1000 * (-3.0 * c + random.normal());
  }
  return out;
}

Spec rbf(const std::string& params) { return parse_spec("rbf_network(" + params + ")"); }

double share_right(MatrixView scores, const std::vector<Id>& y) {
  double right = 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    const auto row = scores.row(i);
    const Id best = row.size() == 1
                        ? (row[0] > 0 ? 1 : 0)
                        : static_cast<Id>(std::max_element(row.begin(), row.end()) - row.begin());
    right += best == y[at(i)] ? 1 : 0;
  }
  return right / static_cast<double>(y.size());
}

TEST(RbfNetwork, LearnsClasses) {
  for (const Id classes : {2, 4}) {
    const Rows train = make_rows(400, classes), test = make_rows(400, classes, 1);
    const FittedClassifier model(rbf("centres=20"), {train.x, train.y, classes}, Context(1));
    const Matrix scores = model.scores(test.x, Context(1));
    EXPECT_EQ(scores.cols(), classes == 2 ? 1 : classes);
    EXPECT_GT(share_right(scores, test.y), 0.9);
    // Without standardising, the second column drowns the first.
    const FittedClassifier raw(rbf("centres=20,standardise=false"), {train.x, train.y, classes},
                               Context(1));
    EXPECT_LT(share_right(raw.scores(test.x, Context(1)), test.y),
              share_right(scores, test.y) + 0.01);
  }
}

// Gauss elimination on the normal equations, written out.
TEST(RbfNetwork, OutputsAgainstPlainNormalEquations) {
  const Rows rows = make_rows(60, 3);
  Matrix activations(60, 4);
  Random random(1, "activations");
  for (double& value : std::span(activations.data(), 240)) value = random.uniform();
  std::vector<double> mass;
  for (Index i = 0; i < 60; ++i) mass.push_back(static_cast<double>(i % 4));
  const ActivationRows filled{60, 4, [&](Index i, std::span<double> out) {
                                const auto row = activations.row(i);
                                std::copy(row.begin(), row.end(), out.begin());
                              }};
  const Matrix w = fit_outputs(filled, rows.y, 3, mass, 0.5, Context(1));
  const auto phi = [&](Index i, Index j) { return j == 4 ? 1.0 : activations(i, j); };
  for (Index c = 0; c < 3; ++c) {  // the gradient of the ridge objective vanishes
    for (Index j = 0; j < 5; ++j) {
      double gradient = 0.5 * w(j, c);
      for (Index i = 0; i < 60; ++i) {
        double error = rows.y[at(i)] == c ? -1.0 : 0.0;
        for (Index k = 0; k < 5; ++k) error += phi(i, k) * w(k, c);
        gradient += mass[at(i)] * phi(i, j) * error;
      }
      EXPECT_NEAR(gradient, 0, 1e-10);
    }
  }
  const Matrix scores = outputs(filled, w, Context(1));
  for (Index i = 0; i < 60; ++i) {
    for (Index c = 0; c < 3; ++c) {
      double expected = 0;
      for (Index j = 0; j < 5; ++j) expected += phi(i, j) * w(j, c);
      EXPECT_NEAR(scores(i, c), expected, 1e-12);
    }
  }
}

TEST(RbfNetwork, ActivationsAndWidthByHand) {
  const Matrix centres(3, 1, std::vector<double>{0, 3, 6});
  EXPECT_DOUBLE_EQ(rbf_width(centres, 0.5), 0.5 * (3 + 3 + 6) / 3);
  EXPECT_DOUBLE_EQ(rbf_width(Matrix(1, 1), 2), 1);
  const Matrix phi = rbf_activations(Matrix(1, 1, 3.0), centres, 2, Context(1));
  EXPECT_NEAR(phi(0, 0), std::exp(-9.0 / 8), 1e-15);
  EXPECT_NEAR(phi(0, 1), 1, 1e-15);
}

TEST(RbfNetwork, SoftmaxKeepsTheOrderAndSumsToOne) {
  const Rows rows = make_rows(100, 3);
  const FittedClassifier plain(rbf("centres=9"), {rows.x, rows.y, 3}, Context(1));
  const FittedClassifier soft(rbf("centres=9,softmax=true"), {rows.x, rows.y, 3}, Context(1));
  EXPECT_EQ(plain.scale(), Scale::margin);
  EXPECT_EQ(soft.scale(), Scale::probability);
  const Matrix a = plain.scores(rows.x, Context(1)), b = soft.scores(rows.x, Context(1));
  for (Index i = 0; i < 100; ++i) {
    double total = 0;
    for (Index c = 0; c < 3; ++c) {
      total += b(i, c);
      EXPECT_NEAR(std::log(b(i, c) / b(i, 0)), a(i, c) - a(i, 0), 1e-9);
    }
    EXPECT_NEAR(total, 1, 1e-12);
  }
}

// With a centre on every distinct row the centres agree, and copies act like weights.
TEST(RbfNetwork, WeightsActAsCopies) {
  const Rows rows = make_rows(30, 2);
  std::vector<double> weights;
  std::vector<Id> copies, y;
  for (Id i = 0; i < 30; ++i) {
    weights.push_back(i % 3 == 0 ? 2.0 : 1.0);
    for (int k = 0; k < static_cast<int>(weights.back()); ++k) {
      copies.push_back(i);
      y.push_back(rows.y[at(i)]);
    }
  }
  for (const char* standardise : {"false", "true"}) {
    const Spec spec =
        rbf(std::string("centres=100,width=3,steps=0,ridge=1,standardise=") + standardise);
    const FittedClassifier weighted(spec, {rows.x, rows.y, 2, weights}, Context(1));
    const FittedClassifier copied(spec, {take_rows(rows.x, copies), y, 2}, Context(1));
    const Matrix a = weighted.scores(rows.x, Context(1)), b = copied.scores(rows.x, Context(1));
    for (Index i = 0; i < 30; ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 1e-6);
  }
}

TEST(RbfNetwork, SingularDataIsSolved) {
  const Matrix x(6, 2, 1.0);  // all rows equal: no column is left
  const std::vector<Id> y = {0, 1, 2, 2, 2, 0};
  const FittedClassifier model(rbf("ridge=1e-300"), {x, y, 4}, Context(1));
  const Matrix scores = model.scores(x, Context(1));
  EXPECT_NEAR(scores(0, 0), 1.0 / 3, 1e-6);
  EXPECT_NEAR(scores(0, 2), 0.5, 1e-6);
  EXPECT_EQ(scores(0, 3), 0);  // a class that does not occur
}

TEST(RbfNetwork, SameBitsOnAnyNumberOfThreads) {
  const Rows rows = make_rows(3000, 3);
  const auto scores = [&](int threads) {
    return FittedClassifier("rbf_network", {rows.x, rows.y, 3}, Context(threads))
        .scores(rows.x, Context(threads));
  };
  const Matrix one = scores(1);
  EXPECT_EQ(one, scores(2));
  EXPECT_EQ(one, scores(8));
}

}  // namespace
}  // namespace mulberry::base
