#include "mulberry/learners/svm/smo.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stop_token>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "tests/support/libsvm.hpp"

namespace mulberry::learners {
using namespace tests;
namespace {

struct Example {
  Matrix x = {};
  std::vector<std::int8_t> y = {};
  std::vector<double> cost = {};
};

// Positive features; one class on both sides of the other, with some noise. Features are few bits
// long: rounding would make the kernels of products slightly indefinite.
Example make_example(Index n, Index d, std::uint64_t seed, bool unequal_costs = false) {
  Random random(seed, "smo_test");
  Example out{.x = Matrix(n, d)};
  for (Index i = 0; i < n; ++i) {
    double sum = 0;
    for (Index j = 0; j < d; ++j) {
      out.x(i, j) = std::round(random.uniform(0, 16)) / 8;
      sum += (out.x(i, j) - 1) * (j % 2 == 0 ? 1 : -1);
    }
    const bool yes = std::abs(sum) + 0.3 * random.normal() > 0.6;
    out.y.push_back(yes ? 1 : -1);
    out.cost.push_back(unequal_costs ? (random.chance(0.1) ? 0 : random.uniform(0.1, 5)) : 1);
  }
  return out;
}

// A kernel's values between rows, and the rows of it.
struct Gram {
  Gram(const Kernel& kernel, FixedMatrix rows, KernelStorage storage = KernelStorage::f32,
       std::size_t cache = 0)
      : x(std::move(rows)), matrix(kernel, x, storage, Context()), gram(matrix, cache) {}
  Features x;
  KernelMatrix matrix;
  GramRows gram;

  double operator()(Index i, Index j) const { return matrix.floats().data[i * gram.rows() + j]; }
};

Kernel rbf(double gamma = 0.5) { return {.kind = KernelKind::rbf, .gamma = gamma}; }

Gram given(Index n, std::vector<double> values) {
  return Gram({.kind = KernelKind::precomputed}, Matrix(n, n, std::move(values)));
}

SmoResult solve(const Gram& k, const Example& e, SmoOptions options = {},
                std::span<const double> start = {}) {
  return solve_smo(k.gram, {.y = e.y, .cost = e.cost, .start = start}, options, Context());
}

std::vector<double> scores(const Gram& k, std::span<const double> c, double bias) {
  std::vector<double> out(c.size(), bias);
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t j = 0; j < c.size(); ++j) {
      out[i] += c[j] * k(static_cast<Index>(i), static_cast<Index>(j));
    }
  }
  return out;
}

double dual(const Gram& k, const Example& e, std::span<const double> c) {
  const auto f = scores(k, c, 0);
  double out = 0;
  for (std::size_t i = 0; i < c.size(); ++i) out += c[i] * (e.y[i] - f[i] / 2);
  return out;
}

// The figures of the result, computed the slow way.
void expect_consistent(const Gram& k, const Example& e, const SmoResult& r) {
  double sum = 0, largest = 0, loss = 0, quadratic = 0;
  const auto f = scores(k, r.c, r.bias);
  for (std::size_t i = 0; i < r.c.size(); ++i) {
    EXPECT_GE(r.c[i] * e.y[i], 0);
    EXPECT_LE(r.c[i] * e.y[i], e.cost[i]);
    EXPECT_NEAR(r.score[i], f[i], 1e-7 * (1 + std::abs(f[i])));
    sum += r.c[i];
    largest = std::max(largest, std::abs(r.c[i]));
    loss += e.cost[i] * std::max(0.0, 1 - e.y[i] * f[i]);
    quadratic += r.c[i] * (f[i] - r.bias);
  }
  EXPECT_NEAR(sum, 0, 1e-9 * (1 + largest));
  EXPECT_NEAR(r.objective, dual(k, e, r.c), 1e-7 * (1 + std::abs(r.objective)));
  EXPECT_NEAR(r.primal, quadratic / 2 + loss, 1e-7 * (1 + r.primal));
}

