#include "mulberry/learners/mlr/pair_machine.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace mulberry::learners {
namespace {

// A kernel matrix with what it refers to.
struct Given {
  Features x;
  KernelMatrix values;
  explicit Given(Matrix k, KernelStorage storage = KernelStorage::f64)
      : x(std::move(k)), values({.kind = KernelKind::precomputed}, x, storage, Context()) {}
};

PairMachine train(MatrixView k, const Labels& y, const PairSettings& settings,
                  const PairMachine* start = nullptr, int threads = 1) {
  const Given given{Matrix(k)};
  KernelPairScores scores(given.values, PairPrecision::full);
  return train_pairs(scores, y, settings, Context(threads), start);
}

// The primal value of any A.
double objective(MatrixView k, const Labels& y, MatrixView a, PairLoss loss, double C) {
  Matrix f(k.rows(), a.cols());
  blas::gemm(1, blas::block(k), blas::Op::plain, blas::block(a), blas::Op::plain, 0,
             blas::block(f));
  const Matrix truth = to_dense(y);
  double out = 0.5 * blas::dot(a.values(), f.values());
  for (Index i = 0; i < k.rows(); ++i) {
    std::vector<double> assigned, unassigned;
    for (Index l = 0; l < a.cols(); ++l) {
      if (truth(i, l) == 1) assigned.push_back(f(i, l));
      if (truth(i, l) == 0) unassigned.push_back(f(i, l));  // neither, if it is missing
    }
    out += C * pair_loss(loss, {.assigned = assigned, .unassigned = unassigned});
  }
  return out;
}

Matrix random_points(Index rows, Index cols, std::uint64_t seed) {
  Random rng(seed, "points");
  Matrix out(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) out(i, j) = rng.normal();
  }
  return out;
}

Matrix rbf(MatrixView points, double gamma) {
  Matrix out(points.rows(), points.rows());
  const Features x(points);
  KernelBlocks({.kind = KernelKind::rbf, .gamma = gamma}, x, x).fill(0, 0, blas::block(out));
  return out;
}

// Labels that depend on the points, some rows with none or all, some cells missing if requested.
Labels labels_of(MatrixView points, Index labels, std::uint64_t seed, double missing = 0) {
  Random rng(seed, "labels");
  const Matrix w = random_points(labels, points.cols(), seed + 100);
  std::vector<std::vector<Id>> yes, unknown;
  for (Index i = 0; i < points.rows(); ++i) {
    auto& here = yes.emplace_back();
    auto& open = unknown.emplace_back();
    for (Id l = 0; l < static_cast<Id>(labels); ++l) {
      const bool on = blas::dot(points.row(i), w.row(l)) + 0.5 * rng.normal() > 0.5;
      if (missing > 0 && rng.chance(missing)) {
        open.push_back(l);
      } else if (on) {
        here.push_back(l);
      }
    }
  }
  if (missing == 0) return {labels, yes};
  return {labels, yes, unknown};
}

Labels one_label_each(Index rows, Index labels, std::uint64_t seed) {
  Random rng(seed, "labels");
  std::vector<std::vector<Id>> yes;
  for (Index i = 0; i < rows; ++i) yes.push_back({static_cast<Id>(rng.below(labels))});
  return {labels, yes};
}

double largest_difference(MatrixView a, MatrixView b) {
  double out = 0;
  for (Index k = 0; k < a.size(); ++k) out = std::max(out, std::abs(a.data()[k] - b.data()[k]));
  return out;
}

