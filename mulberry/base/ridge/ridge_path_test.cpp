#include "mulberry/base/ridge/ridge_path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"
#include "mulberry/math/dense/products.hpp"

namespace mulberry::base {
namespace {

constexpr double k_same = 1e-9;

Matrix draw(std::uint64_t seed, Index n, Index d) {
  Random rng = Context(1, seed).rng("ridge_path_test");
  Matrix out(n, d);
  for (Index c = 0; c < out.size(); ++c) out.data()[c] = rng.normal();
  return out;
}

Matrix inner_products(MatrixView x) {
  Matrix out(x.rows(), x.rows());
  blas::syrk(1, blas::block(x), blas::Op::plain, 0, blas::block(out));
  return out;
}

std::vector<Id> all_rows(Index n) {
  std::vector<Id> out(at(n));
  std::iota(out.begin(), out.end(), Id{0});
  return out;
}

// Solves a x = b by elimination with pivots.
std::vector<double> eliminate(Matrix a, std::vector<double> b) {
  const Index n = a.rows();
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    std::swap_ranges(a.row(k).begin(), a.row(k).end(), a.row(pivot).begin());
    std::swap(b[at(k)], b[at(pivot)]);
    for (Index i = k + 1; i < n; ++i) {
      const double factor = a(i, k) / a(k, k);
      for (Index j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
      b[at(i)] -= factor * b[at(k)];
    }
  }
  for (Index k = n - 1; k >= 0; --k) {
    for (Index j = k + 1; j < n; ++j) b[at(k)] -= a(k, j) * b[at(j)];
    b[at(k)] /= a(k, k);
  }
  return b;
}

// The regression of one target by its definition: [K + alpha W^-1, 1; 1', 0] [c; b] = [y; 0], on
// the rows that are kept.
struct Plain {
  std::vector<double> c;  // of all rows; 0 for those left out
  double b = 0;
  double at_row(MatrixView kernel, Index i) const {
    double out = b;
    for (Index j = 0; j < kernel.cols(); ++j) out += kernel(i, j) * c[at(j)];
    return out;
  }
};

Plain plain_ridge(MatrixView kernel, std::span<const double> w, MatrixView y, Index label,
                  double alpha, Index without = -1) {
  std::vector<Index> rows;
  for (Index i = 0; i < kernel.rows(); ++i) {
    if (i != without) rows.push_back(i);
  }
  const Index n = count_of(rows);
  Matrix a(n + 1, n + 1, 1.0);
  std::vector<double> right(at(n + 1));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) a(i, j) = kernel(rows[at(i)], rows[at(j)]);
    a(i, i) += alpha / w[at(rows[at(i)])];
    right[at(i)] = y(rows[at(i)], label);
  }
  a(n, n) = 0;
  const std::vector<double> found = eliminate(std::move(a), std::move(right));
  Plain out{.c = std::vector<double>(at(kernel.rows())), .b = found.back()};
  for (std::size_t k = 0; k < rows.size(); ++k) out.c[at(rows[k])] = found[k];
  return out;
}

std::vector<Matrix> left_out(const RidgePath& path, std::span<const double> alphas, Index rows,
                             Index labels, const Context& ctx) {
  std::vector<Matrix> out(alphas.size(), Matrix(rows, labels));
  std::mutex guard;
  path.left_out(alphas, ctx, [&](Index k, Index begin, blas::Block<const double> predicted) {
    const std::scoped_lock lock(guard);
    for (Index i = 0; i < predicted.rows; ++i) {
      std::copy_n(predicted.data + i * predicted.stride, labels, out[at(k)].row(begin + i).begin());
    }
  });
  return out;
}

struct Problem {
  Matrix x = draw(1, 24, 5);
  Matrix y = draw(2, 24, 3);
  std::vector<double> weights = {};
  Problem() {
    for (Index i = 0; i < 24; ++i) weights.push_back(0.25 + static_cast<double>(i % 5));
    for (Index i = 0; i < 24; ++i) x(i, 0) += 3;  // centring matters
  }
};

const std::vector<double> k_alphas = {1e-4, 0.3, 20};

TEST(RidgePath, LeavesOutRowsAsRefitsDo) {
  const Problem p;
  const Matrix kernel = inner_products(p.x);
  Matrix wide = kernel;  // of full rank: the components are a whole basis
  for (Index i = 0; i < 24; ++i) wide(i, i) += 0.5;
  for (const Matrix& k : {kernel, wide}) {
    const RowScale scale(24, p.weights);
    const RidgePath path =
        RidgePath::of_kernel({k, all_rows(24), scale, Context(2)}, p.y, Context(2));
    const std::vector<Matrix> found = left_out(path, k_alphas, 24, 3, Context(2));
    for (std::size_t a = 0; a < k_alphas.size(); ++a) {
      for (Index i = 0; i < 24; ++i) {
        for (Index l = 0; l < 3; ++l) {
          const Plain without = plain_ridge(k, p.weights, p.y, l, k_alphas[a], i);
          ASSERT_NEAR(found[a](i, l), without.at_row(k, i), 1e-7) << k_alphas[a] << ' ' << i;
        }
      }
    }
  }
}

