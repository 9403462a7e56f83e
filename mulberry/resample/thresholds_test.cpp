#include "mulberry/resample/thresholds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/measures/measures.hpp"

namespace mulberry::resample {
namespace {

struct Input {
  Matrix scores;
  Labels truth;
};

// Small, with ties; with missing cells in odd rounds.
Input random_input(std::uint64_t round, Index most_rows, Index labels) {
  Random rng = Context(1, 21).rng("thresholds", round);
  Matrix y(1 + rng.below(most_rows), labels), scores = y;
  const double density = rng.uniform();
  for (Index k = 0; k < y.size(); ++k) {
    y.data()[k] = rng.chance(density) ? 1 : 0;
    if (round % 2 == 1 && rng.chance(0.2)) {
      y.data()[k] = std::numeric_limits<double>::quiet_NaN();
    }
    scores.data()[k] = static_cast<double>(rng.below(6));
  }
  return {scores, labels_from_dense(y)};
}

double measured(const Input& in, const std::vector<double>& cuts, const char* name, double beta) {
  const Labels decided = Thresholds{CutMethod::fixed, cuts, 0}.apply(in.scores, Context());
  const double value =
      measure(name, in.truth, {.decided = &decided}, {.beta = beta}, Context()).value;
  return std::isnan(value) ? 0 : value;
}

// The greatest value over all cuts: every label its own, or one for all.
double best_of_all(const Input& in, const char* name, double beta, bool global) {
  std::set<double> candidates = {1e9};
  for (Index k = 0; k < in.scores.size(); ++k) candidates.insert(in.scores.data()[k]);
  std::vector<double> cuts(at(in.scores.cols()));
  double best = 0;
  const std::function<void(std::size_t)> choose = [&](std::size_t l) {
    if (l == cuts.size()) {
      best = std::max(best, measured(in, cuts, name, beta));
      return;
    }
    for (const double c : candidates) {
      cuts[l] = c;
      if (global) std::fill(cuts.begin(), cuts.end(), c);
      choose(global ? cuts.size() : l + 1);
    }
  };
  choose(0);
  return best;
}

TEST(Thresholds, ReachTheGreatestMacroAndMicroF) {
  for (std::uint64_t round = 0; round < 30; ++round) {
    Input in = random_input(round, 8, 2);
    const double beta = round % 3 == 0 ? 2 : 1;
    for (const bool global : {false, true}) {
      for (const CutMethod method : {CutMethod::macro_f, CutMethod::micro_f}) {
        const char* name = method == CutMethod::macro_f ? "macro_fbeta" : "micro_fbeta";
        const Thresholds found = learn_thresholds(
            in.scores, in.truth, {.method = method, .global = global, .beta = beta}, Context());
        EXPECT_NEAR(measured(in, found.cut, name, beta), best_of_all(in, name, beta, global), 1e-12)
            << name << (global ? " global " : " ") << round;
      }
    }
  }
}

TEST(Thresholds, CardinalityIsAsNearAsTiesAllow) {
  for (std::uint64_t round = 0; round < 40; ++round) {
    const Input in = random_input(round, 12, 3);
    for (const bool global : {false, true}) {
      const Thresholds found = learn_thresholds(
          in.scores, in.truth, {.method = CutMethod::lcard, .global = global}, Context());
      const Labels decided = found.apply(in.scores, Context());
      for (Index l = 0; l < (global ? 1 : 3); ++l) {
        // For the label or for all labels: decided and true observed cells, and the smallest
        // difference that any cut gives.
        std::set<double> candidates = {1e9};
        double positives = 0, ours = 0;
        for (Index i = 0; i < in.truth.rows(); ++i) {
          for (Index j = global ? 0 : l; j < (global ? 3 : l + 1); ++j) {
            if (in.truth.cell(i, j) == Cell::missing) continue;
            candidates.insert(in.scores(i, j));
            positives += in.truth.cell(i, j) == Cell::positive;
            ours += decided.cell(i, j) == Cell::positive;
          }
        }
        double least = 1e9;
        for (const double c : candidates) {
          double taken = 0;
          for (Index i = 0; i < in.truth.rows(); ++i) {
            for (Index j = global ? 0 : l; j < (global ? 3 : l + 1); ++j) {
              taken += in.truth.cell(i, j) != Cell::missing && in.scores(i, j) >= c;
            }
          }
          least = std::min(least, std::abs(taken - positives));
        }
        if (candidates.size() > 1) {
          EXPECT_EQ(std::abs(ours - positives), least) << round;
        }
      }
    }
  }
}

TEST(Thresholds, RowRules) {
  const Matrix s(2, 4, std::vector<double>{.9, .8, .2, .1, .5, .1, .5, .5});
  const Labels y(4, {{0, 1}, {0}});
  const Context ctx;
  const Thresholds rcut = learn_thresholds(s, y, {.method = CutMethod::rcut}, ctx);
  EXPECT_EQ(rcut.k, 2);
  EXPECT_EQ(rcut.apply(s, ctx), Labels(4, {{0, 1}, {0, 2}}));
  const Thresholds mcut = learn_thresholds(s, y, {.method = CutMethod::mcut}, ctx);
  EXPECT_EQ(mcut.apply(s, ctx), Labels(4, {{0, 1}, {0, 2, 3}}));
  // Margins may all be below 0, and further from it than from each other.
  const Matrix low(1, 4, std::vector<double>{-10, -9.5, -9.4, -10.1});
  EXPECT_EQ(mcut.apply(low, ctx), Labels(4, {{1, 2}}));
  const Thresholds fixed = learn_thresholds(s, y, {.cut = 0.5}, ctx);
  EXPECT_EQ(fixed.apply(s, ctx), Labels(4, {{0, 1}, {0, 2, 3}}));
}

TEST(Thresholds, ScutHoldsRareLabelsBack) {
  // Label 0 is separable; the one positive of label 1 has the lowest score of 40: F1 is 2/41.
  Matrix s(40, 2);
  std::vector<std::vector<Id>> rows(40);
  for (Index i = 0; i < 40; ++i) {
    s(i, 0) = s(i, 1) = static_cast<double>(i);
    if (i >= 30) rows[at(i)].push_back(0);
  }
  rows[0].push_back(1);
  const Labels y(2, rows);
  const Thresholds found = learn_thresholds(s, y, {.method = CutMethod::scut}, Context());
  EXPECT_DOUBLE_EQ(found.cut[0], 29.5);
  EXPECT_DOUBLE_EQ(found.cut[1], 39);
}

TEST(Thresholds, MostExpectedF1MatchesAllSubsetsAndOutcomes) {
  for (std::uint64_t round = 0; round < 60; ++round) {
    Random rng = Context(1, 5).rng("expected", round);
    const auto n = static_cast<unsigned>(1 + rng.below(6));
    std::vector<double> p;
    for (unsigned l = 0; l < n; ++l)
      p.push_back(round % 4 == 0 ? 0.2 * rng.uniform() : rng.uniform());
    const auto expected_f = [&](unsigned decided) {
      double sum = 0;
      for (unsigned y = 0; y < 1U << n; ++y) {
        double chance = 1, tp = 0, size = 0;
        for (unsigned l = 0; l < n; ++l) {
          const bool is = (y >> l & 1U) != 0, has = (decided >> l & 1U) != 0;
          chance *= is ? p[l] : 1 - p[l];
          tp += is && has;
          size += is + has;
        }
        sum += chance * (size > 0 ? 2 * tp / size : 1);
      }
      return sum;
    };
    double best = 0;
    for (unsigned d = 0; d < 1U << n; ++d) best = std::max(best, expected_f(d));
    unsigned found = 0;
    for (const Id l : most_expected_f1(p)) found |= 1U << l;
    EXPECT_NEAR(expected_f(found), best, 1e-12) << round;
  }
}

TEST(Thresholds, LabelsWithoutObservedCellsKeepTheGivenCut) {
  const Matrix s(2, 1, 0.3);
  const Labels y(1, {{}, {}}, {{0}, {0}});
  for (const CutMethod method :
       {CutMethod::lcard, CutMethod::scut, CutMethod::macro_f, CutMethod::micro_f}) {
    EXPECT_EQ(learn_thresholds(s, y, {.method = method, .cut = 0.25}, Context()).cut[0], 0.25);
  }
}

// Weights give the cuts that repeated rows give.
TEST(Thresholds, WeightsAreNumbersOfRows) {
  Random random(5, "weighted cuts");
  for (int run = 0; run < 20; ++run) {
    std::vector<double> s, many_s, weights;
    std::vector<std::vector<Id>> y, many_y, gaps, many_gaps;
    for (int i = 0; i < 12; ++i) {
      const double row[] = {random.uniform(), random.uniform(), random.uniform()};
      std::vector<Id> positives, missing;
      for (Id l = 0; l < 3; ++l) {
        if (random.chance(0.15)) {
          missing.push_back(l);
        } else if (random.chance(row[l])) {
          positives.push_back(l);
        }
      }
      weights.push_back(static_cast<double>(1 + random.below(4)));
      for (int copy = 0; copy < static_cast<int>(weights.back()); ++copy) {
        many_s.insert(many_s.end(), std::begin(row), std::end(row));
        many_y.push_back(positives);
        many_gaps.push_back(missing);
      }
      s.insert(s.end(), std::begin(row), std::end(row));
      y.push_back(positives);
      gaps.push_back(missing);
    }
    const Matrix scores(12, 3, std::move(s));
    const Matrix many(static_cast<Index>(many_y.size()), 3, std::move(many_s));
    for (const CutMethod method : {CutMethod::lcard, CutMethod::rcut, CutMethod::scut,
                                   CutMethod::macro_f, CutMethod::micro_f}) {
      for (const bool global : {false, true}) {
        const ThresholdOptions options{.method = method, .global = global};
        const Thresholds found =
            learn_thresholds(scores, Labels(3, y, gaps), options, Context(), weights);
        const Thresholds expected =
            learn_thresholds(many, Labels(3, many_y, many_gaps), options, Context());
        EXPECT_EQ(found.cut, expected.cut) << static_cast<int>(method);
        EXPECT_EQ(found.k, expected.k) << static_cast<int>(method);
      }
    }
  }
}

TEST(Thresholds, RcutCountsObservedCells) {
  // Labels have shares of 1 and 1/2 among what is known: 1.5 labels in a row, 2 when rounded; as if
  // unknown cells were no, it would be 1.
  const Labels y(2, {{0, 1}, {0}, {}, {}}, {{}, {}, {0, 1}, {0, 1}});
  EXPECT_EQ(learn_thresholds(Matrix(4, 2), y, {.method = CutMethod::rcut}, Context()).k, 2);
}

// Label 0 has four positives, the four best scores; label 1 has one, behind three other rows. By
// itself label 1 is decided four times. With shrink = 4: ln(decided per positive) is 0 and ln 4,
// the common one (4 x 0 + 1 x ln 4) / 5, so for label 1 (ln 4 + 4/5 ln 4) / 5 = 0.36 ln 4: 1.65
// decided rows, hence 2, and for label 0 (0 + 4/5 ln 4) / 2 / 4 = 0.1 ln 4: 4.6 rows, hence 5.
TEST(Thresholds, CutsOfRareLabelsAreDrawnTowardsTheOthers) {
  Matrix scores(10, 2), y(10, 2);
  for (Index i = 0; i < 10; ++i) {
    scores(i, 0) = scores(i, 1) = static_cast<double>(-i);
    y(i, 0) = i < 4 ? 1 : 0;
    y(i, 1) = i == 3 ? 1 : 0;
  }
  const Labels truth = labels_from_dense(y);
  const auto cuts = [&](double shrink) {
    return learn_thresholds(scores, truth, {.method = CutMethod::macro_f, .shrink = shrink},
                            Context())
        .cut;
  };
  EXPECT_EQ(cuts(0), (std::vector<double>{-3.5, -3.5}));
  EXPECT_EQ(cuts(4), (std::vector<double>{-4.5, -1.5}));
  EXPECT_EQ(cuts(1e9)[1], -0.5) << "as often as the common share says: 1.3 rows";
  // A row of weight 2 is two rows.
  std::vector<double> weights(10, 1.0);
  weights[0] = 2;
  Matrix more_scores(11, 2), more_y(11, 2);
  for (Index i = 0; i < 11; ++i) {
    for (Index l = 0; l < 2; ++l) {
      more_scores(i, l) = scores(std::max<Index>(i - 1, 0), l);
      more_y(i, l) = y(std::max<Index>(i - 1, 0), l);
    }
  }
  const ThresholdOptions options{.method = CutMethod::macro_f, .shrink = 4};
  EXPECT_EQ(learn_thresholds(scores, truth, options, Context(), weights).cut,
            learn_thresholds(more_scores, labels_from_dense(more_y), options, Context()).cut);
}

}  // namespace
}  // namespace mulberry::resample