// The method literally: row by row, pair by pair.
Matrix plain_sweeps(MatrixView k, const Labels& y, PairLoss loss, double C, double eta,
                    Index sweeps) {
  const Index n = k.rows(), m = y.count();
  Matrix a(n, m);
  for (Index s = 0; s < sweeps; ++s) {
    for (Index i = 0; i < n; ++i) {
      std::vector<double> f(at(m));
      for (Index l = 0; l < m; ++l) {
        for (Index j = 0; j < n; ++j) {
          if (j != i) f[at(l)] += k(i, j) * a(j, l);
        }
      }
      std::vector<Index> up, down;
      for (Index l = 0; l < m; ++l) {
        if (y.cell(i, l) == Cell::positive) up.push_back(l);
        if (y.cell(i, l) == Cell::negative) down.push_back(l);
      }
      for (Index l = 0; l < m; ++l) a(i, l) = 0;
      if (up.empty() || down.empty()) continue;
      const auto score = [&](Index l) { return f[at(l)]; };
      if (loss == PairLoss::group) {
        for (const Index l : down) {
          double squares = 0;
          for (const Index u : up) {
            squares += std::pow(std::max(0.0, (1 - score(u) + score(l)) / 2), 2);
          }
          if (squares == 0) continue;
          for (const Index u : up) {
            const double h = std::max(0.0, (1 - score(u) + score(l)) / 2);
            const double gamma = h / std::max(C * k(i, i) * eta, std::sqrt(squares));
            a(i, u) += C * gamma;
            a(i, l) -= C * gamma;
          }
        }
        continue;
      }
      // The multiplier by bisection.
      double low = -1e6, high = 1e6;
      const auto alpha = [&](Index l, bool assigned, double lambda) {
        const double sign = assigned ? 1 : -1;
        const double most = C * static_cast<double>(assigned ? down.size() : up.size());
        return std::clamp((0.5 - sign * score(l) - sign * lambda) / k(i, i), 0.0, most);
      };
      for (int round = 0; round < 200; ++round) {
        const double lambda = (low + high) / 2;
        double sum = 0;
        for (const Index l : up) sum += alpha(l, true, lambda);
        for (const Index l : down) sum -= alpha(l, false, lambda);
        (sum > 0 ? low : high) = lambda;
      }
      for (const Index l : up) a(i, l) = alpha(l, true, low);
      for (const Index l : down) a(i, l) = -alpha(l, false, low);
    }
  }
  return a;
}

const Matrix k_golden_kernel(4, 4,
                             std::vector<double>{1, .5, .25, .1, .5, 1, .5, .25, .25, .5, 1, .5, .1,
                                                 .25, .5, 1});
const Labels k_golden_labels(3, {{0}, {0, 1}, {1}, {2}});

TEST(PairMachine, BlocksGiveThePlainSweep) {
  const Matrix points = random_points(90, 4, 1);
  const Matrix k = rbf(points, 0.2);
  for (const double missing : {0.0, 0.2}) {
    const Labels y = labels_of(points, 9, 2, missing);
    for (const PairLoss loss : {PairLoss::group, PairLoss::sum}) {
      for (const double C : {0.01, 0.3, 5.0}) {
        const Matrix plain = plain_sweeps(k, y, loss, C, 2, 3);
        for (const Index block : {1, 7, 40, 64, 256}) {
          const PairMachine found = train(
              k, y, {.loss = loss, .C = C, .eta = 2, .tolerance = 0, .sweeps = 3, .block = block});
          EXPECT_LT(largest_difference(found.a, plain), 1e-10)
              << "C=" << C << " block=" << block << " missing=" << missing;
        }
      }
    }
  }
}

TEST(PairMachine, GoldenExactValues) {
  for (const auto& [C, value] : {std::pair{0.1, 0.6513147545}, std::pair{1.0, 1.7893647262}}) {
    const PairMachine found = train(k_golden_kernel, k_golden_labels,
                                    {.exact = true, .C = C, .tolerance = 1e-11, .sweeps = 5000});
    EXPECT_TRUE(found.converged);
    EXPECT_NEAR(found.primal, value, 1e-9);
    EXPECT_NEAR(found.duals.back(), value, 1e-9);
  }
}

