#include "mulberry/resample/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::resample {
namespace {

struct Input {
  Matrix scores;
  Labels truth;
};

Input random_input(std::uint64_t round, Index n) {
  Random rng = Context(1, 31).rng("calibration", round);
  Input in;
  in.scores = Matrix(n, 2);
  std::vector<std::vector<Id>> rows(at(n)), missing(rows);
  for (Index i = 0; i < n; ++i) {
    for (Id l = 0; l < 2; ++l) {
      const double s = 2 * rng.normal();
      in.scores(i, l) = round % 2 == 0 ? std::floor(2 * s) / 2 : s;
      if (rng.chance(0.1)) {
        missing[at(i)].push_back(l);
      } else if (rng.chance(1 / (1 + std::exp(1 - 1.5 * s)))) {
        rows[at(i)].push_back(l);
      }
    }
  }
  in.truth = Labels(2, rows, missing);
  return in;
}

double platt_loss(const Input& in, Index l, double a, double b) {
  double positives = 0, negatives = 0, loss = 0;
  for (Index i = 0; i < in.scores.rows(); ++i) {
    positives += in.truth.cell(i, l) == Cell::positive;
    negatives += in.truth.cell(i, l) == Cell::negative;
  }
  for (Index i = 0; i < in.scores.rows(); ++i) {
    if (in.truth.cell(i, l) == Cell::missing) continue;
    const double t = in.truth.cell(i, l) == Cell::positive ? (positives + 1) / (positives + 2)
                                                           : 1 / (negatives + 2);
    const double p = 1 / (1 + std::exp(a * in.scores(i, l) + b));
    loss -= t * std::log(p) + (1 - t) * std::log(1 - p);
  }
  return loss;
}

TEST(Platt, NoOtherLineIsMoreLikely) {
  for (std::uint64_t round = 0; round < 10; ++round) {
    const Input in = random_input(round, 80);
    const Calibration found =
        learn_calibration(in.scores, in.truth, CalibrationMethod::platt, Context(2));
    for (Index l = 0; l < 2; ++l) {
      const double a = found.a[at(l)], b = found.b[at(l)];
      const double loss = platt_loss(in, l, a, b);
      for (const double step : {1e-4, 1e-2, 1.0}) {
        EXPECT_LE(loss, platt_loss(in, l, a + step, b) + 1e-12);
        EXPECT_LE(loss, platt_loss(in, l, a - step, b) + 1e-12);
        EXPECT_LE(loss, platt_loss(in, l, a, b + step) + 1e-12);
        EXPECT_LE(loss, platt_loss(in, l, a, b - step) + 1e-12);
      }
      EXPECT_NEAR(found.apply(0.7, l), 1 / (1 + std::exp(0.7 * a + b)), 1e-15);
    }
  }
}

TEST(Platt, AHigherScoreIsNeverLessProbable) {
  for (std::uint64_t round = 0; round < 10; ++round) {
    Input in = random_input(round, 80);
    for (Index k = 0; k < in.scores.size(); ++k) in.scores.data()[k] *= -1;  // the wrong way round
    const Calibration found =
        learn_calibration(in.scores, in.truth, CalibrationMethod::platt, Context());
    for (Index l = 0; l < 2; ++l) {
      EXPECT_EQ(found.a[at(l)], 0);
      const double b = found.b[at(l)], loss = platt_loss(in, l, 0, b);
      for (const double step : {-1.0, -1e-3, 1e-3, 1.0}) {
        EXPECT_LE(loss, platt_loss(in, l, 0, b + step));
        EXPECT_LE(loss, platt_loss(in, l, -std::abs(step), b));
      }
    }
  }
}

TEST(Platt, OneClassAndNoCells) {
  const Matrix s(3, 2, std::vector<double>{1, 1, 2, 2, 3, 3});
  const Labels y(2, {{0}, {0}, {0}}, {{1}, {1}, {1}});
  for (const auto method : {CalibrationMethod::platt, CalibrationMethod::isotonic}) {
    const Matrix p = learn_calibration(s, y, method, Context()).apply(s, Context());
    EXPECT_GT(p(0, 0), 0.7);
    EXPECT_LE(p(0, 0), 1);
    EXPECT_DOUBLE_EQ(p(0, 1), 0.5);
  }
}

TEST(Isotonic, IsTheMaxMinOfMeans) {
  for (std::uint64_t round = 0; round < 20; ++round) {
    const Input in = random_input(round, 30);
    const Calibration found =
        learn_calibration(in.scores, in.truth, CalibrationMethod::isotonic, Context());
    for (Index l = 0; l < 2; ++l) {
      std::vector<std::pair<double, double>> cells;  // score, truth
      for (Index i = 0; i < in.scores.rows(); ++i) {
        if (in.truth.cell(i, l) == Cell::missing) continue;
        cells.emplace_back(in.scores(i, l), in.truth.cell(i, l) == Cell::positive ? 1 : 0);
      }
      // The fit at s: max over lower ends of min over upper ends of the mean between them.
      for (const auto& cell : cells) {
        const double s = cell.first;
        double most = 0;
        for (const auto& from : cells) {
          const double low = from.first;
          if (low > s) continue;
          double least = 1;
          for (const auto& to : cells) {
            const double high = to.first;
            if (high < s) continue;
            double sum = 0, count = 0;
            for (const auto& [score, y] : cells) {
              if (score < low || score > high) continue;
              sum += y;
              count += 1;
            }
            least = std::min(least, sum / count);
          }
          most = std::max(most, least);
        }
        EXPECT_NEAR(found.apply(s, l), most, 1e-12) << round;
      }
    }
  }
}

TEST(Isotonic, LinearBetweenAndConstantOutside) {
  const Matrix s(4, 1, std::vector<double>{0, 1, 3, 4});
  const Labels y(1, {{}, {}, {0}, {0}});
  const Calibration found = learn_calibration(s, y, CalibrationMethod::isotonic, Context());
  EXPECT_DOUBLE_EQ(found.apply(-5, 0), 0);
  EXPECT_DOUBLE_EQ(found.apply(1.5, 0), 0.25);
  EXPECT_DOUBLE_EQ(found.apply(2, 0), 0.5);
  EXPECT_DOUBLE_EQ(found.apply(9, 0), 1);
}

TEST(Calibration, WeightsAreNumbersOfRows) {
  Random random(6, "weighted calibration");
  std::vector<double> s, many_s, weights;
  std::vector<std::vector<Id>> y, many_y, gaps, many_gaps;
  for (int i = 0; i < 30; ++i) {
    const double score = random.normal();
    const bool gap = random.chance(0.1);
    const std::vector<Id> missing(gap ? 1 : 0, 0);
    const std::vector<Id> positives(!gap && random.chance(score > 0 ? 0.8 : 0.3) ? 1 : 0, 0);
    weights.push_back(static_cast<double>(1 + random.below(3)));
    s.push_back(score);
    y.push_back(positives);
    gaps.push_back(missing);
    for (int copy = 0; copy < static_cast<int>(weights.back()); ++copy) {
      many_s.push_back(score);
      many_y.push_back(positives);
      many_gaps.push_back(missing);
    }
  }
  const Matrix scores(30, 1, s);
  const Matrix many(static_cast<Index>(many_y.size()), 1, std::move(many_s));
  for (const auto method : {CalibrationMethod::platt, CalibrationMethod::isotonic}) {
    const Matrix expected = learn_calibration(many, Labels(1, many_y, many_gaps), method, Context())
                                .apply(scores, Context());
    const Labels truth(1, y, gaps);
    const Matrix found =
        learn_calibration(scores, truth, method, Context(), weights).apply(scores, Context());
    const Matrix plain =
        learn_calibration(scores, truth, method, Context()).apply(scores, Context());
    double moved = 0;
    for (Index i = 0; i < 30; ++i) {
      EXPECT_NEAR(found(i, 0), expected(i, 0), 1e-9) << static_cast<int>(method);
      moved = std::max(moved, std::abs(found(i, 0) - plain(i, 0)));
    }
    EXPECT_GT(moved, 1e-3) << static_cast<int>(method);
  }
}

}  // namespace
}  // namespace mulberry::resample
