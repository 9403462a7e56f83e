#include "mulberry/math/kernels/nystrom.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"

namespace mulberry::math {
namespace {

Matrix random_points(Index rows, Index cols, std::uint64_t seed) {
  Random rng(seed, "points");
  Matrix out(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) out(i, j) = rng.uniform();
  }
  return out;
}

double worst_difference(const Kernel& kernel, const Features& x, MatrixView phi) {
  Matrix exact(x.rows(), x.rows()), near = exact;
  KernelBlocks(kernel, x, x).fill(0, 0, blas::block(exact));
  blas::gemm(1.0, blas::block(phi), blas::Op::plain, blas::block(phi), blas::Op::transposed, 0.0,
             blas::block(near));
  double worst = 0;
  for (Index k = 0; k < exact.size(); ++k) {
    worst = std::max(worst, std::abs(exact.data()[k] - near.data()[k]));
  }
  return worst;
}

TEST(Nystrom, WithAllRowsAsLandmarksIsTheKernel) {
  const Context ctx;
  const Features x(random_points(30, 4, 1));
  for (const KernelKind kind : {KernelKind::linear, KernelKind::rbf, KernelKind::chi2}) {
    const Kernel kernel{.kind = kind, .gamma = 2};
    const Features z = choose_landmarks(kernel, x, 30, ctx);
    EXPECT_EQ(z, x) << "in their order";
    const Matrix phi = nystrom_features(kernel, z, nystrom_root(kernel, z, ctx), x, ctx);
    EXPECT_LT(worst_difference(kernel, x, phi), 1e-9) << name_of(kind);
  }
}

TEST(Nystrom, GetsCloserWithMoreLandmarks) {
  const Context ctx;
  const Features x(random_points(200, 3, 2));
  const Kernel kernel{.kind = KernelKind::rbf, .gamma = 1};
  double before = 1e300;
  for (const Index count : {5, 20, 80}) {
    const Features z = choose_landmarks(kernel, x, count, ctx);
    ASSERT_EQ(z.rows(), count);
    const Matrix phi = nystrom_features(kernel, z, nystrom_root(kernel, z, ctx), x, ctx);
    const double now = worst_difference(kernel, x, phi);
    EXPECT_LT(now, before / 5);
    before = now;
  }
}

TEST(Nystrom, IsExactAtTheLandmarksForRowsItHasNotSeen) {
  const Context ctx;
  const Features x(random_points(40, 3, 3)), fresh(random_points(7, 3, 4));
  const Kernel kernel{.kind = KernelKind::laplacian, .gamma = 1};
  const Features z = choose_landmarks(kernel, x, 12, ctx);
  const Matrix root = nystrom_root(kernel, z, ctx);
  const Matrix a = nystrom_features(kernel, z, root, fresh, ctx);
  const Matrix b = nystrom_features(kernel, z, root, z, ctx);
  Matrix exact(7, 12);
  KernelBlocks(kernel, fresh, z).fill(0, 0, blas::block(exact));
  for (Index i = 0; i < 7; ++i) {
    for (Index j = 0; j < 12; ++j) {
      EXPECT_NEAR(blas::dot(a.row(i), b.row(j)), exact(i, j), 1e-9);
    }
  }
}

TEST(Nystrom, LeavesOutWhatHasNoRoot) {
  const Context ctx;
  Matrix twice = random_points(20, 3, 5);  // equal rows: K_zz is singular
  for (Index i = 0; i < 10; ++i) {
    std::copy_n(twice.row(i).begin(), 3, twice.row(10 + i).begin());
  }
  for (const KernelKind kind : {KernelKind::rbf, KernelKind::modified_chi2}) {
    const Kernel kernel{.kind = kind, .gamma = 5};
    const Features x(twice);
    const Matrix phi = nystrom_features(kernel, x, nystrom_root(kernel, x, ctx), x, ctx);
    for (Index k = 0; k < phi.size(); ++k) EXPECT_LT(std::abs(phi.data()[k]), 2);
    for (Index j = 0; j < phi.cols(); ++j) EXPECT_NEAR(phi(0, j), phi(10, j), 1e-6);
  }
}

TEST(Nystrom, SeedsChooseLandmarks) {
  const Features x(random_points(50, 2, 6));
  const Kernel kernel;
  const auto chosen = [&](std::uint64_t seed) {
    return choose_landmarks(kernel, x, 10, Context(1, seed));
  };
  EXPECT_EQ(chosen(1), chosen(1));
  EXPECT_NE(chosen(1), chosen(2));
  EXPECT_EQ(choose_landmarks(kernel, x, 500, Context()).rows(), 50);
  EXPECT_THROW(choose_landmarks({.kind = KernelKind::precomputed}, x, 5, Context()), Error);
}

}  // namespace
}  // namespace mulberry::math
