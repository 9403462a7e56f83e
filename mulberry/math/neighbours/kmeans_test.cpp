#include "mulberry/math/neighbours/kmeans.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace mulberry::math {
namespace {

// Rows around `groups` corners that lie 10 apart.
Matrix grouped_rows(Index n, Index groups, double noise) {
  Random random(3, "kmeans_test");
  Matrix x(n, 3);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 3; ++j) {
      x(i, j) = 10.0 * static_cast<double>((i % groups) * (j + 1)) + noise * random.normal();
    }
  }
  return x;
}

double distance2(MatrixView x, Index i, MatrixView c, Index k) {
  double sum = 0;
  for (Index j = 0; j < x.cols(); ++j) sum += (x(i, j) - c(k, j)) * (x(i, j) - c(k, j));
  return sum;
}

TEST(KMeans, FindsSeparatedGroups) {
  const Matrix x = grouped_rows(400, 4, 0.1);
  const KMeans fit = k_means(x, {}, {.centres = 4}, Random(1, "seed"), Context(1));
  ASSERT_EQ(fit.centres.rows(), 4);
  EXPECT_TRUE(fit.converged);
  for (Index i = 0; i < x.rows(); ++i) {
    const auto row = at(i);
    EXPECT_EQ(fit.nearest[row], fit.nearest[at(i % 4)]);
    EXPECT_LT(distance2(x, i, fit.centres, fit.nearest[row]), 1.0);
  }
}

TEST(KMeans, SparseRowsGiveTheSameCentres) {
  Matrix x = grouped_rows(500, 5, 3.0);
  for (Index i = 0; i < x.rows(); ++i) x(i, i % 3) = 0;
  x.row(7)[0] = x.row(7)[1] = x.row(7)[2] = 0;
  const Csr sparse = to_sparse(Features(x));
  const KMeans expected = k_means(x, {}, {.centres = 11}, Random(2, "seed"), Context(1));
  for (const int threads : {1, 2}) {
    const KMeans got = k_means(sparse, {}, {.centres = 11}, Random(2, "seed"), Context(threads));
    EXPECT_EQ(got.nearest, expected.nearest);
    EXPECT_EQ(got.centres, expected.centres) << "sums over the same values in the same order";
    EXPECT_NEAR(got.cost, expected.cost, 1e-9 * expected.cost);
  }
  // Equal rows are one centre, however many are requested.
  const Csr equal = to_sparse(Features(Matrix(6, 3, 0.1)));
  EXPECT_EQ(k_means(equal, {}, {.centres = 4}, Random(1, "seed"), Context(1)).centres.rows(), 1);
}

TEST(KMeans, EveryRowIsWithItsNearestCentreAndEveryCentreIsTheMeanOfItsRows) {
  const Matrix x = grouped_rows(700, 7, 4.0);
  std::vector<double> weights;
  for (Index i = 0; i < x.rows(); ++i) weights.push_back(1.0 + static_cast<double>(i % 3));
  const KMeans fit =
      k_means(x, weights, {.centres = 9, .steps = 500}, Random(1, "seed"), Context(2));
  ASSERT_TRUE(fit.converged);
  Matrix sums(9, 3);
  std::vector<double> mass(9, 0.0);
  double cost = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    const Index own = fit.nearest[at(i)];
    for (Index k = 0; k < 9; ++k) {
      EXPECT_LE(distance2(x, i, fit.centres, own), distance2(x, i, fit.centres, k) + 1e-9);
    }
    const double w = weights[at(i)];
    for (Index j = 0; j < 3; ++j) sums(own, j) += w * x(i, j);
    mass[at(own)] += w;
    cost += w * distance2(x, i, fit.centres, own);
  }
  for (Index k = 0; k < 9; ++k) {
    for (Index j = 0; j < 3; ++j) {
      EXPECT_NEAR(fit.centres(k, j), sums(k, j) / mass[at(k)], 1e-9);
    }
  }
  EXPECT_NEAR(fit.cost, cost, 1e-9 * cost);
}

TEST(KMeans, StepsNeverRaiseTheCost) {
  const Matrix x = grouped_rows(500, 5, 6.0);
  double before = std::numeric_limits<double>::infinity();
  for (const Index steps : {0, 1, 2, 3, 5, 10, 20}) {
    const KMeans fit =
        k_means(x, {}, {.centres = 12, .steps = steps}, Random(4, "seed"), Context(1));
    EXPECT_LE(fit.cost, before * (1 + 1e-12));
    before = fit.cost;
  }
}

TEST(KMeans, NoMoreCentresThanDistinctRows) {
  Matrix x(60, 2);
  for (Index i = 0; i < 60; ++i) x(i, 0) = static_cast<double>(i % 3);
  const KMeans fit = k_means(x, {}, {.centres = 10}, Random(1, "seed"), Context(1));
  EXPECT_EQ(fit.centres.rows(), 3);
  EXPECT_EQ(fit.cost, 0);
  // Rows without weight are no candidates.
  std::vector<double> weights(60, 0.0);
  weights[0] = weights[1] = 1;
  EXPECT_EQ(k_means(x, weights, {.centres = 10}, Random(1, "seed"), Context(1)).centres.rows(), 2);
}

TEST(KMeans, OneRowAndNoColumns) {
  const KMeans one = k_means(Matrix(1, 2, 5.0), {}, {}, Random(1, "seed"), Context(1));
  EXPECT_EQ(one.centres, Matrix(1, 2, 5.0));
  const KMeans none = k_means(Matrix(4, 0), {}, {}, Random(1, "seed"), Context(1));
  EXPECT_EQ(none.centres.rows(), 1);
  EXPECT_EQ(squared_distances(Matrix(4, 0), none.centres, Context(1)), Matrix(4, 1));
}

TEST(KMeans, SameBitsOnAnyNumberOfThreads) {
  const Matrix x = grouped_rows(5000, 6, 5.0);
  const KMeans one = k_means(x, {}, {.centres = 40}, Random(1, "seed"), Context(1));
  for (const int threads : {2, 8}) {
    const KMeans many = k_means(x, {}, {.centres = 40}, Random(1, "seed"), Context(threads));
    EXPECT_EQ(one.centres, many.centres);
    EXPECT_EQ(one.nearest, many.nearest);
    EXPECT_EQ(one.cost, many.cost);
    EXPECT_EQ(squared_distances(x, one.centres, Context(1)),
              squared_distances(x, one.centres, Context(threads)));
  }
}

TEST(KMeans, DistancesAgainstLoops) {
  const Matrix x = grouped_rows(300, 3, 1.0), c = grouped_rows(5, 2, 1.0);
  const Matrix fast = squared_distances(x, c, Context(2));
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index k = 0; k < 5; ++k) EXPECT_NEAR(fast(i, k), distance2(x, i, c, k), 1e-9);
  }
  double sum = 0;
  for (Index a = 0; a < 5; ++a) {
    for (Index b = 0; b < 5; ++b) sum += std::sqrt(distance2(c, a, c, b));
  }
  EXPECT_NEAR(mean_distance(c), sum / 20, 1e-12);
  EXPECT_EQ(mean_distance(Matrix(1, 3)), 0);
}

}  // namespace
}  // namespace mulberry::math
