#include "mulberry/math/dense/products.hpp"

#include <gtest/gtest.h>

namespace mulberry::math {
namespace {

// About two in three cells are zero, so that the sparse form has work to skip.
Matrix random_matrix(Index rows, Index cols, std::uint64_t stream) {
  Random random(2, "products_test", stream);
  Matrix out(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) out(i, j) = random.chance(0.33) ? random.normal() : 0.0;
  }
  return out;
}

TEST(Products, TransposesAgreeAndReturn) {
  const Matrix a = random_matrix(37, 19, 0);
  const Matrix t = transpose(a);
  for (Index i = 0; i < 37; ++i) {
    for (Index j = 0; j < 19; ++j) EXPECT_EQ(t(j, i), a(i, j));
  }
  EXPECT_EQ(transpose(t), a);
  EXPECT_EQ(transpose(to_sparse(a)), to_sparse(t));
  EXPECT_EQ(transpose(Csr{0, 2, Array<Index>(1), {}, {}}).rows, 2);
}

TEST(Products, ScoresAgainstLoops) {
  const Matrix x = random_matrix(300, 17, 1), w = random_matrix(5, 17, 2);
  const std::vector<double> b = {1, 2, 3, 4, 5};
  for (const Features& features : {Features(x), Features(to_sparse(x))}) {
    const Matrix with = linear_scores(features, w, b, Context(2));
    const Matrix without = linear_scores(features, w, {}, Context(1));
    for (Index i = 0; i < 300; ++i) {
      for (Index l = 0; l < 5; ++l) {
        double expected = 0;
        for (Index j = 0; j < 17; ++j) expected += x(i, j) * w(l, j);
        EXPECT_NEAR(without(i, l), expected, 1e-12);
        EXPECT_NEAR(with(i, l), expected + static_cast<double>(l + 1), 1e-12);
      }
    }
  }
}

TEST(Products, TransposedProductAgainstLoops) {
  const Matrix x = random_matrix(200, 140, 3), r = random_matrix(200, 3, 4);
  for (const Features& features : {Features(x), Features(to_sparse(x))}) {
    const Matrix got = transposed_product(features, r, Context(2));
    for (Index j = 0; j < 140; ++j) {
      for (Index l = 0; l < 3; ++l) {
        double expected = 0;
        for (Index i = 0; i < 200; ++i) expected += x(i, j) * r(i, l);
        EXPECT_NEAR(got(j, l), expected, 1e-12);
      }
    }
  }
}

TEST(Products, AnyNumberOfThreadsGivesTheSameBits) {
  const Matrix x = random_matrix(1000, 150, 5), w = random_matrix(7, 150, 6),
               r = random_matrix(1000, 7, 7);
  for (const Features& features : {Features(x), Features(to_sparse(x))}) {
    for (const int threads : {2, 8}) {
      EXPECT_EQ(linear_scores(features, w, {}, Context(threads)),
                linear_scores(features, w, {}, Context(1)));
      EXPECT_EQ(transposed_product(features, r, Context(threads)),
                transposed_product(features, r, Context(1)));
    }
  }
}

TEST(Products, NothingToDo) {
  EXPECT_EQ(linear_scores(Matrix(0, 3), Matrix(2, 3), {}, Context()).rows(), 0);
  EXPECT_EQ(linear_scores(Matrix(2, 0), Matrix(1, 0), std::vector<double>{4}, Context())(1, 0), 4);
  EXPECT_EQ(transposed_product(Matrix(0, 3), Matrix(0, 2), Context()), Matrix(3, 2));
}

}  // namespace
}  // namespace mulberry::math