TEST(PairMachine, GoldenApproximateValues) {
  const PairSettings settings = {.C = 0.1, .eta = 1.5, .tolerance = 1e-14, .sweeps = 1000};
  const PairMachine small = train(k_golden_kernel, k_golden_labels, settings);
  const double r = 0.0707106781;
  const Matrix expected(
      4, 3, std::vector<double>{.2, -.1, -.1, r, r, -2 * r, -.1, .2, -.1, -.1, -.1, .2});
  EXPECT_LT(largest_difference(small.a, expected), 1e-9);
  PairSettings large = settings;
  large.C = 1;
  const PairMachine found = train(k_golden_kernel, k_golden_labels, large);
  EXPECT_NEAR(objective(k_golden_kernel, k_golden_labels, found.a, PairLoss::group, 1), 2.0735046,
              1e-7);
}

// The approximation may be so far from the optimum that the dual value of its gamma is negative.
TEST(PairMachine, TheBoundOfTheApproximationIsPositiveAndValid) {
  const Matrix points = random_points(60, 4, 3);
  const Matrix k = rbf(points, 0.2);
  bool scaled = false;
  for (const std::uint64_t seed : {4U, 5U, 6U}) {
    const Labels y = labels_of(points, 7, seed, seed == 6 ? 0.2 : 0);
    for (const double C : {0.01, 0.1, 1.0, 10.0}) {
      const PairMachine exact =
          train(k, y, {.exact = true, .C = C, .tolerance = 1e-4, .sweeps = 20000});
      for (const double eta : {1.1, 1.5, 3.0}) {
        const PairMachine found = train(k, y, {.C = C, .eta = eta});
        ASSERT_EQ(found.duals.size(), 1u);
        EXPECT_GT(found.duals.back(), 0);
        EXPECT_LE(found.duals.back(), exact.primal * (1 + 1e-12));
        EXPECT_GE(found.primal, exact.duals.back() * (1 - 1e-12));
        EXPECT_LT(found.gap(), 1);
        // No other factor of the same gamma is better.
        double sum = 0;
        for (const double v : found.a.values()) sum += 0.5 * std::abs(v);
        Matrix f(60, 7);
        blas::gemm(1.0, blas::block(k), blas::Op::plain, blas::block(found.a), blas::Op::plain, 0.0,
                   blas::block(f));
        const double square = blas::dot(found.a.values(), f.values());
        for (int part = 0; part <= 100; ++part) {
          const double t = part / 100.0;
          EXPECT_LE(t * sum - t * t * square / 2, found.duals.back() * (1 + 1e-9));
        }
        scaled = scaled || sum < square / 2;
      }
    }
  }
  EXPECT_TRUE(scaled) << "no case has a negative dual value";
}

TEST(PairMachine, OneRow) {
  const Matrix k(1, 1, 2.0);
  const Labels y(3, {{0}});
  const PairMachine small = train(k, y, {.exact = true, .C = 0.05, .tolerance = 1e-12});
  EXPECT_NEAR(small.gamma[0][0], 1, 1e-12);
  EXPECT_NEAR(small.gamma[0][1], 1, 1e-12);
  EXPECT_NEAR(small.primal, 0.085, 1e-12);
  const PairMachine large = train(k, y, {.exact = true, .C = 1, .tolerance = 1e-9});
  EXPECT_NEAR(large.gamma[0][0], 1.0 / 6, 1e-8);
  EXPECT_NEAR(large.gamma[0][1], 1.0 / 6, 1e-8);
  EXPECT_NEAR(large.primal, 1.0 / 6, 1e-8);
}