// The problem solved the obvious way: the best move along every pair, until none moves.
std::vector<double> by_all_pairs(const Gram& k, const Example& e) {
  const auto n = e.y.size();
  std::vector<double> c(n), f(n);
  const auto value = [&](std::size_t i, std::size_t j) {
    return k(static_cast<Index>(i), static_cast<Index>(j));
  };
  for (int sweep = 0; sweep < 2000; ++sweep) {
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double bend = std::max(value(i, i) + value(j, j) - 2 * value(i, j), 1e-12);
        const double low_i = e.y[i] > 0 ? 0 : -e.cost[i], high_i = e.y[i] > 0 ? e.cost[i] : 0;
        const double low_j = e.y[j] > 0 ? 0 : -e.cost[j], high_j = e.y[j] > 0 ? e.cost[j] : 0;
        double move = ((e.y[i] - f[i]) - (e.y[j] - f[j])) / bend;
        move = std::clamp(move, std::max(low_i - c[i], c[j] - high_j),
                          std::min(high_i - c[i], c[j] - low_j));
        c[i] += move;
        c[j] -= move;
        for (std::size_t t = 0; t < n; ++t) f[t] += move * (value(i, t) - value(j, t));
        moved = std::max(moved, std::abs(move));
      }
    }
    if (moved < 1e-9) break;
  }
  return c;
}

TEST(Smo, ByHand) {
  // Rows at +1 and -1 of a line: score(x) = x, reached with c = 1/2 each unless the cost is less.
  const Gram k = given(2, {1, -1, -1, 1});
  Example e{.y = {1, -1}, .cost = {5, 5}};
  SmoResult r = solve(k, e);
  EXPECT_DOUBLE_EQ(r.c[0], 0.5);
  EXPECT_DOUBLE_EQ(r.c[1], -0.5);
  EXPECT_DOUBLE_EQ(r.bias, 0);
  EXPECT_DOUBLE_EQ(r.objective, 0.5);
  EXPECT_DOUBLE_EQ(r.primal, 0.5);
  EXPECT_TRUE(r.converged);
  e.cost = {0.1, 5};
  r = solve(k, e);
  EXPECT_DOUBLE_EQ(r.c[0], 0.1);
  EXPECT_DOUBLE_EQ(r.score[0] - r.bias, 0.2);
  EXPECT_DOUBLE_EQ(r.score[1], -1);  // the free row lies on its margin
}

TEST(Smo, EqualsEveryPairAndClosesTheGap) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const Example e = make_example(17, 3, seed, true);
    for (const Kernel& kernel :
         {rbf(), Kernel{.kind = KernelKind::linear},
          Kernel{.kind = KernelKind::polynomial, .gamma = 0.5, .degree = 2}}) {
      const Gram k(kernel, e.x);
      const SmoResult r = solve(k, e, {.tolerance = 1e-9});
      EXPECT_TRUE(r.converged);
      expect_consistent(k, e, r);
      EXPECT_LE(r.violation, 1e-9);
      EXPECT_NEAR(r.objective, dual(k, e, by_all_pairs(k, e)), 1e-6 * r.objective);
      EXPECT_GE(r.primal, r.objective - 1e-5 * r.objective);
      EXPECT_NEAR(r.primal, r.objective, 1e-5 * r.objective);
    }
  }
}

