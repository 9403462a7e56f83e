#include "mulberry/math/dense/standardise.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mulberry::math {
namespace {

TEST(Standardise, ByHandDenseAndSparse) {
  // Column 1 is constant, column 3 is all zero; both are dropped.
  const Matrix x(4, 4, std::vector<double>{1, 7, 0, 0, 2, 7, 0, 0, 3, 7, 0, 0, 6, 7, 4, 0});
  for (const Features& features : {Features(x), Features(to_sparse(x))}) {
    const Standardiser steps(features);
    ASSERT_EQ(steps.columns(), 2);
    const Matrix z = steps.apply(features);
    const double deviation = std::sqrt(3.5);  // of 1, 2, 3, 6 about 3
    for (Index i = 0; i < 4; ++i) {
      EXPECT_NEAR(z(i, 0), (x(i, 0) - 3) / deviation, 1e-15);
      EXPECT_NEAR(z(i, 1), (x(i, 2) - 1) / std::sqrt(3.0), 1e-15);
    }
    // Other rows are measured by the training rows.
    const Matrix other = steps.apply(Matrix(1, 4, 3.0));
    EXPECT_EQ(other(0, 0), 0);
  }
}

TEST(Standardise, ConstantColumnsWithRoundingAreDropped) {
  EXPECT_EQ(Standardiser(Matrix(10, 2, 0.1)).columns(), 0);
  EXPECT_EQ(Standardiser(Matrix(1, 3, 2.0)).columns(), 0);
  EXPECT_EQ(Standardiser(Matrix(10, 2, 0.1)).apply(Matrix(3, 2)).rows(), 3);
}

}  // namespace
}  // namespace mulberry::math