TEST(PairMachine, RowsSumToZeroWithTheSignsOfTheLabels) {
  const Matrix points = random_points(40, 3, 5);
  const Matrix k = rbf(points, 0.3);
  const Labels y = labels_of(points, 6, 6, 0.1);
  for (const bool exact : {false, true}) {
    for (const PairLoss loss : {PairLoss::group, PairLoss::sum}) {
      const double C = 0.7;
      const Matrix a = train(k, y, {.loss = loss, .exact = exact, .C = C}).a;
      bool any = false;
      for (Index i = 0; i < a.rows(); ++i) {
        double sum = 0;
        const auto up = static_cast<double>(y.row(i).size());
        const double down = 6 - up - static_cast<double>(y.missing_row(i).size());
        for (Index l = 0; l < 6; ++l) {
          sum += a(i, l);
          any = any || a(i, l) != 0;
          const Cell cell = y.cell(i, l);
          const double sign = cell == Cell::positive ? 1 : -1;
          EXPECT_GE(sign * a(i, l), 0);
          if (cell == Cell::missing || up == 0 || down == 0) {
            EXPECT_EQ(a(i, l), 0);
          }
          if (loss == PairLoss::group && cell == Cell::negative) {
            EXPECT_LE(-a(i, l), C * std::sqrt(up) * (1 + 1e-12));
          }
          if (cell == Cell::positive) {
            EXPECT_LE(a(i, l), C * down * (1 + 1e-12));
          }
        }
        EXPECT_NEAR(sum, 0, 1e-12);
      }
      EXPECT_TRUE(any);
    }
  }
}

TEST(PairMachine, ExactTrainingClosesTheGap) {
  const Matrix points = random_points(60, 3, 7);
  const Matrix k = rbf(points, 0.3);
  const Labels y = labels_of(points, 7, 8);
  for (const PairLoss loss : {PairLoss::group, PairLoss::sum}) {
    for (const double C : {0.1, 3.0}) {
      const PairSettings settings = {
          .loss = loss, .exact = true, .C = C, .tolerance = 1e-7, .sweeps = 20000};
      const PairMachine full = train(k, y, settings);
      ASSERT_TRUE(full.converged);
      EXPECT_LE(full.gap(), 1e-7);
      for (std::size_t s = 1; s < full.duals.size(); ++s) {
        EXPECT_GE(full.duals[s], full.duals[s - 1] * (1 - 1e-13));
      }
      EXPECT_GE(full.primal, full.duals.back());
      PairSettings thorough = settings;
      thorough.steps = 100;
      const PairMachine slow = train(k, y, thorough);
      ASSERT_TRUE(slow.converged);
      const Given given{Matrix(k)};
      EXPECT_LT(largest_difference(given.values.product(full.a, Context()),
                                   given.values.product(slow.a, Context())),
                5e-3);
    }
  }
}

// Blocks that are small against all rows are passed over several times: the same optimum in fewer
// sweeps.
TEST(PairMachine, PassesOverABlockLeadToTheSameOptimum) {
  const Matrix points = random_points(120, 3, 7);
  const Matrix k = rbf(points, 0.3);
  const Labels y = labels_of(points, 6, 8);
  for (const PairLoss loss : {PairLoss::group, PairLoss::sum}) {
    PairSettings settings = {
        .loss = loss, .exact = true, .C = 3, .tolerance = 1e-6, .sweeps = 20000, .block = 24};
    const PairMachine several = train(k, y, settings);
    settings.passes = 1;
    const PairMachine single = train(k, y, settings);
    ASSERT_TRUE(several.converged && single.converged);
    EXPECT_NEAR(several.primal, single.primal, 2e-6 * single.primal);
    EXPECT_LT(several.sweeps, single.sweeps);
  }
}

TEST(PairMachine, OneLabelEachMakesBothLossesEqual) {
  const Matrix points = random_points(30, 3, 9);
  const Matrix k = rbf(points, 0.3);
  const Labels y = one_label_each(30, 4, 10);
  PairSettings settings = {.exact = true, .C = 0.5, .tolerance = 1e-10, .sweeps = 20000};
  const PairMachine group = train(k, y, settings);
  settings.loss = PairLoss::sum;
  const PairMachine sum = train(k, y, settings);
  settings = {.loss = PairLoss::sum, .C = 0.5, .tolerance = 1e-12, .sweeps = 20000};
  const PairMachine relaxed = train(k, y, settings);
  ASSERT_TRUE(group.converged && sum.converged && relaxed.converged);
  EXPECT_NEAR(group.primal, sum.primal, 1e-8);
  EXPECT_LT(largest_difference(group.a, sum.a), 1e-4);
  EXPECT_LT(largest_difference(relaxed.a, sum.a), 1e-4) << "the relaxation is exact here";
  EXPECT_NEAR(objective(k, y, relaxed.a, PairLoss::sum, 0.5), sum.primal, 1e-6);
}