TEST(Smo, AgreesWithLibsvm) {
  const Kernel kernels[] = {rbf(),
                            rbf(5),
                            {.kind = KernelKind::linear},
                            {.kind = KernelKind::polynomial, .gamma = 0.25, .degree = 2},
                            {.kind = KernelKind::laplacian, .gamma = 0.3},
                            {.kind = KernelKind::chi2, .gamma = 0.5},
                            {.kind = KernelKind::intersection}};
  for (const Kernel& kernel : kernels) {
    Example e = make_example(181, 5, 7);
    for (Index i = 0; i < 30; ++i) {  // equal rows, some of the other class
      for (Index j = 0; j < 5; ++j) e.x(150 + i, j) = e.x(i, j);
      if (i % 3 == 0) e.y[at(150 + i)] = 1;
    }
    const Gram k(kernel, e.x);
    reference::Libsvm peer(k.matrix.floats());
    for (const double cost : {0.1, 2.0}) {
      for (const double up : {1.0, 4.0}) {
        for (std::size_t i = 0; i < e.y.size(); ++i) e.cost[i] = e.y[i] > 0 ? up * cost : cost;
        const auto theirs = peer.solve(e.y, cost, up, 1e-5);
        const SmoResult ours = solve(k, e, {.tolerance = 1e-5});
        expect_consistent(k, e, ours);
        EXPECT_NEAR(ours.objective, dual(k, e, theirs.c), 1e-5 * ours.objective);
        EXPECT_NEAR(ours.bias, theirs.bias, 1e-3);
        const auto other = scores(k, theirs.c, theirs.bias);
        for (std::size_t i = 0; i < other.size(); ++i) {
          EXPECT_NEAR(ours.score[i], other[i], 1e-3) << name_of(kernel.kind) << ' ' << cost;
        }
        const SmoResult rough = solve(k, e);
        EXPECT_NEAR(rough.objective, ours.objective, 1e-3 * ours.objective);
      }
    }
  }
}

TEST(Smo, EndsOnKernelsThatAreNotPositive) {
  const Example e = make_example(120, 4, 11);
  const Gram k({.kind = KernelKind::modified_chi2, .gamma = 20}, e.x);
  Matrix values(120, 120);
  for (Index i = 0; i < 120; ++i) {
    for (Index j = 0; j < 120; ++j) values(i, j) = k(i, j) - (i == j ? 0.4 : 0);
  }
  EXPECT_LT(blas::symmetric_eigen(values).values.front(), -0.1);
  const Gram bad({.kind = KernelKind::precomputed}, values);
  const SmoResult ours = solve(bad, e);
  EXPECT_TRUE(ours.converged);
  expect_consistent(bad, e, ours);
  const auto theirs = reference::Libsvm(bad.matrix.floats()).solve(e.y, 1, 1, 1e-3);
  EXPECT_NEAR(ours.objective, dual(bad, e, theirs.c), 0.02 * std::abs(ours.objective));
}

TEST(Smo, ShrinkingChangesNothingButTheTime) {
  Example e = make_example(900, 4, 13);
  for (double& cost : e.cost) cost = 100;
  const Gram k(rbf(2), e.x);
  const SmoResult plain = solve(k, e, {.shrink = false});
  const SmoResult shrunk = solve(k, e, {.shrink = true});
  EXPECT_GT(plain.steps, 3000);  // so that there is something to shrink
  EXPECT_TRUE(shrunk.converged);
  EXPECT_LE(shrunk.violation, 1e-3);
  expect_consistent(k, e, shrunk);
  EXPECT_NEAR(shrunk.objective, plain.objective, 1e-5 * plain.objective);
  EXPECT_LT((shrunk.primal - shrunk.objective) / shrunk.primal, 1e-2);
}

TEST(Smo, RowsWithoutCostTakeNoPartButAreScored) {
  Example e = make_example(150, 4, 17);
  std::vector<Id> kept;
  for (Index i = 0; i < 150; ++i) {
    if (i % 3 == 0) {
      e.cost[at(i)] = 0;
    } else {
      kept.push_back(static_cast<Id>(i));
    }
  }
  Example part;
  for (const Id i : kept) {
    part.y.push_back(e.y[at(i)]);
    part.cost.push_back(1);
  }
  const Gram k(rbf(), e.x), small(rbf(), to_dense(take_rows(Features(e.x), kept)));
  const SmoResult whole = solve(k, e, {.tolerance = 1e-6});
  const SmoResult alone = solve(small, part, {.tolerance = 1e-6});
  EXPECT_NEAR(whole.objective, alone.objective, 1e-6);
  for (std::size_t a = 0; a < kept.size(); ++a) {
    EXPECT_NEAR(whole.score[at(kept[a])], alone.score[a], 1e-4);
  }
  expect_consistent(k, e, whole);
}

