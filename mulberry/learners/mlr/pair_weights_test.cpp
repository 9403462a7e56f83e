// Ranking with a cost for each row and with constant terms, as RankSVM needs it from the solver.
#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/learners/mlr/pair_machine.hpp"

namespace mulberry::learners {
namespace {

struct Example {
  Features x;
  Labels y;
};

Example make_example(Index rows, Index labels) {
  Random random(1, "pair weights");
  Matrix x(rows, 3);
  std::vector<std::vector<Id>> positives(at(rows));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < 3; ++j) x(i, j) = random.normal();
    for (Id l = 0; l < static_cast<Id>(labels); ++l) {
      if (random.chance(0.4)) positives[at(i)].push_back(l);
    }
  }
  return {Features(std::move(x)), Labels(labels, positives)};
}

Matrix kernel_of(const Features& x, double plus) {
  Matrix out(x.rows(), x.rows());
  KernelBlocks({.kind = KernelKind::rbf, .gamma = 0.5}, x, x).fill(0, 0, blas::block(out));
  for (Index k = 0; k < out.size(); ++k) out.data()[k] += plus;
  return out;
}

constexpr PairSettings k_exact = {
    .loss = PairLoss::sum, .exact = true, .tolerance = 1e-8, .sweeps = 20000};

// Scores of the rows at the optimum for a kernel matrix.
Matrix train(MatrixView k, const Labels& y, PairSettings settings, bool constant = false) {
  const Features values(k);
  const KernelMatrix matrix({.kind = KernelKind::precomputed}, values, KernelStorage::f64,
                            Context());
  KernelPairScores plain(matrix, PairPrecision::full);
  ConstantPairScores with_constant(plain);
  PairScores& scores = constant ? static_cast<PairScores&>(with_constant) : plain;
  settings.block = 16;
  const PairMachine found = train_pairs(scores, y, settings, Context());
  EXPECT_TRUE(found.converged);
  return scores.all(found.a, Context());
}

void expect_near(MatrixView a, MatrixView b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index l = 0; l < a.cols(); ++l) EXPECT_NEAR(a(i, l), b(i, l), tolerance);
  }
}

TEST(PairWeights, ConstantIsAKernelPlusOne) {
  const Example e = make_example(40, 4);
  expect_near(train(kernel_of(e.x, 0), e.y, k_exact, true), train(kernel_of(e.x, 1), e.y, k_exact),
              1e-3);
}

TEST(PairWeights, AWeightIsACostAndARepeatedRow) {
  const Example e = make_example(30, 4);
  const Matrix k = kernel_of(e.x, 0);
  PairSettings settings = k_exact;
  settings.C = 0.5;
  const std::vector<double> twice(30, 2.0);
  settings.weights = twice;
  expect_near(train(k, e.y, settings), train(k, e.y, k_exact), 1e-3);

  std::vector<double> some(30, 1.0);
  std::vector<Id> rows;
  for (Id i = 0; i < 30; ++i) {
    rows.push_back(i);
    if (i % 3 != 0) continue;
    some[at(i)] = 2;
    rows.push_back(i);
  }
  settings.C = 1;
  settings.weights = some;
  const Features repeated = take_rows(e.x, rows);
  const Matrix copies = train(kernel_of(repeated, 0), take_rows(e.y, rows), k_exact);
  const Matrix weighted = train(k, e.y, settings);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (Index l = 0; l < 4; ++l) {
      EXPECT_NEAR(copies(static_cast<Index>(r), l), weighted(rows[r], l), 2e-3);
    }
  }
}

}  // namespace
}  // namespace mulberry::learners
