#include "mulberry/learners/rml/bundle.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mulberry/core/random.hpp"
#include "tests/support/bundle_reference.hpp"

namespace mulberry::learners {
using namespace tests;
namespace {

std::vector<Id> all_rows(Index n) {
  std::vector<Id> rows(at(n));
  std::iota(rows.begin(), rows.end(), Id{0});
  return rows;
}

struct Problem {
  Features x;
  std::vector<char> truth;
};

// A noisy linear rule; sparse if requested.
Problem draw(std::uint64_t seed, Index n, Index d, bool sparse = false, double share = 0.3) {
  Random rng(seed, "bundle");
  Matrix x(n, d);
  std::vector<double> rule(at(d));
  for (double& w : rule) w = rng.normal();
  std::vector<double> score(at(n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) {
      if (sparse && !rng.chance(0.2)) continue;
      x(i, j) = rng.normal();
      score[at(i)] += rule[at(j)] * x(i, j);
    }
    score[at(i)] += 0.5 * std::sqrt(static_cast<double>(d)) * rng.normal();
  }
  std::vector<double> sorted = score;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const double cut = sorted[static_cast<std::size_t>(share * static_cast<double>(n))];
  Problem out{.x = x, .truth = std::vector<char>(at(n))};
  for (std::size_t i = 0; i < score.size(); ++i) out.truth[i] = score[i] > cut ? 1 : 0;
  if (sparse) out.x = to_sparse(out.x);
  return out;
}

struct Solved {
  BundleCertificate certificate;
  std::vector<double> weights, scores;
};

Solved solve(const Problem& problem, const SetLoss& loss, double lambda, BundleOptions options = {},
             bool by_rows = false, double bias = 1) {
  const LinearRows rows(problem.x, all_rows(problem.x.rows()), bias);
  const auto space = by_rows ? row_space(rows) : weight_space(rows);
  Bundle bundle(*space, MeasureOracle(loss, problem.truth), options);
  Solved out;
  out.certificate = bundle.solve(lambda, Context());
  out.weights = weights_of(rows, *space, bundle.scorer());
  out.scores.assign(bundle.scores().begin(), bundle.scores().end());
  return out;
}

BundleOptions tight(double tolerance) { return {.tolerance = tolerance, .absolute = 1e-14}; }

TEST(Bundle, WorkedExamples) {
  const Problem problem{.x = Matrix(5, 2, std::vector<double>{0, 1, 1, 0, 1, 1, 2, 1, 0, 0}),
                        .truth = {0, 1, 1, 1, 0}};
  const auto check = [&](SetMeasure measure, double lambda, double objective,
                         std::vector<double> theta) {
    const Solved found = solve(problem, SetLoss(measure), lambda, tight(1e-12));
    EXPECT_NEAR(found.certificate.objective, objective, 1e-10);
    for (std::size_t i = 0; i < theta.size(); ++i) {
      EXPECT_NEAR(found.weights[i], theta[i], 1e-6) << i;
    }
  };
  check(SetMeasure::fbeta, 0.5, 0.0436862245, {0.3928571429, 0, -0.1428571429});
  check(SetMeasure::fbeta, 5, 0.3168209877, {0.2740740741, -0.0018518519, -0.0648148148});
  check(SetMeasure::hamming, 0.5, 0.05, {0.4, 0, -0.2});
  check(SetMeasure::hamming, 5, 0.45, {0.3, 0, -0.1});
}

TEST(Bundle, EqualsThePlainMethod) {
  for (const double beta : {0.3, 1.0, 3.0}) {
    const Problem problem = draw(3, 60, 4);
    const SetLoss loss(SetMeasure::fbeta, beta);
    Matrix x(60, 5, 1.0);
    for (Index i = 0; i < 60; ++i) {
      for (Index j = 0; j < 4; ++j) x(i, j) = problem.x.at(i, j);
    }
    for (const double lambda : {1.0, 60.0}) {
      const auto slow = reference::plain_bundle(
          x, problem.truth, loss, lambda, 1e-7, 3000, [&](const std::vector<double>& scores) {
            return reference::quadratic_oracle(beta * beta, problem.truth, scores);
          });
      const Solved fast = solve(problem, loss, lambda, tight(1e-8));
      EXPECT_TRUE(fast.certificate.converged);
      EXPECT_NEAR(fast.certificate.objective, slow.objective, 1e-6 * slow.objective);
      EXPECT_LE(fast.certificate.lower, slow.objective * (1 + 1e-9));
    }
  }
}

TEST(Bundle, CertifiesItsGapForEveryMeasure) {
  for (const SetMeasure measure :
       {SetMeasure::fbeta, SetMeasure::precision, SetMeasure::recall, SetMeasure::hamming}) {
    for (const bool sparse : {false, true}) {
      const Problem problem = draw(4, 200, 30, sparse, 0.1);
      for (const double cost : {0.01, 1.0, 100.0}) {
        const Solved found = solve(problem, SetLoss(measure), 200 / cost);
        EXPECT_TRUE(found.certificate.converged);
        EXPECT_LE(found.certificate.gap(), 1e-3);
        // The objective equals the objective of the weights, evaluated again.
        MeasureOracle oracle(SetLoss(measure), problem.truth);
        std::vector<double> scores(200);
        LinearRows(problem.x, all_rows(200), 1).dot_rows(found.weights, scores);
        double risk = oracle(scores).value, norm2 = 0;
        for (std::size_t v = 0; v < 200; ++v) risk -= problem.truth[v] != 0 ? scores[v] : 0;
        for (const double w : found.weights) norm2 += w * w;
        EXPECT_NEAR(100 / cost * norm2 + risk, found.certificate.objective, 1e-9);
        const Solved exact = solve(problem, SetLoss(measure), 200 / cost, tight(1e-6));
        EXPECT_LE(exact.certificate.gap(), 1e-6);
        EXPECT_LE(found.certificate.lower, exact.certificate.objective);
        EXPECT_GE(found.certificate.objective, exact.certificate.lower);
      }
    }
  }
}

TEST(Bundle, BothFormsOfTheScorerAgree) {
  const Problem problem = draw(5, 40, 300, true);
  for (const double lambda : {0.4, 40.0}) {
    const Solved a = solve(problem, SetLoss(), lambda, tight(1e-9), false);
    const Solved b = solve(problem, SetLoss(), lambda, tight(1e-9), true);
    EXPECT_NEAR(a.certificate.objective, b.certificate.objective, 1e-8);
    for (std::size_t i = 0; i < a.weights.size(); ++i) {
      EXPECT_NEAR(a.weights[i], b.weights[i], 1e-4);
    }
  }
}

TEST(Bundle, AnIgnoredColumnIsAsGoodAsAbsent) {
  const Problem problem = draw(13, 60, 6, true);
  const std::vector<Id> others = {0, 1, 3, 4, 5};
  const Problem without{.x = take_columns(problem.x, others), .truth = problem.truth};
  const Solved expected = solve(without, SetLoss(), 6, tight(1e-9));
  for (const bool by_rows : {false, true}) {
    const LinearRows rows(problem.x, all_rows(60), 1, 2);
    const auto space = by_rows ? row_space(rows) : weight_space(rows);
    Bundle bundle(*space, MeasureOracle(SetLoss(), problem.truth), tight(1e-9));
    EXPECT_NEAR(bundle.solve(6, Context()).objective, expected.certificate.objective, 1e-8);
    EXPECT_EQ(weights_of(rows, *space, bundle.scorer())[2], 0);
  }
}

TEST(Bundle, WarmStartsFindTheSameAlongCosts) {
  const Problem problem = draw(6, 150, 10);
  const LinearRows rows(problem.x, all_rows(150), 1);
  const auto space = weight_space(rows);
  Bundle warm(*space, MeasureOracle(SetLoss(), problem.truth), tight(1e-6));
  int warm_iterations = 0, cold_iterations = 0;
  for (const double cost : {0.01, 0.1, 1.0, 10.0, 100.0}) {
    const BundleCertificate found = warm.solve(150 / cost, Context());
    const Solved cold = solve(problem, SetLoss(), 150 / cost, tight(1e-6));
    EXPECT_TRUE(found.converged);
    EXPECT_NEAR(found.objective, cold.certificate.objective, 2e-6);
    warm_iterations += found.iterations;
    cold_iterations += cold.certificate.iterations;
  }
  EXPECT_LT(warm_iterations, cold_iterations);
}

TEST(Bundle, KeepsWithinItsMemoryAndStillConverges) {
  const Problem problem = draw(7, 300, 60);
  BundleOptions small = tight(2e-3);
  small.plane_bytes = 0;  // the least number of planes
  const LinearRows rows(problem.x, all_rows(300), 1);
  const auto space = weight_space(rows);
  Bundle bundle(*space, MeasureOracle(SetLoss(), problem.truth), small);
  const BundleCertificate found = bundle.solve(100, Context());
  EXPECT_LE(bundle.planes(), Bundle::capacity(61, small));
  EXPECT_TRUE(found.converged) << found.gap();
  EXPECT_GT(found.iterations, Bundle::capacity(61, small));  // or nothing was merged
  EXPECT_LT(Bundle::bytes(300, 61, small), Bundle::bytes(300, 61, {}));
  const Solved free = solve(problem, SetLoss(), 100);
  EXPECT_NEAR(found.objective, free.certificate.objective, 3e-3 * found.objective);
}

TEST(Bundle, ScalingFeaturesAndLambdaTogetherChangesNoScore) {
  Problem problem = draw(8, 80, 6);
  const Solved plain = solve(problem, SetLoss(), 10, tight(1e-10), false, 1);
  Matrix scaled(problem.x.dense());
  for (Index i = 0; i < scaled.size(); ++i) scaled.data()[i] *= 4;
  problem.x = scaled;
  const Solved other = solve(problem, SetLoss(), 160, tight(1e-10), false, 4);
  EXPECT_NEAR(plain.certificate.objective, other.certificate.objective, 1e-9);
  for (std::size_t v = 0; v < 80; ++v) EXPECT_NEAR(plain.scores[v], other.scores[v], 1e-5);
}

TEST(Bundle, RowOrderDoesNotMatter) {
  const Problem problem = draw(9, 90, 5);
  std::vector<Id> order = all_rows(90);
  Random rng(1, "order");
  rng.shuffle(std::span<Id>(order));
  Problem mixed{.x = take_rows(problem.x, order), .truth = std::vector<char>(90)};
  for (std::size_t v = 0; v < 90; ++v) {
    mixed.truth[v] = problem.truth[at(order[v])];
  }
  const Solved a = solve(problem, SetLoss(), 9, tight(1e-10));
  const Solved b = solve(mixed, SetLoss(), 9, tight(1e-10));
  for (std::size_t i = 0; i < a.weights.size(); ++i) EXPECT_NEAR(a.weights[i], b.weights[i], 1e-4);
}

TEST(Bundle, DuplicatedRowsHalveTheHammingScorer) {
  const Problem problem = draw(10, 50, 4);
  std::vector<Id> twice = all_rows(50);
  twice.insert(twice.end(), twice.begin(), twice.begin() + 50);
  Problem doubled{.x = take_rows(problem.x, twice), .truth = problem.truth};
  doubled.truth.insert(doubled.truth.end(), problem.truth.begin(), problem.truth.end());
  const SetLoss hamming(SetMeasure::hamming);
  const Solved once = solve(problem, hamming, 5, tight(1e-10));
  const Solved both = solve(doubled, hamming, 20, tight(1e-10));
  EXPECT_NEAR(once.certificate.objective, both.certificate.objective, 1e-8);
  for (std::size_t i = 0; i < once.weights.size(); ++i) {
    EXPECT_NEAR(once.weights[i] / 2, both.weights[i], 1e-4);
  }
}

TEST(Bundle, EqualRowsOfBothClassesLeaveNothingToLearn) {
  const Problem problem{.x = Matrix(6, 2, std::vector<double>{1, 2, 1, 2, 3, 1, 3, 1, 0, 1, 0, 1}),
                        .truth = {1, 0, 1, 0, 0, 0}};
  for (const SetMeasure measure : {SetMeasure::fbeta, SetMeasure::precision, SetMeasure::recall}) {
    for (const double lambda : {1e-3, 1.0, 1e3}) {
      const Solved found = solve(problem, SetLoss(measure), lambda, tight(1e-6));
      EXPECT_NEAR(found.certificate.objective, 1, 1e-6);
      for (const double w : found.weights) EXPECT_EQ(w, 0);
    }
  }
}

TEST(Bundle, LabelsWithoutPositivesOrWithoutNegatives) {
  Problem problem = draw(11, 30, 3);
  problem.truth.assign(30, 0);
  Solved found = solve(problem, SetLoss(), 0.03, tight(1e-6));
  EXPECT_TRUE(found.certificate.converged);
  for (const double s : found.scores) EXPECT_LT(s, 0);
  problem.truth.assign(30, 1);
  found = solve(problem, SetLoss(), 0.03, tight(1e-6));
  EXPECT_TRUE(found.certificate.converged);
  for (const double s : found.scores) EXPECT_GT(s, 0);
}

TEST(Bundle, SaysWhenItStopsEarly) {
  BundleOptions options = tight(1e-12);
  options.max_iterations = 3;
  const Solved found = solve(draw(12, 100, 20), SetLoss(), 1, options);
  EXPECT_FALSE(found.certificate.converged);
  EXPECT_EQ(found.certificate.iterations, 3);
  EXPECT_GT(found.certificate.gap(), 1e-12);
}

}  // namespace
}  // namespace mulberry::learners
