#include "mulberry/math/kernels/kernels.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/math/kernels/kernel_loops.hpp"
#include "mulberry/math/kernels/kernel_matrix.hpp"

namespace mulberry::math {
namespace {

constexpr KernelKind k_kinds[] = {
    KernelKind::linear, KernelKind::polynomial,    KernelKind::rbf,         KernelKind::laplacian,
    KernelKind::chi2,   KernelKind::modified_chi2, KernelKind::intersection};

// About a third zeros; none below 0 unless requested.
Matrix random_rows(Index rows, Index cols, std::uint64_t seed, bool negative = false) {
  Random rng(seed, "kernel rows");
  Matrix out(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      if (rng.chance(0.35)) continue;
      out(i, j) = rng.uniform(negative ? -2 : 0, 2);
    }
  }
  return out;
}

// The formulas of the header, literally.
double distance(KernelKind kind, std::span<const double> x, std::span<const double> y) {
  double sum = 0, below = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double d = x[k] - y[k], s = x[k] + y[k];
    if (kind == KernelKind::laplacian) sum += std::abs(d);
    if (kind == KernelKind::chi2 && s != 0) sum += d * d / s;
    if (kind == KernelKind::rbf || kind == KernelKind::modified_chi2) sum += d * d;
    below += s * s;
  }
  if (kind != KernelKind::modified_chi2) return sum;
  return below > 0 ? sum / below : 0;
}

double naive(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  double dot = 0, least = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    dot += x[k] * y[k];
    least += std::min(x[k], y[k]);
  }
  switch (kernel.kind) {
    case KernelKind::linear:
      return dot;
    case KernelKind::polynomial:
      return std::pow(kernel.gamma * dot + kernel.coef0, static_cast<double>(kernel.degree));
    case KernelKind::intersection:
      return least;
    default:
      return std::exp(-kernel.gamma * distance(kernel.kind, x, y));
  }
}

Kernel with(KernelKind kind, double gamma = 0.3) { return {.kind = kind, .gamma = gamma}; }

TEST(Kernels, BlocksEqualTheFormulas) {
  const bool signs[] = {false, true};
  for (const KernelKind kind : k_kinds) {
    for (const bool negative : signs) {
      if (negative && (kind == KernelKind::chi2 || kind == KernelKind::modified_chi2 ||
                       kind == KernelKind::intersection)) {
        continue;
      }
      Matrix a = random_rows(21, 11, 1, negative);
      Matrix b = random_rows(35, 11, 2, negative);
      for (Index j = 0; j < 11; ++j) {
        b(4, j) = a(3, j);      // equal rows
        a(5, j) = b(6, j) = 0;  // rows of nothing
      }
      const Kernel kernel = with(kind);
      const Features dense_a = a, dense_b = b, sparse_a = to_sparse(a), sparse_b = to_sparse(b);
      for (const Features* left : {&dense_a, &sparse_a}) {
        for (const Features* right : {&dense_b, &sparse_b}) {
          const KernelBlocks blocks(kernel, *left, *right);
          Matrix out(13, 18, -1.0);
          blocks.fill(2, 3, blas::block(out));
          for (Index i = 0; i < 13; ++i) {
            for (Index j = 0; j < 18; ++j) {
              const double expected = naive(kernel, a.row(2 + i), b.row(3 + j));
              EXPECT_NEAR(out(i, j), expected, 1e-12 * std::max(1.0, expected)) << name_of(kind);
            }
          }
        }
      }
    }
  }
}

TEST(Kernels, ARowIsAtNoDistanceFromItself) {
  Matrix x = random_rows(40, 7, 3);
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 7; ++j) x(i, j) += 1e3;  // where products of rows round visibly
  }
  for (const KernelKind kind :
       {KernelKind::rbf, KernelKind::laplacian, KernelKind::chi2, KernelKind::modified_chi2}) {
    for (const Features& rows : {Features(x), Features(to_sparse(x))}) {
      const KernelMatrix k(with(kind, 50), rows, KernelStorage::f64, Context());
      for (Index i = 0; i < 40; ++i) EXPECT_EQ(k.doubles().data[i * 40 + i], 1) << name_of(kind);
    }
  }
}

// Values below 1e-100 count as 0.
TEST(Kernels, DistancesOfVerySmallAndLargeHistograms) {
  for (const double scale : {1e-90, 1e-30, 1.0, 1e90}) {
    for (const double other : {1e-90, 1.0}) {  // of every second feature
      Matrix x = random_rows(12, 6, 13);
      for (Index i = 0; i < 12; ++i) {
        for (Index j = 0; j < 6; ++j) x(i, j) *= j % 2 == 0 ? scale : scale * other;
      }
      const Features rows(x);
      Matrix out(12, 12);
      KernelBlocks(with(KernelKind::chi2), rows, rows).distances(0, 0, blas::block(out));
      for (Index i = 0; i < 12; ++i) {
        for (Index j = 0; j < 12; ++j) {
          const double expected = distance(KernelKind::chi2, x.row(i), x.row(j));
          EXPECT_NEAR(out(i, j), expected, 1e-12 * expected + 1e-103) << scale;
        }
      }
    }
  }
}

