#include "mulberry/math/dense/blas.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "mulberry/core/error.hpp"
#include "mulberry/core/random.hpp"
#include "mulberry/math/dense/blas_core.hpp"

namespace mulberry::math::blas {
namespace {

Matrix random_matrix(Index rows, Index cols, std::uint64_t stream) {
  Random random(1, "blas_test", stream);
  Matrix out(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) out(i, j) = random.normal();
  }
  return out;
}

Matrix transpose(MatrixView a) {
  Matrix out(a.cols(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) out(j, i) = a(i, j);
  }
  return out;
}

Matrix product(MatrixView a, MatrixView b) {
  Matrix out(a.rows(), b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.cols(); ++j) {
      for (Index k = 0; k < a.cols(); ++k) out(i, j) += a(i, k) * b(k, j);
    }
  }
  return out;
}

void expect_near(MatrixView a, MatrixView b, double tolerance = 1e-12) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) EXPECT_NEAR(a(i, j), b(i, j), tolerance);
  }
}

#if defined(__x86_64__)
TEST(Blas, RunsTheKernelsOfThisProcessor) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) GTEST_SKIP() << "the environment chooses";
  if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0) {
    GTEST_SKIP() << "an old processor";
  }
  choose_core();
  EXPECT_NE(core_name(), "Prescott");
  EXPECT_EQ(std::getenv("OPENBLAS_CORETYPE"), nullptr);
}
#endif

TEST(Blas, KnowsItsLibrary) {
  EXPECT_NE(library_file().find("openblas"), std::string::npos) << library_file();
}

TEST(Blas, VectorsByHand) {
  const std::vector<double> a = {1, 2, 3};
  std::vector<double> b = {4, 5, 6};
  EXPECT_EQ(dot(a, b), 32);
  axpy(2, a, b);
  EXPECT_EQ(b, (std::vector<double>{6, 9, 12}));
  EXPECT_EQ(norm2(std::vector<double>{3, 4}), 5);
  EXPECT_EQ(dot({}, {}), 0);
  EXPECT_THROW(dot(a, {}), Bug);
}

TEST(Blas, GemvPlainAndTransposed) {
  const Matrix a(2, 3, std::vector<double>{1, 2, 3, 4, 5, 6});
  std::vector<double> y = {1, 1};
  gemv(2, block(a), Op::plain, std::vector<double>{1, 0, 1}, 3, y);
  EXPECT_EQ(y, (std::vector<double>{11, 23}));
  std::vector<double> z = {0, 0, 0};
  gemv(1, block(a), Op::transposed, std::vector<double>{1, 1}, 0, z);
  EXPECT_EQ(z, (std::vector<double>{5, 7, 9}));
  std::vector<double> empty_sum = {7};
  gemv(1, Block<const double>{nullptr, 1, 0, 0}, Op::plain, {}, 0, empty_sum);
  EXPECT_EQ(empty_sum[0], 0);
}

TEST(Blas, GemmAllTransposesAgainstLoops) {
  const Matrix a = random_matrix(5, 7, 0), b = random_matrix(7, 4, 1);
  const Matrix at = transpose(a), bt = transpose(b);
  const Matrix expected = product(a, b);
  for (const Op op_a : {Op::plain, Op::transposed}) {
    for (const Op op_b : {Op::plain, Op::transposed}) {
      Matrix c(5, 4, 1.0);
      gemm(1, block(op_a == Op::plain ? a : at), op_a, block(op_b == Op::plain ? b : bt), op_b, 0,
           block(c));
      expect_near(c, expected);
    }
  }
  Matrix wrong(4, 4);
  EXPECT_THROW(gemm(1.0, block(a), Op::plain, block(b), Op::plain, 0.0, block(wrong)), Bug);
}

TEST(Blas, GemmOnPartsAddsToC) {
  const Matrix a = random_matrix(6, 6, 2), b = random_matrix(6, 6, 3);
  Matrix c(6, 6, 1.0);
  gemm(2, block(a).row_range(1, 4).col_range(2, 6), Op::plain,
       block(b).row_range(0, 4).col_range(1, 3), Op::plain, 3,
       block(c).row_range(3, 6).col_range(0, 2));
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) {
      double expected = 1;
      if (i >= 3 && j < 2) {
        expected = 3;
        for (Index k = 0; k < 4; ++k) expected += 2 * a(i - 2, k + 2) * b(k, j + 1);
      }
      EXPECT_NEAR(c(i, j), expected, 1e-12);
    }
  }
}

TEST(Blas, FloatGemm) {
  const std::vector<float> a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  std::vector<float> c(4);
  gemm(1.0F, Block<const float>{a.data(), 2, 2, 2}, Op::plain,
       Block<const float>{b.data(), 2, 2, 2}, Op::transposed, 0.0F,
       Block<float>{c.data(), 2, 2, 2});
  EXPECT_EQ(c, (std::vector<float>{17, 23, 39, 53}));
}

TEST(Blas, SyrkWritesBothTriangles) {
  const Matrix a = random_matrix(4, 6, 4);
  Matrix outer(4, 4), inner(6, 6);
  syrk(1, block(a), Op::plain, 0, block(outer));
  syrk(1, block(a), Op::transposed, 0, block(inner));
  expect_near(outer, product(a, transpose(a)));
  expect_near(inner, product(transpose(a), a));
}

TEST(Blas, CholeskySolves) {
  const Matrix a = random_matrix(8, 5, 5);
  Matrix spd(5, 5);
  syrk(1, block(a), Op::transposed, 0, block(spd));
  const Matrix x = random_matrix(5, 3, 6);
  Matrix rhs = product(spd, x);
  std::vector<double> first(5);
  for (Index i = 0; i < 5; ++i) first[at(i)] = rhs(i, 0);
  Matrix factor = spd;
  ASSERT_TRUE(cholesky(block(factor)));
  cholesky_solve(block(std::as_const(factor)), block(rhs));
  expect_near(rhs, x, 1e-10);
  cholesky_solve(block(std::as_const(factor)), first);
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(first[at(i)], x(i, 0), 1e-10);

  Matrix indefinite(2, 2, std::vector<double>{1, 2, 2, 1});
  EXPECT_FALSE(cholesky(block(indefinite)));
  Matrix empty;
  EXPECT_TRUE(cholesky(block(empty)));
}

TEST(Blas, EigenRebuildsTheMatrix) {
  const Matrix by_hand(2, 2, std::vector<double>{2, 1, 1, 2});
  const Eigen small = symmetric_eigen(by_hand);
  EXPECT_NEAR(small.values[0], 1, 1e-14);
  EXPECT_NEAR(small.values[1], 3, 1e-14);
  EXPECT_NEAR(small.vectors(1, 0), std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(small.vectors(1, 1), std::sqrt(0.5), 1e-14);

  const Matrix half = random_matrix(6, 6, 7);
  Matrix a(6, 6);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) a(i, j) = half(i, j) + half(j, i);
  }
  const Eigen e = symmetric_eigen(a);
  Matrix scaled = e.vectors;
  for (Index k = 0; k < 6; ++k) {
    for (Index j = 0; j < 6; ++j) scaled(k, j) *= e.values[at(k)];
  }
  expect_near(product(transpose(e.vectors), scaled), a, 1e-10);
  EXPECT_TRUE(symmetric_eigen(Matrix()).values.empty());
}

}  // namespace
}  // namespace mulberry::math::blas