TEST(PairMachine, SmallCostsSaturateEveryColumn) {
  const Matrix points = random_points(20, 3, 11);
  const Labels y = labels_of(points, 5, 12);
  const double C = 1e-9;
  const Matrix a = train(rbf(points, 0.3), y, {.C = C}).a;
  for (Index i = 0; i < 20; ++i) {
    const double up = static_cast<double>(y.row(i).size());
    if (up == 0 || up == 5) continue;
    for (Index l = 0; l < 5; ++l) {
      const double expected =
          y.cell(i, l) == Cell::positive ? (5 - up) / std::sqrt(up) : -std::sqrt(up);
      EXPECT_NEAR(a(i, l) / C, expected, 1e-6);
    }
  }
}

TEST(PairMachine, StopsMovingAtItsFixedPoint) {
  const Matrix points = random_points(40, 3, 13);
  const Matrix k = rbf(points, 0.3);
  const Labels y = labels_of(points, 6, 14);
  for (const PairLoss loss : {PairLoss::group, PairLoss::sum}) {
    PairSettings settings = {.loss = loss, .C = 0.5, .eta = 3, .tolerance = 1e-13, .sweeps = 5000};
    const PairMachine found = train(k, y, settings);
    ASSERT_TRUE(found.converged);
    settings.sweeps = 1;
    EXPECT_LT(largest_difference(train(k, y, settings, &found).a, found.a), 1e-11);
  }
}

TEST(PairMachine, OrderOfLabelsAndRowsDoesNotMatter) {
  const Matrix points = random_points(24, 3, 15);
  const Matrix k = rbf(points, 0.3);
  const Labels y = labels_of(points, 5, 16);
  const PairSettings settings = {.C = 0.5, .eta = 2.5, .tolerance = 1e-13, .sweeps = 5000};
  const Matrix a = train(k, y, settings).a;
  const std::vector<Id> turned = {4, 2, 0, 1, 3};
  const Matrix b = train(k, take_labels(y, turned), settings).a;
  std::vector<Id> rows(24);
  std::iota(rows.rbegin(), rows.rend(), Id{0});
  Matrix reversed(24, 24);
  for (Index i = 0; i < 24; ++i) {
    for (Index j = 0; j < 24; ++j) reversed(i, j) = k(23 - i, 23 - j);
  }
  const Matrix c = train(reversed, take_rows(y, rows), settings).a;
  PairSettings shuffled = settings;
  shuffled.shuffle = true;
  shuffled.block = 4;
  const Matrix d = train(k, y, shuffled).a;
  for (Index i = 0; i < 24; ++i) {
    for (Index l = 0; l < 5; ++l) {
      EXPECT_NEAR(b(i, l), a(i, turned[at(l)]), 1e-11);
      EXPECT_NEAR(c(23 - i, l), a(i, l), 1e-8);
      EXPECT_NEAR(d(i, l), a(i, l), 1e-8);
    }
  }
}

TEST(PairMachine, ALabelNobodyKnowsIsAsIfAbsent) {
  const Matrix points = random_points(20, 3, 17);
  const Matrix k = rbf(points, 0.3);
  const Labels y = labels_of(points, 4, 18);
  std::vector<std::vector<Id>> yes, unknown(20, std::vector<Id>{4});
  for (Index i = 0; i < 20; ++i) yes.emplace_back(y.row(i).begin(), y.row(i).end());
  const Labels more(5, yes, unknown);
  for (const bool exact : {false, true}) {
    const PairMachine a = train(k, y, {.exact = exact}), b = train(k, more, {.exact = exact});
    for (Index i = 0; i < 20; ++i) {
      for (Index l = 0; l < 4; ++l) EXPECT_NEAR(a.a(i, l), b.a(i, l), 1e-9);
      EXPECT_EQ(b.a(i, 4), 0);
    }
    if (exact) {
      EXPECT_NEAR(a.primal, b.primal, 1e-9);
    }
  }
}