TEST(Kernels, ExponentialsAreThoseOfTheStandardLibrary) {
  std::vector<double> values;
  for (double v = 0; v < 720; v += 0.37) values.push_back(v);
  for (const double v :
       {0.0, 1e-300, 1e-17, 707.9, 708.1, 1e6, 1e300, static_cast<double>(INFINITY)})
    values.push_back(v);
  for (const double scale : {1.0, 0.01, 3.0}) {
    std::vector<double> out = values;
    kernel_loops::Exponentials task{out.data(), count_of(out), scale};
    kernel_loops::exponentials(task);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double expected = std::exp(-scale * values[k]);
      EXPECT_NEAR(out[k], expected, 4e-16 * expected + 5e-308) << values[k];
    }
  }
}

TEST(Kernels, WidthByTheMeanOfThePairs) {
  const Matrix x = random_rows(150, 5, 4);  // more rows than a block
  for (const KernelKind kind :
       {KernelKind::rbf, KernelKind::laplacian, KernelKind::chi2, KernelKind::modified_chi2}) {
    double mean = 0, root = 0;
    for (Index i = 0; i < 150; ++i) {
      for (Index j = i + 1; j < 150; ++j) {
        const double d = distance(kind, x.row(i), x.row(j));
        mean += d / (150 * 149 / 2);
        root += std::sqrt(d) / (150 * 149 / 2);
      }
    }
    KernelParams params{.kernel = kind};
    EXPECT_NEAR(choose_kernel(params, x, Context(2)).gamma, 1 / mean, 1e-9 / mean);
    params.width_factor = 2.5;
    EXPECT_NEAR(choose_kernel(params, x, Context()).gamma, 1 / (2.5 * mean), 1e-9 / mean);
    params.width = "mean_root";
    params.width_factor = 1;
    EXPECT_NEAR(choose_kernel(params, x, Context()).gamma, 1 / (2 * root * root), 1e-6);
    params.width = "0.25";
    EXPECT_EQ(choose_kernel(params, x, Context()).gamma, 0.25);
    EXPECT_FALSE(choose_kernel(params, x, Context()).sampled);
  }
  EXPECT_EQ(choose_kernel({.kernel = KernelKind::polynomial}, x, Context()).gamma, 1.0 / 5);
  // All rows equal, or a single row: there is no distance.
  EXPECT_EQ(choose_kernel({.kernel = KernelKind::rbf}, Matrix(4, 2, 1.0), Context()).gamma, 1);
  EXPECT_EQ(choose_kernel({.kernel = KernelKind::rbf}, Matrix(1, 2, 1.0), Context()).gamma, 1);
}

TEST(Kernels, WidthOfManyRowsComesFromSome) {
  const Matrix x = random_rows(4001, 2, 5);
  // The mean of all squared distances is twice the variance of the columns.
  double mean = 0;
  for (Index j = 0; j < 2; ++j) {
    double sum = 0, squares = 0;
    for (Index i = 0; i < 4001; ++i) {
      sum += x(i, j) / 4001;
      squares += x(i, j) * x(i, j) / 4001;
    }
    mean += 2 * (squares - sum * sum);
  }
  const Kernel kernel = choose_kernel({.kernel = KernelKind::rbf}, x, Context(2, 9));
  EXPECT_TRUE(kernel.sampled);
  EXPECT_NEAR(kernel.gamma, 1 / mean, 0.03 / mean);
}

TEST(Kernels, ParametersWithoutMeaningAreRefused) {
  const Matrix x = random_rows(6, 3, 6, true);
  const KernelParams wrong[] = {{.kernel = KernelKind::linear, .width = "2"},
                                {.kernel = KernelKind::linear, .width_factor = 2},
                                {.kernel = KernelKind::rbf, .width = "wide"},
                                {.kernel = KernelKind::rbf, .width = "0"},
                                {.kernel = KernelKind::rbf, .width = "1", .width_factor = 2},
                                {.kernel = KernelKind::rbf, .degree = 2},
                                {.kernel = KernelKind::chi2},          // values below 0
                                {.kernel = KernelKind::precomputed}};  // not square
  for (const KernelParams& params : wrong) {
    EXPECT_THROW(choose_kernel(params, x, Context()), Error) << name_of(params.kernel);
  }
  Matrix k(2, 2, 1.0);
  EXPECT_NO_THROW(choose_kernel({.kernel = KernelKind::precomputed}, k, Context()));
  k(0, 1) = 1.001;
  EXPECT_THROW(choose_kernel({.kernel = KernelKind::precomputed}, k, Context()), Error);
  k(0, 1) = 1e-17;  // both mean 0, although one is twice the other
  k(1, 0) = 2e-17;
  EXPECT_NO_THROW(choose_kernel({.kernel = KernelKind::precomputed}, k, Context()));
}

