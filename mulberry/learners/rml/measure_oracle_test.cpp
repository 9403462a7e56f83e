#include "mulberry/learners/rml/measure_oracle.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "mulberry/core/random.hpp"

namespace mulberry::learners {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

double loss_of(const SetLoss& loss, std::span<const char> truth, std::span<const char> cell) {
  Index positives = 0, p = 0, q = 0;
  for (std::size_t v = 0; v < truth.size(); ++v) {
    positives += truth[v];
    p += truth[v] & cell[v];
    q += (1 - truth[v]) & cell[v];
  }
  return loss.value(count_of(truth), positives, p, q);
}

double value_of(const SetLoss& loss, std::span<const char> truth, std::span<const char> cell,
                std::span<const double> scores) {
  double sum = 0;
  for (std::size_t v = 0; v < cell.size(); ++v) sum += cell[v] != 0 ? scores[v] : 0;
  return loss_of(loss, truth, cell) + sum;
}

double best_of_all(const SetLoss& loss, std::span<const char> truth,
                   std::span<const double> scores) {
  double best = -k_infinity;
  std::vector<char> cell(truth.size());
  for (std::size_t mask = 0; mask < (std::size_t{1} << truth.size()); ++mask) {
    for (std::size_t v = 0; v < cell.size(); ++v) cell[v] = (mask >> v) & 1;
    best = std::max(best, value_of(loss, truth, cell, scores));
  }
  return best;
}

std::vector<SetLoss> all_losses() {
  std::vector<SetLoss> out = {SetLoss(SetMeasure::precision), SetLoss(SetMeasure::recall),
                              SetLoss(SetMeasure::hamming)};
  for (const double beta : {0.01, 0.1, 0.5, 0.9, 1.0, 1.5, 2.0, 10.0, 100.0}) {
    out.emplace_back(SetMeasure::fbeta, beta);
  }
  return out;
}

std::vector<double> draw_scores(Random& rng, std::size_t rows) {
  static constexpr double k_scales[] = {0.02, 0.1, 0.5, 3.0};
  const double scale = k_scales[rng.below(4)];
  const double shift = rng.uniform(-1, 1) * scale;
  const bool coarse = rng.chance(0.2);  // many equal scores, many zeros
  std::vector<double> scores(rows);
  for (double& s : scores) {
    s = shift + scale * rng.normal();
    if (coarse) s = std::round(s / scale) * scale;
  }
  return scores;
}

std::vector<char> draw_truth(Random& rng, std::size_t rows) {
  const double share = static_cast<double>(rng.below(5)) / 4;  // including all zeros and all ones
  std::vector<char> truth(rows);
  for (char& y : truth) y = rng.chance(share) ? 1 : 0;
  return truth;
}

TEST(MeasureOracle, EqualsEnumeration) {
  Random rng(7, "oracle");
  for (const SetLoss& loss : all_losses()) {
    for (int round = 0; round < 400; ++round) {
      const auto rows = at(round < 350 ? rng.below(8) : 9 + rng.below(2));
      const auto scores = draw_scores(rng, rows);
      const auto truth = draw_truth(rng, rows);
      MeasureOracle oracle(loss, truth);
      const Violation found = oracle(scores);
      const double best = best_of_all(loss, truth, scores);
      ASSERT_NEAR(found.value, best, 1e-12) << static_cast<int>(loss.measure()) << " " << round;
      ASSERT_NEAR(value_of(loss, truth, found.cell, scores), best, 1e-12);
      ASSERT_NEAR(loss_of(loss, truth, found.cell), found.loss, 1e-15);
    }
  }
}

// Larger columns: every (p, q) from the sorted lists, without any of the shortcuts.
TEST(MeasureOracle, EqualsAllCountsOnLongerColumns) {
  Random rng(8, "oracle");
  for (const SetLoss& loss : all_losses()) {
    for (int round = 0; round < 30; ++round) {
      const auto rows = at(20 + rng.below(80));
      const auto scores = draw_scores(rng, rows);
      const auto truth = draw_truth(rng, rows);
      std::vector<double> sums[2] = {{}, {}};
      for (std::size_t v = 0; v < rows; ++v) sums[truth[v] != 0].push_back(scores[v]);
      const auto positives = static_cast<Index>(sums[1].size());
      for (auto& list : sums) {
        std::sort(list.begin(), list.end(), std::greater<>());
        std::partial_sum(list.begin(), list.end(), list.begin());
        list.insert(list.begin(), 0.0);
      }
      double best = -k_infinity;
      for (std::size_t p = 0; p < sums[1].size(); ++p) {
        for (std::size_t q = 0; q < sums[0].size(); ++q) {
          best = std::max(best, loss.value(static_cast<Index>(rows), positives,
                                           static_cast<Index>(p), static_cast<Index>(q)) +
                                    sums[1][p] + sums[0][q]);
        }
      }
      MeasureOracle oracle(loss, truth);
      ASSERT_NEAR(oracle(scores).value, best, 1e-11);
    }
  }
}

TEST(MeasureOracle, WorkedExamples) {
  const auto run = [](SetMeasure measure, double beta, std::vector<double> scores,
                      std::vector<char> truth) {
    MeasureOracle oracle(SetLoss(measure, beta), std::move(truth));
    Violation out = oracle(scores);
    out.cell = {};
    return out;
  };
  const auto f1 = run(SetMeasure::fbeta, 1, {0.1, -0.2, 0.3, -0.1}, {1, 1, 0, 0});
  EXPECT_NEAR(f1.value, 1.3, 1e-12);
  EXPECT_EQ(f1.positives, 0);
  EXPECT_EQ(f1.negatives, 1);
  const auto hamming = run(SetMeasure::hamming, 1, {0.1, -0.2, 0.3, -0.1}, {1, 1, 0, 0});
  EXPECT_NEAR(hamming.value, 1.2, 1e-12);
  EXPECT_EQ(hamming.positives, 0);
  EXPECT_EQ(hamming.negatives, 2);
  const auto empty = run(SetMeasure::fbeta, 1, {-0.4, -0.1, -0.7}, {0, 0, 0});
  EXPECT_NEAR(empty.value, 0.9, 1e-12);
  EXPECT_EQ(empty.negatives, 1);
  const auto nothing = run(SetMeasure::fbeta, 1, {-2, -2, -2}, {0, 0, 0});
  EXPECT_EQ(nothing.value, 0);
  EXPECT_EQ(nothing.negatives, 0);
  const auto f2 = run(SetMeasure::fbeta, 2, {0.4, 0.6}, {1, 1});
  EXPECT_NEAR(f2.value, 1.0444444444, 1e-10);
  EXPECT_EQ(f2.positives, 1);
  const auto recall = run(SetMeasure::recall, 1, {0.4, 0.6}, {1, 1});
  EXPECT_NEAR(recall.value, 1.1, 1e-12);
  EXPECT_EQ(recall.positives, 1);
}

TEST(MeasureOracle, LimitsOfBeta) {
  EXPECT_EQ(SetLoss(SetMeasure::fbeta, 0).measure(), SetMeasure::precision);
  EXPECT_EQ(SetLoss(SetMeasure::fbeta, k_infinity).measure(), SetMeasure::recall);
  Random rng(9, "oracle");
  for (int round = 0; round < 200; ++round) {
    auto truth = draw_truth(rng, 12);
    truth[0] = 1;
    const auto scores = draw_scores(rng, 12);
    MeasureOracle nearly(SetLoss(SetMeasure::fbeta, 1e6), truth);
    MeasureOracle recall(SetLoss(SetMeasure::recall), truth);
    EXPECT_NEAR(nearly(scores).value, recall(scores).value, 1e-9);
  }
}

// The bound R(s) = max_z [loss + <z - y, s>] is convex, never negative, above the loss of what the
// scores predict, and 1 at zero for a label with positives (hamming aside).
TEST(MeasureOracle, BoundIsConvexAndAboveTheLoss) {
  Random rng(10, "oracle");
  for (const SetLoss& loss : all_losses()) {
    for (int round = 0; round < 50; ++round) {
      const auto truth = draw_truth(rng, 15);
      MeasureOracle oracle(loss, truth);
      const auto bound = [&](const std::vector<double>& s) {
        double of_truth = 0;
        for (std::size_t v = 0; v < s.size(); ++v) of_truth += truth[v] != 0 ? s[v] : 0;
        return oracle(s).value - of_truth;
      };
      const auto a = draw_scores(rng, 15), b = draw_scores(rng, 15);
      std::vector<double> middle(15);
      std::vector<char> predicted(15);
      for (std::size_t v = 0; v < 15; ++v) {
        middle[v] = (a[v] + b[v]) / 2;
        predicted[v] = loss.selects_ties() ? a[v] >= 0 : a[v] > 0;
      }
      EXPECT_LE(bound(middle), (bound(a) + bound(b)) / 2 + 1e-12);
      EXPECT_GE(bound(a), loss_of(loss, truth, predicted) - 1e-12);
      EXPECT_GE(bound(a), -1e-12);
      if (oracle.positives() > 0 && loss.measure() != SetMeasure::hamming) {
        EXPECT_EQ(bound(std::vector<double>(15, 0.0)), 1);
      }
    }
  }
}

TEST(MeasureOracle, OfEqualScoresTheFirstIsTaken) {
  MeasureOracle oracle(SetLoss(SetMeasure::fbeta, 1), {0, 0, 0});
  const std::vector<double> scores = {-0.5, -0.5, -0.5};
  const Violation found = oracle(scores);
  EXPECT_EQ(std::vector<char>(found.cell.begin(), found.cell.end()), (std::vector<char>{1, 0, 0}));
}

TEST(MeasureOracle, NoRows) {
  for (const SetLoss& loss : all_losses()) {
    MeasureOracle oracle(loss, {});
    EXPECT_EQ(oracle(std::vector<double>{}).value, 0);
  }
}

}  // namespace
}  // namespace mulberry::learners