TEST(PairMachine, FeaturesGiveWhatTheirKernelGives) {
  Matrix points = random_points(150, 5, 19);
  for (Index k = 0; k < points.size(); k += 3) points.data()[k] = 0;
  const Labels y = labels_of(points, 6, 20);
  const Context ctx;
  const Features dense(points), sparse(to_sparse(dense));
  const KernelMatrix values({.kind = KernelKind::linear}, dense, KernelStorage::f64, ctx);
  for (const bool exact : {false, true}) {
    const PairSettings settings = {
        .exact = exact, .C = 0.1, .tolerance = 0, .sweeps = 4, .block = 50};
    KernelPairScores kernel(values, PairPrecision::full);
    FeaturePairScores one(dense), two(sparse);
    const Matrix a = train_pairs(kernel, y, settings, ctx).a;
    EXPECT_LT(largest_difference(train_pairs(one, y, settings, ctx).a, a), 1e-10);
    EXPECT_LT(largest_difference(train_pairs(two, y, settings, ctx).a, a), 1e-10);
    EXPECT_LT(largest_difference(one.all(a, ctx), kernel.all(a, ctx)), 1e-10);
    EXPECT_LT(largest_difference(two.all(a, ctx), kernel.all(a, ctx)), 1e-10);
  }
}

TEST(PairMachine, EveryStorageGivesTheSameUpToItsPrecision) {
  const Matrix points = random_points(150, 4, 21);
  const Labels y = labels_of(points, 6, 22);
  const Features x(points);
  const Context ctx;
  const Kernel rbf_kernel{.kind = KernelKind::rbf, .gamma = 0.2};
  const PairSettings settings = {.C = 0.3, .tolerance = 0, .sweeps = 5, .block = 64};
  std::optional<Matrix> expected;
  for (const KernelStorage storage :
       {KernelStorage::f64, KernelStorage::none, KernelStorage::f32}) {
    const KernelMatrix values(rbf_kernel, x, storage, ctx);
    KernelPairScores scores(values, PairPrecision::full);
    const Matrix a = train_pairs(scores, y, settings, ctx).a;
    if (!expected) expected = a;
    EXPECT_LT(largest_difference(a, *expected), storage == KernelStorage::f32 ? 1e-5 : 1e-10);
    if (storage != KernelStorage::f32) continue;
    KernelPairScores single(values, PairPrecision::single);
    const Matrix b = train_pairs(single, y, settings, ctx).a;
    EXPECT_LT(largest_difference(b, *expected), 1e-5);
    EXPECT_NE(b, a);
    KernelPairScores threaded(values, PairPrecision::single);
    EXPECT_EQ(train_pairs(threaded, y, settings, Context(3)).a, b);
  }
}

TEST(PairMachine, SinglePrecisionAddsUpPartsOfLongSums) {
  const Index rows = 1100;  // three parts
  const Matrix points = random_points(rows, 3, 27);
  const Labels y = labels_of(points, 5, 28);
  const Features x(points);
  const KernelMatrix values({.kind = KernelKind::rbf, .gamma = 0.2}, x, KernelStorage::f32,
                            Context());
  const PairSettings settings = {.C = 0.01, .tolerance = 0, .sweeps = 2};
  KernelPairScores full(values, PairPrecision::full), single(values, PairPrecision::single);
  const Matrix expected = train_pairs(full, y, settings, Context()).a;
  const Matrix found = train_pairs(single, y, settings, Context()).a;
  EXPECT_LT(largest_difference(found, expected), 1e-6);
  EXPECT_NE(found, expected);
  KernelPairScores threaded(values, PairPrecision::single);
  EXPECT_EQ(train_pairs(threaded, y, settings, Context(4)).a, found);
}

