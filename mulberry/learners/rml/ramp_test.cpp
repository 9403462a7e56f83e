#include "mulberry/learners/rml/ramp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"

namespace mulberry::learners {
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

// Labels that the features know little about: about a third of the rows, at least one of each kind.
Problem draw(std::uint64_t seed, Index n, Index d) {
  Random rng(seed, "ramp");
  Matrix x(n, d);
  std::vector<char> truth(at(n), 0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) x(i, j) = rng.normal();
    truth[at(i)] = 0.3 * x(i, 0) + rng.normal() > 0.5 ? 1 : 0;
  }
  truth[0] = 1;
  truth[1] = 0;
  return {.x = std::move(x), .truth = std::move(truth)};
}

std::vector<char> labelling(std::uint64_t bits, std::size_t rows) {
  std::vector<char> out(rows);
  for (std::size_t v = 0; v < rows; ++v) out[v] = (bits >> v) & 1;
  return out;
}

double product(const std::vector<char>& z, std::span<const double> scores) {
  double out = 0;
  for (std::size_t v = 0; v < z.size(); ++v) out += static_cast<double>(z[v]) * scores[v];
  return out;
}

double loss_of(const SetLoss& loss, const std::vector<char>& z, const std::vector<char>& truth) {
  Index positives = 0, p = 0, q = 0;
  for (std::size_t v = 0; v < z.size(); ++v) {
    positives += truth[v];
    p += z[v] & truth[v];
    q += z[v] & ~truth[v];
  }
  return loss.value(count_of(z), positives, p, q);
}

// J by its definition: both maxima over all labellings.
double slow_objective(const SetLoss& loss, const std::vector<char>& truth,
                      std::span<const double> scores, double norm2, double lambda) {
  double up = -std::numeric_limits<double>::infinity(), down = up;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << truth.size(); ++bits) {
    const std::vector<char> z = labelling(bits, truth.size());
    up = std::max(up, loss_of(loss, z, truth) + product(z, scores));
    down = std::max(down, product(z, scores));
  }
  return 0.5 * lambda * norm2 + up - down;
}

constexpr BundleOptions k_tight = {.tolerance = 1e-9, .absolute = 1e-13};

class RampOf : public testing::TestWithParam<SetMeasure> {};
INSTANTIATE_TEST_SUITE_P(Measures, RampOf,
                         testing::Values(SetMeasure::fbeta, SetMeasure::precision,
                                         SetMeasure::recall, SetMeasure::hamming));

// The last maximum of J is the least upper bound of its planes <a, s>, so the least value of J is
// the least over all labellings a of the convex problems with the anchor a.
TEST_P(RampOf, EnumeratedOnSmallProblems) {
  const SetLoss loss(GetParam());
  int reached = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Problem problem = draw(seed, 7, 2);
    const double lambda = seed % 2 == 0 ? 0.5 : 0.02;
    const LinearRows rows(problem.x, all_rows(7), 1);
    const auto space = weight_space(rows);
    const auto convex = [&](const std::vector<char>& anchor) {
      Bundle bundle(*space, MeasureOracle(loss, problem.truth), k_tight);
      bundle.anchor_at(anchor);
      return bundle.solve(lambda, Context()).objective;
    };
    double least = std::numeric_limits<double>::infinity();
    std::vector<char> best;
    for (std::uint64_t bits = 0; bits < 128; ++bits) {
      const double value = convex(labelling(bits, 7));
      if (value < least) {
        least = value;
        best = labelling(bits, 7);
      }
    }
    const auto descend = [&](std::vector<char> start) {
      Bundle bundle(*space, MeasureOracle(loss, problem.truth), k_tight);
      const RampPath path =
          descend_ramp(bundle, std::move(start), lambda,
                       {.tolerance = 1e-9, .select_ties = loss.selects_ties()}, Context());
      double norm2 = 0;
      for (const double w : path.scorer) norm2 += w * w;
      std::vector<double> scores(7);
      space->scores(path.scorer, scores);
      EXPECT_NEAR(path.objective.back(), slow_objective(loss, problem.truth, scores, norm2, lambda),
                  1e-10);
      for (std::size_t k = 1; k < path.objective.size(); ++k) {
        EXPECT_LE(path.objective[k], path.objective[k - 1] + 1e-10) << "step " << k;
      }
      EXPECT_TRUE(path.converged);
      return path.objective.back();
    };
    EXPECT_NEAR(descend(best), least, 1e-7) << "from the labelling of the optimum";
    const double found = descend(problem.truth);
    EXPECT_GE(found, least - 1e-7);
    EXPECT_LE(found, convex(problem.truth) + 1e-9) << "the convex bound is above";
    reached += found < least + 1e-6 ? 1 : 0;
  }
  EXPECT_GE(reached, 1);
}