TEST(KernelMatrix, EveryStorageGivesTheSameProducts) {
  const Matrix x = random_rows(140, 6, 7);
  const Matrix a = random_rows(140, 3, 8, true);
  for (const KernelKind kind : k_kinds) {
    const Kernel kernel = with(kind);
    for (const KernelStorage storage :
         {KernelStorage::f64, KernelStorage::f32, KernelStorage::none}) {
      const Features rows = x;
      const KernelMatrix k(kernel, rows, storage, Context(2));
      const double slack = storage == KernelStorage::f32 ? 1e-5 : 1e-10;
      const Matrix all = k.product(a, Context(2));
      const std::vector<Id> some = {139, 0, 77};
      std::vector<double> column(140), out(3);
      for (Index i = 0; i < 140; ++i) column[at(i)] = a(i, 1);
      k.times(some, column, out);
      Matrix copied(2, 140);
      k.copy_rows(76, blas::block(copied));
      for (std::size_t s = 0; s < some.size(); ++s) {
        double expected = 0;
        for (Index j = 0; j < 140; ++j) {
          expected += naive(kernel, x.row(some[s]), x.row(j)) * a(j, 1);
        }
        EXPECT_NEAR(out[s], expected, slack * std::max(1.0, std::abs(expected)) * 10);
        EXPECT_NEAR(all(some[s], 1), expected, slack * std::max(1.0, std::abs(expected)) * 10);
      }
      for (Index j = 0; j < 140; ++j) {
        EXPECT_NEAR(copied(1, j), naive(kernel, x.row(77), x.row(j)), slack * 1e3);
      }
    }
  }
}

TEST(KernelMatrix, StripsMakeAWholeMatrix) {
  const Index n = 700;  // more than a strip
  const Features x(random_rows(n, 3, 12));
  for (const KernelKind kind : {KernelKind::rbf, KernelKind::chi2, KernelKind::linear}) {
    const KernelMatrix k(with(kind), x, KernelStorage::f64, Context(2));
    Matrix expected(n, n);
    KernelBlocks(with(kind), x, x).fill(0, 0, blas::block(expected));
    const double* const found = k.doubles().data;
    double worst = 0;
    for (Index c = 0; c < n * n; ++c) {
      worst = std::max(worst, std::abs(found[c] - expected.data()[c]));
    }
    EXPECT_LT(worst, 1e-13) << name_of(kind);
  }
}

TEST(KernelMatrix, SameBitsForAnyNumberOfThreads) {
  const Features x = random_rows(300, 9, 10);
  for (const KernelKind kind : k_kinds) {
    const KernelMatrix one(with(kind), x, KernelStorage::f64, Context(1));
    const KernelMatrix eight(with(kind), x, KernelStorage::f64, Context(8));
    EXPECT_TRUE(
        std::equal(one.doubles().data, one.doubles().data + 300 * 300, eight.doubles().data))
        << name_of(kind);
  }
}

TEST(KernelMatrix, SaysWhatItTakes) {
  EXPECT_EQ(KernelMatrix::bytes(1000, KernelStorage::f64), 8000000U);
  EXPECT_EQ(KernelMatrix::bytes(1000, KernelStorage::f32), 4000000U);
  EXPECT_EQ(KernelMatrix::fitting(1000, 8000000), KernelStorage::f64);
  EXPECT_EQ(KernelMatrix::fitting(1000, 7999999), KernelStorage::f32);
  EXPECT_EQ(KernelMatrix::fitting(1000, 3999999), KernelStorage::none);
}

TEST(Kernels, ScoresOfAModel) {
  const Matrix train = random_rows(150, 4, 11), test = random_rows(140, 4, 12);
  const Matrix alpha = random_rows(2, 150, 13, true);
  const std::vector<double> b = {0.5, -1};
  const Kernel kernel = with(KernelKind::rbf);
  const Matrix scores =
      kernel_scores(kernel, Features(to_sparse(test)), train, alpha, b, Context(2));
  for (Index i = 0; i < 140; ++i) {
    for (Index l = 0; l < 2; ++l) {
      double expected = b[at(l)];
      for (Index j = 0; j < 150; ++j) {
        expected += alpha(l, j) * naive(kernel, test.row(i), train.row(j));
      }
      EXPECT_NEAR(scores(i, l), expected, 1e-10);
    }
  }
}

TEST(Kernels, PrecomputedValuesAreTaken) {
  Matrix k(3, 3, 0.0);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) k(i, j) = i == j ? 2 : 0.5;
  }
  k(0, 2) = k(2, 0) = 0;
  for (const Features& x : {Features(k), Features(to_sparse(k))}) {
    const Kernel kernel = choose_kernel({.kernel = KernelKind::precomputed}, x, Context());
    const KernelMatrix values(kernel, x, KernelStorage::f64, Context());
    for (Index i = 0; i < 9; ++i) EXPECT_EQ(values.doubles().data[i], k.values()[at(i)]);
  }
}

}  // namespace
}  // namespace mulberry::math