TEST(RidgePath, FitsEveryLabelWithItsPenalty) {
  const Problem p;
  const Matrix kernel = inner_products(p.x);
  const RowScale scale(24, p.weights);
  const RidgePath path =
      RidgePath::of_kernel({kernel, all_rows(24), scale, Context()}, p.y, Context());
  const RidgeFit found = path.fit(k_alphas, Context());
  for (Index l = 0; l < 3; ++l) {
    const Plain expected = plain_ridge(kernel, p.weights, p.y, l, k_alphas[at(l)]);
    EXPECT_NEAR(found.b[at(l)], expected.b, 1e-7);
    const RidgeFit one = ridge_of_kernel({kernel, all_rows(24), scale, Context()}, p.y,
                                         k_alphas[at(l)], true, Context());
    EXPECT_NEAR(one.b[at(l)], expected.b, 1e-7);
    for (Index i = 0; i < 24; ++i) {
      double path_score = found.b[at(l)], one_score = one.b[at(l)];
      for (Index j = 0; j < 24; ++j) {
        path_score += kernel(i, j) * found.coefficients(j, l);
        one_score += kernel(i, j) * one.coefficients(j, l);
      }
      EXPECT_NEAR(path_score, expected.at_row(kernel, i), 1e-7);
      EXPECT_NEAR(one_score, expected.at_row(kernel, i), 1e-7);
    }
  }
}

TEST(RidgePath, ColumnsAreTheLinearKernel) {
  Problem p;
  for (Index i = 0; i < 24; ++i) p.x(i, 3) = p.x(i, 2);  // a direction without rows
  for (double& v : std::span(p.x.data(), at(p.x.size()))) v = std::abs(v) < 0.4 ? 0 : v;
  const Matrix kernel = inner_products(p.x);
  const RowScale scale(24, p.weights);
  const RidgePath expected =
      RidgePath::of_kernel({kernel, all_rows(24), scale, Context()}, p.y, Context());
  const std::vector<Matrix> scores = left_out(expected, k_alphas, 24, 3, Context());
  const Features dense(MatrixView(p.x)), sparse(to_sparse(dense));
  for (const Features& x : {dense, sparse}) {
    const RidgePath path = RidgePath::of_columns(x, scale, p.y, Context());
    const std::vector<Matrix> found = left_out(path, k_alphas, 24, 3, Context());
    const RidgeFit fit = path.fit(k_alphas, Context()),
                   kernel_fit = expected.fit(k_alphas, Context());
    for (std::size_t a = 0; a < k_alphas.size(); ++a) {
      for (Index c = 0; c < 24 * 3; ++c) {
        ASSERT_NEAR(found[a].data()[c], scores[a].data()[c], 1e-7) << k_alphas[a];
      }
      const auto l = static_cast<Index>(a);
      EXPECT_NEAR(fit.b[a], kernel_fit.b[a], 1e-7);
      const RidgeFit one = ridge_of_columns(x, scale, p.y, k_alphas[a], Context());
      for (Index j = 0; j < 5; ++j) {
        double by_rows = 0;
        for (Index i = 0; i < 24; ++i) by_rows += p.x(i, j) * kernel_fit.coefficients(i, l);
        EXPECT_NEAR(fit.coefficients(j, l), by_rows, 1e-7);
        EXPECT_NEAR(one.coefficients(j, l), by_rows, 1e-6);
      }
    }
  }
}

// Three rows by hand: x = -1, 0, 1 and y = -1, -1, 1 with alpha = 1 give w = 2/3, b = -1/3; without
// the last row the line is flat at -1, without the first w = 2/3 at mean 1/2: f(-1) = -1.
TEST(RidgePath, WorkedExample) {
  const Matrix x(3, 1, std::vector<double>{-1, 0, 1}), y(3, 1, std::vector<double>{-1, -1, 1});
  const Features features{MatrixView(x)};
  const RidgePath path = RidgePath::of_columns(features, RowScale(3, {}), y, Context());
  const double alpha = 1;
  const RidgeFit fit = path.fit({&alpha, 1}, Context());
  EXPECT_NEAR(fit.coefficients(0, 0), 2.0 / 3, k_same);
  EXPECT_NEAR(fit.b[0], -1.0 / 3, k_same);
  const Matrix out = left_out(path, {&alpha, 1}, 3, 1, Context())[0];
  EXPECT_NEAR(out(0, 0), -1, k_same);
  EXPECT_NEAR(out(1, 0), 0, k_same);
  EXPECT_NEAR(out(2, 0), -1, k_same);
}

TEST(RidgePath, PenaltiesFollowTheScaleOfTheData) {
  const Problem p;
  Matrix kernel = inner_products(p.x);
  const RowScale scale(24, {});
  const auto penalties = [&](double factor) {
    Matrix scaled(kernel);
    for (Index c = 0; c < scaled.size(); ++c) scaled.data()[c] *= factor;
    return RidgePath::of_kernel({scaled, all_rows(24), scale, Context()}, p.y, Context())
        .penalties(7);
  };
  const std::vector<double> one = penalties(1), many = penalties(1e6);
  ASSERT_EQ(one.size(), 7U);
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(many[k] / one[k], 1e6, 1);
  EXPECT_TRUE(std::is_sorted(one.begin(), one.end()));
}

TEST(RidgePath, AKernelThatIsNoneNeedsALargerPenalty) {
  Matrix kernel(2, 2, 5.0);
  kernel(0, 0) = kernel(1, 1) = 1;  // eigenvalue -4 across the constant
  const Matrix y(2, 1, std::vector<double>{1, -1});
  const std::vector<Id> rows = all_rows(2);
  const RowScale scale(2, {});
  EXPECT_THROW(ridge_of_kernel({kernel, rows, scale, Context()}, y, 1, false, Context()), Error);
  const RidgePath path = RidgePath::of_kernel({kernel, rows, scale, Context()}, y, Context());
  EXPECT_GT(path.penalties(5)[0], 4);
  const double small = 1;
  EXPECT_THROW(path.fit({&small, 1}, Context()), Error);
}

}  // namespace
}  // namespace mulberry::base
