#include "mulberry/math/optimise/simplex_qp.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/random.hpp"

namespace mulberry::math {
namespace {

struct Problem {
  Matrix gram;
  std::vector<double> linear;
  double curvature = 1;

  double value(std::span<const double> a) const {
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      out += linear[i] * a[i];
      for (std::size_t j = 0; j < a.size(); ++j) {
        out -= 0.5 * curvature * a[i] * a[j] * gram(static_cast<Index>(i), static_cast<Index>(j));
      }
    }
    return out;
  }
};

// G = A A' with A of n x rank: singular whenever rank < n.
Problem draw(Random& rng, Index n, Index rank) {
  Matrix points(n, rank);
  for (Index i = 0; i < points.size(); ++i) points.data()[i] = rng.normal();
  Problem out{.gram = Matrix(n, n), .linear = std::vector<double>(at(n))};
  blas::syrk(1, blas::block(points), blas::Op::plain, 0, blas::block(out.gram));
  for (double& o : out.linear) o = rng.uniform();
  out.curvature = std::pow(10, rng.uniform(-3, 3));
  return out;
}

void project_to_simplex(std::vector<double>& a) {
  std::vector<double> sorted = a;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, cut = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double candidate = (sum - 1) / static_cast<double>(k + 1);
    if (sorted[k] > candidate) cut = candidate;
  }
  for (double& x : a) x = std::max(0.0, x - cut);
}

double projected_gradient(const Problem& problem) {
  const std::size_t n = problem.linear.size();
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) {
    trace += problem.gram(static_cast<Index>(i), static_cast<Index>(i));
  }
  const double step = 1 / (problem.curvature * trace + 1e-12);
  std::vector<double> a(n, 1 / static_cast<double>(n));
  for (int round = 0; round < 20000; ++round) {
    std::vector<double> next = a;
    for (std::size_t i = 0; i < n; ++i) {
      double slope = problem.linear[i];
      for (std::size_t j = 0; j < n; ++j) {
        slope -=
            problem.curvature * a[j] * problem.gram(static_cast<Index>(i), static_cast<Index>(j));
      }
      next[i] += step * slope;
    }
    project_to_simplex(next);
    a = next;
  }
  return problem.value(a);
}

void expect_feasible(std::span<const double> a) {
  double sum = 0;
  for (const double x : a) {
    EXPECT_GE(x, 0);
    sum += x;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(SimplexQp, EqualsProjectedGradient) {
  Random rng(1, "qp");
  for (int round = 0; round < 30; ++round) {
    const Index n = 1 + rng.below(7);
    const Problem problem = draw(rng, n, 1 + rng.below(6));
    std::vector<double> a(at(n), 0.0);
    const auto found =
        solve_simplex_qp(blas::block(problem.gram), problem.linear, problem.curvature, 1e-12, a);
    expect_feasible(a);
    EXPECT_NEAR(found.value, problem.value(a), 1e-9 * (1 + std::abs(found.value)));
    const double slow = projected_gradient(problem);
    EXPECT_GE(found.value, slow - 1e-9 * (1 + std::abs(slow)));
    EXPECT_LE(slow, found.value + found.gap + 1e-9 * (1 + std::abs(slow)));
  }
}

TEST(SimplexQp, CertifiesLargeAndSingularProblems) {
  Random rng(2, "qp");
  for (const Index n : {50, 150, 300}) {
    for (const Index rank : {5, 40, 400}) {
      const Problem problem = draw(rng, n, rank);
      std::vector<double> a(at(n), 0.0);
      const auto found =
          solve_simplex_qp(blas::block(problem.gram), problem.linear, problem.curvature, 1e-9, a);
      expect_feasible(a);
      EXPECT_LE(found.gap, 1e-9 * std::max(1.0, problem.curvature * static_cast<double>(rank)))
          << n << " " << rank << " " << problem.curvature << " steps " << found.steps;
    }
  }
}

TEST(SimplexQp, WarmStartFindsTheSameOptimumInFewSteps) {
  Random rng(3, "qp");
  const Index n = 100;
  Problem problem = draw(rng, n, 60);
  problem.curvature = 1;
  std::vector<double> a(at(n), 0.0);
  const auto cold = solve_simplex_qp(blas::block(problem.gram), problem.linear, 1, 1e-10, a);
  const auto again = solve_simplex_qp(blas::block(problem.gram), problem.linear, 1, 1e-10, a);
  EXPECT_LE(again.steps, 1);
  EXPECT_NEAR(again.value, cold.value, 1e-9);
  std::vector<double> fresh(at(n), 0.0);
  const auto moved = solve_simplex_qp(blas::block(problem.gram), problem.linear, 1.1, 1e-10, a);
  const auto other = solve_simplex_qp(blas::block(problem.gram), problem.linear, 1.1, 1e-10, fresh);
  EXPECT_NEAR(moved.value, other.value, 1e-9);
  EXPECT_LT(moved.steps, other.steps);
}

TEST(SimplexQp, ByHand) {
  // max a1 - 2 a1^2 with a0 = 1 - a1 (the plane of zeros): a1 = 1/4, value 1/8.
  const Matrix gram(2, 2, std::vector<double>{0, 0, 0, 4});
  std::vector<double> a = {0, 0};
  const std::vector<double> linear = {0, 1};
  const auto found = solve_simplex_qp(blas::block(gram), linear, 1, 1e-14, a);
  EXPECT_NEAR(a[1], 0.25, 1e-12);
  EXPECT_NEAR(found.value, 0.125, 1e-14);
}

TEST(SimplexQp, DuplicatedAndZeroPlanes) {
  const Matrix gram(4, 4, std::vector<double>{0, 0, 0, 0, 0, 4, 4, 0, 0, 4, 4, 0, 0, 0, 0, 0});
  std::vector<double> a(4, 0.0);
  const std::vector<double> linear = {0, 1, 1, 0};
  const auto found = solve_simplex_qp(blas::block(gram), linear, 1, 1e-13, a);
  expect_feasible(a);
  EXPECT_NEAR(a[1] + a[2], 0.25, 1e-9);
  EXPECT_NEAR(found.value, 0.125, 1e-12);
}

TEST(SimplexQp, OneVariable) {
  const Matrix gram(1, 1, std::vector<double>{3});
  std::vector<double> a = {0};
  const std::vector<double> linear = {2};
  EXPECT_DOUBLE_EQ(solve_simplex_qp(blas::block(gram), linear, 2, 0, a).value, -1);
  EXPECT_EQ(a[0], 1);
}

}  // namespace
}  // namespace mulberry::math
