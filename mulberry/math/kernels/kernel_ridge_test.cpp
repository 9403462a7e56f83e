#include "mulberry/math/kernels/kernel_ridge.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/random.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/dense/column_cg.hpp"

namespace mulberry::math {
namespace {

Matrix draw(std::uint64_t seed, Index n, Index d) {
  Random rng = Context(1, seed).rng("kernel_ridge_test");
  Matrix out(n, d);
  for (Index c = 0; c < out.size(); ++c) out.data()[c] = rng.normal();
  return out;
}

Matrix gram(MatrixView phi) {
  Matrix out(phi.rows(), phi.rows());
  blas::syrk(1, blas::block(phi), blas::Op::plain, 0, blas::block(out));
  return out;
}

void expect_near(MatrixView a, MatrixView b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (Index c = 0; c < a.size(); ++c) ASSERT_NEAR(a.data()[c], b.data()[c], tolerance) << c;
}

TEST(DenseFactor, IsTheCholeskyFactor) {
  for (const Index n : {1, 5, 256, 257, 700}) {
    const Matrix a = gram(draw(1, n, n)), b = draw(2, n, 3);
    Matrix plain = a, expected = b, one = b, many = b;
    for (Index i = 0; i < n; ++i) plain(i, i) += 1;
    const Matrix shifted = plain;
    ASSERT_TRUE(blas::cholesky(blas::block(plain)));
    blas::cholesky_solve(blas::block(std::as_const(plain)), blas::block(expected));
    const auto factor = DenseFactor::of(a, 1, Context());
    const auto shared = DenseFactor::of(a, 1, Context(8));
    ASSERT_TRUE(factor && shared);
    factor->solve(one, Context());
    shared->solve(many, Context(8));
    EXPECT_EQ(one, many) << "the same bits on any number of threads";
    expect_near(one, expected, 1e-9);
    Matrix unit(n, n);
    blas::gemm(1, blas::block(shifted), blas::Op::plain, blas::block(factor->inverse()),
               blas::Op::plain, 0, blas::block(unit));
    for (Index i = 0; i < n; ++i) unit(i, i) -= 1;
    expect_near(unit, Matrix(n, n), 1e-8);
  }
  Matrix indefinite(300, 300);
  for (Index i = 0; i < 300; ++i) indefinite(i, i) = i == 280 ? -1 : 1;
  EXPECT_FALSE(DenseFactor::of(indefinite, 0, Context()));
}

TEST(ColumnCg, SolvesEveryColumn) {
  const Context ctx;
  Matrix a = gram(draw(3, 20, 20));
  for (Index i = 0; i < 20; ++i) a(i, i) += 1;
  Matrix b = draw(4, 20, 3);
  for (Index i = 0; i < 20; ++i) b(i, 1) = 0;  // solved from the start
  ColumnSystem system;
  system.product = [&](MatrixView p) {
    Matrix out(20, 3);
    blas::gemm(1, blas::block(a), blas::Op::plain, blas::block(p), blas::Op::plain, 0,
               blas::block(out));
    return out;
  };
  system.precondition = [&](Matrix& r) {
    for (Index i = 0; i < 20; ++i) {
      for (double& v : r.row(i)) v /= a(i, i);
    }
  };
  Matrix x(20, 3), r = b;
  const ColumnSolution found = solve_columns(system, 1e-10, 200, x, r, ctx);
  EXPECT_TRUE(found.converged);
  expect_near(system.product(x), b, 1e-9);
  Matrix again(20, 3), rest = b;
  EXPECT_FALSE(solve_columns(system, 1e-10, 3, again, rest, ctx).converged);
  EXPECT_EQ(solve_columns(system, 1e-9, 200, x, r, ctx).products, 0) << "already solved";
}

// The residual by its definition: B from the bordered system [K + alpha I, 1; 1', 0].
Matrix reference_residual(MatrixView kernel, double alpha, MatrixView targets,
                          std::vector<double>& b) {
  const Index n = kernel.rows(), labels = targets.cols();
  Matrix shifted(kernel), solved(n, labels + 1, 1.0);
  for (Index i = 0; i < n; ++i) {
    shifted(i, i) += alpha;
    std::copy(targets.row(i).begin(), targets.row(i).end(), solved.row(i).begin());
  }
  EXPECT_TRUE(blas::cholesky(blas::block(shifted)));
  blas::cholesky_solve(blas::block(std::as_const(shifted)), blas::block(solved));
  double ones = 0;
  b.assign(at(labels), 0.0);
  for (Index i = 0; i < n; ++i) {
    ones += solved(i, labels);
    for (Index l = 0; l < labels; ++l) b[at(l)] += solved(i, l);
  }
  for (double& v : b) v /= ones;
  Matrix coefficients(n, labels), out(targets);
  for (Index i = 0; i < n; ++i) {
    for (Index l = 0; l < labels; ++l) {
      coefficients(i, l) = solved(i, l) - solved(i, labels) * b[at(l)];
      out(i, l) -= b[at(l)];
    }
  }
  blas::gemm(-1, blas::block(kernel), blas::Op::plain, blas::block(coefficients), blas::Op::plain,
             1, blas::block(out));
  return out;
}

TEST(KernelRidge, GivesTheResidualOfTheRegression) {
  const Context ctx(2);
  const auto phi = std::make_shared<const Matrix>(draw(5, 60, 7));
  const Matrix kernel = gram(*phi), targets = draw(6, 60, 3);
  for (const double alpha : {0.01, 1.0, 100.0}) {
    std::vector<double> b;
    const Matrix expected = reference_residual(kernel, alpha, targets, b);
    KernelRidge exact = KernelRidge::of_kernel(kernel, alpha, ctx);
    const KernelRidge thin = KernelRidge::of_features(phi, alpha, ctx);
    expect_near(exact.residual(targets, ctx), expected, 1e-8);
    expect_near(thin.residual(targets, ctx), expected, 1e-8);
    for (std::size_t l = 0; l < b.size(); ++l) {
      EXPECT_NEAR(exact.constants(targets)[l], b[l], 1e-8);
      EXPECT_NEAR(thin.constants(targets)[l], b[l], 1e-8);
    }
    EXPECT_NEAR(exact.trace(), thin.trace(), 1e-9 * exact.trace());
    Matrix by_matrix(60, 3), fitted = targets;
    blas::gemm(1, blas::block(exact.matrix()), blas::Op::plain, blas::block(targets),
               blas::Op::plain, 0, blas::block(by_matrix));
    expect_near(by_matrix, expected, 1e-8);
    // R - Phi W - 1 b is the residual.
    blas::gemm(-1, blas::block(*phi), blas::Op::plain, blas::block(thin.weights(targets, ctx)),
               blas::Op::plain, 1, blas::block(fitted));
    for (Index i = 0; i < 60; ++i) {
      for (Index l = 0; l < 3; ++l) fitted(i, l) -= b[at(l)];
    }
    expect_near(fitted, expected, 1e-7);
  }
}

TEST(KernelRidge, RefusesWhatIsNoKernel) {
  Matrix kernel(2, 2, 5.0);
  kernel(0, 0) = kernel(1, 1) = 1;
  EXPECT_THROW(KernelRidge::of_kernel(kernel, 0.1, Context()), Error);
}

}  // namespace
}  // namespace mulberry::math