TEST(PairMachine, JitterIsAddedToTheDiagonal) {
  const Matrix points = random_points(40, 3, 23);
  Matrix k = rbf(points, 0.3);
  const Labels y = labels_of(points, 5, 24);
  const Given given{Matrix(k)};
  KernelPairScores scores(given.values, PairPrecision::full, 0.25);
  for (Index i = 0; i < 40; ++i) k(i, i) += 0.25;
  const PairSettings settings = {.exact = true, .sweeps = 10};
  const PairMachine a = train_pairs(scores, y, settings, Context()), b = train(k, y, settings);
  EXPECT_LT(largest_difference(a.a, b.a), 1e-9);
  EXPECT_NEAR(a.primal, b.primal, 1e-8);
}

TEST(PairMachine, WarmStartsSaveSweeps) {
  const Matrix points = random_points(80, 3, 25);
  const Matrix k = rbf(points, 0.3);
  const Labels y = labels_of(points, 6, 26);
  for (const bool exact : {false, true}) {
    PairSettings settings = {
        .exact = exact, .C = 1, .eta = 3, .tolerance = exact ? 1e-3 : 1e-6, .sweeps = 20000};
    const PairMachine before = train(k, y, settings);
    settings.C = 1.5;
    const PairMachine cold = train(k, y, settings), warm = train(k, y, settings, &before);
    EXPECT_LT(warm.sweeps, cold.sweeps) << (exact ? "exact" : "approximate");
    EXPECT_NEAR(objective(k, y, warm.a, PairLoss::group, 1.5),
                objective(k, y, cold.a, PairLoss::group, 1.5), exact ? 0.1 : 1e-3);
  }
}

TEST(PairMachine, NothingToRank) {
  const Labels none(3, {{}, {0, 1, 2}});
  const PairMachine found = train(Matrix(2, 2, 1.0), none, {});
  EXPECT_EQ(found.a, Matrix(2, 3));
  EXPECT_TRUE(found.converged);
  // A row that the kernel does not see.
  const Matrix zero = train(Matrix(1, 1, 0.0), Labels(3, {{0, 1}}), {}).a;
  EXPECT_NEAR(zero(0, 2), -std::sqrt(2), 1e-12);
  const Matrix relaxed = train(Matrix(1, 1, 0.0), Labels(3, {{0, 1}}), {.loss = PairLoss::sum}).a;
  EXPECT_EQ(relaxed, Matrix(1, 3, std::vector<double>{1, 1, -2}));
  const Matrix exact = train(Matrix(1, 1, 0.0), Labels(3, {{0, 1}}), {.exact = true}).a;
  EXPECT_NEAR(exact(0, 2), -std::sqrt(2), 1e-12);
  EXPECT_EQ(exact_bytes(Labels(3, {{0, 1}, {0}, {}})), 7 * 4 * sizeof(double));
}

TEST(PairMachine, TheFirstSweepIsAllChange) {
  const Matrix points = random_points(30, 3, 27);
  const Labels y = labels_of(points, 5, 28);
  const PairMachine found = train(rbf(points, 0.3), y, {.C = 0.3, .sweeps = 1});
  EXPECT_NEAR(found.change, 1, 1e-12);  // it began with zeros
}

// An approximate machine has no gamma: its coefficients must not be taken without.
TEST(PairMachine, ExactTrainingFromAnApproximateMachineBeginsAnew) {
  const Matrix points = random_points(30, 3, 29);
  const Matrix k = rbf(points, 0.3);
  const Labels y = labels_of(points, 5, 30);
  const PairMachine rough = train(k, y, {.C = 0.5, .sweeps = 3});
  const PairSettings exact = {.exact = true, .C = 0.5, .tolerance = 1e-4, .sweeps = 20000};
  const PairMachine cold = train(k, y, exact), warm = train(k, y, exact, &rough);
  EXPECT_EQ(warm.a, cold.a);
  EXPECT_EQ(warm.duals, cold.duals);
}

}  // namespace
}  // namespace mulberry::learners