TEST_P(RampOf, TheFirstStepFromTheTruthIsTheConvexBound) {
  const Problem problem = draw(9, 80, 5);
  const LinearRows rows(problem.x, all_rows(80), 1);
  const auto space = weight_space(rows);
  Bundle plain(*space, MeasureOracle(SetLoss(GetParam()), problem.truth), k_tight);
  const BundleCertificate certificate = plain.solve(4, Context());
  Bundle bundle(*space, MeasureOracle(SetLoss(GetParam()), problem.truth), k_tight);
  const RampPath one = descend_ramp(bundle, problem.truth, 4, {.max_steps = 1}, Context());
  EXPECT_EQ(one.scorer, std::vector<double>(plain.scorer().begin(), plain.scorer().end()));
  EXPECT_EQ(one.lower, certificate.lower);
  ASSERT_EQ(one.objective.size(), 1u);
  EXPECT_LE(one.objective[0], certificate.objective);
}

// R of the tighter bound is never below the loss of the prediction, and never above the convex one.
TEST_P(RampOf, LiesBetweenTheLossAndTheConvexBound) {
  const SetLoss loss(GetParam());
  Random rng(5, "between");
  for (int round = 0; round < 200; ++round) {
    const Problem problem = draw(static_cast<std::uint64_t>(round), 6, 1);
    std::vector<double> scores(6);
    for (double& s : scores) s = rng.normal() * (round % 3 == 0 ? 1 : 0.1);
    std::vector<char> predicted(6);
    for (std::size_t v = 0; v < 6; ++v) predicted[v] = scores[v] > 0 ? 1 : 0;
    const double tight = slow_objective(loss, problem.truth, scores, 0, 1);
    EXPECT_GE(tight, loss_of(loss, predicted, problem.truth) - 1e-12);
    EXPECT_LE(tight, MeasureOracle(loss, problem.truth)(scores).value -
                         product(problem.truth, scores) + 1e-12);
  }
}

TEST(Ramp, PlanesMoveWithTheAnchor) {
  const Problem problem = draw(21, 60, 70);
  const LinearRows rows(problem.x, all_rows(60), 1);
  std::vector<char> other(60, 0);
  for (std::size_t v = 0; v < 60; v += 2) other[v] = 1;
  for (const bool by_rows : {false, true}) {
    const auto space = by_rows ? row_space(rows) : weight_space(rows);
    const auto fresh = [&](const std::vector<char>& anchor) {
      Bundle bundle(*space, MeasureOracle(SetLoss(), problem.truth), k_tight);
      bundle.anchor_at(anchor);
      return bundle.solve(6, Context()).objective;
    };
    Bundle bundle(*space, MeasureOracle(SetLoss(), problem.truth), k_tight);
    for (const auto& anchor : {problem.truth, other, std::vector<char>(60, 1), problem.truth}) {
      bundle.anchor_at(anchor);
      const BundleCertificate found = bundle.solve(6, Context());
      EXPECT_NEAR(found.objective, fresh(anchor), 1e-8);
      EXPECT_LE(found.lower, found.objective);
      EXPECT_TRUE(found.converged);
    }
  }
}

TEST(Ramp, ALabelWithoutAConvexScorerGetsOne) {
  // Rows twice with the label and once without it, or the other way round: the convex optimum for
  // F1 of the rare kind is 0.
  Matrix x(14, 1);
  std::vector<char> truth(14, 0);
  for (Index i = 0; i < 14; ++i) {
    x(i, 0) = i < 3 ? 1 : -1;
    truth[at(i)] = i < 2 || i == 3 ? 1 : 0;
  }
  const Features features = std::move(x);
  const LinearRows rows(features, all_rows(14), 1);
  const auto space = weight_space(rows);
  const SetLoss loss;
  std::vector<char> start(14, 0);
  std::fill(start.begin(), start.begin() + 3, char{1});
  Bundle bundle(*space, MeasureOracle(loss, truth), k_tight);
  const RampPath path = descend_ramp(bundle, start, 1e-4, {}, Context());
  const auto scores = bundle.scores();
  for (std::size_t v = 0; v < 14; ++v) EXPECT_EQ(scores[v] > 0, v < 3) << v;
  EXPECT_NEAR(path.objective.back(), 1 - 2.0 * 2 / (3 + 3), 0.01);
}

}  // namespace
}  // namespace mulberry::learners