TEST(Smo, StartsFromAnything) {
  Example e = make_example(300, 4, 19);
  const Gram k(rbf(2), e.x);
  const SmoOptions tight{.tolerance = 1e-6};
  const SmoResult one = solve(k, e, tight);
  std::vector<double> scaled = one.c;
  for (double& c : scaled) c *= 2;
  std::fill(e.cost.begin(), e.cost.end(), 2.0);
  const SmoResult cold = solve(k, e, tight), warm = solve(k, e, tight, scaled);
  EXPECT_NEAR(warm.objective, cold.objective, 1e-6 * cold.objective);
  EXPECT_LT(warm.steps, cold.steps);
  EXPECT_EQ(solve(k, e, tight, cold.c).steps, 0);
  std::vector<double> wild(300);  // out of all bounds, and out of balance
  for (std::size_t i = 0; i < wild.size(); ++i) wild[i] = i % 7 == 0 ? -9 : 3;
  const SmoResult from_wild = solve(k, e, tight, wild);
  expect_consistent(k, e, from_wild);
  EXPECT_NEAR(from_wild.objective, cold.objective, 1e-6 * cold.objective);
}

TEST(Smo, OneClassOrNone) {
  const Gram k = given(2, {1, 0.5, 0.5, 1});
  for (const auto& [y, cost, bias] :
       {std::tuple{std::vector<std::int8_t>{1, 1}, std::vector<double>{1, 1}, 1.0},
        {std::vector<std::int8_t>{-1, -1}, std::vector<double>{1, 1}, -1.0},
        {std::vector<std::int8_t>{1, -1}, std::vector<double>{0, 1}, -1.0},
        {std::vector<std::int8_t>{1, -1}, std::vector<double>{0, 0}, 0.0}}) {
    const SmoResult r = solve(k, {.y = y, .cost = cost});
    EXPECT_TRUE(r.converged);
    EXPECT_EQ(r.c, (std::vector<double>{0, 0}));
    EXPECT_EQ(r.bias, bias);
    EXPECT_EQ(r.score, (std::vector<double>{bias, bias}));
  }
  EXPECT_TRUE(solve(given(0, {}), {}).converged);
}

TEST(Smo, StopsWhenToldTo) {
  Example e = make_example(200, 4, 23);
  const Gram k(rbf(), e.x);
  const SmoResult r = solve(k, e, {.max_steps = 5});
  EXPECT_EQ(r.steps, 5);
  EXPECT_FALSE(r.converged);
  EXPECT_GT(r.violation, 1e-3);
  expect_consistent(k, e, r);
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(
      solve_smo(k.gram, {.y = e.y, .cost = e.cost}, {}, Context().with_stop(source.get_token())),
      Cancelled);
}

TEST(GramRows, KeptOrNotTheSameBits) {
  const Example e = make_example(90, 4, 29, true);
  const Gram stored(rbf(), e.x);
  const Gram few(rbf(), e.x, KernelStorage::none, 5 * 90 * sizeof(float));
  const Gram many(rbf(), e.x, KernelStorage::none, 1 << 20);
  const SmoResult expected = solve(few, e), other = solve(many, e);
  EXPECT_EQ(expected.c, other.c);
  EXPECT_NEAR(solve(stored, e).objective, other.objective, 1e-4 * other.objective);
  std::vector<char> same(16);
  parallel_for(Context(4), 16, [&](Index task) {  // the cache is shared
    same[at(task)] = solve(few, e).c == expected.c ? 1 : 0;
  });
  EXPECT_EQ(std::accumulate(same.begin(), same.end(), 0), 16);
  for (Index i = 0; i < 90; ++i) {
    const auto row = few.gram.row(i);
    EXPECT_EQ(few.gram.diagonal()[at(i)], 1);
    for (Index j = 0; j < 90; ++j) EXPECT_NEAR(row.data()[j], stored(i, j), 1e-6);
  }
}

}  // namespace
}  // namespace mulberry::learners
