#include "mulberry/learners/transform/canonical_directions.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/math/dense/products.hpp"

namespace mulberry::learners {
namespace {

using Rows = std::vector<std::vector<double>>;

struct Data {
  Matrix x, y;  // y centred
};

// Labels that depend on some of the features; every third value of x is 0.
Data make_data(Index n, Index d, Index labels) {
  Random random(8, "canonical_test");
  Data out{Matrix(n, d), Matrix(n, labels)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j)
      out.x(i, j) = (i + j) % 3 == 0 ? 0 : 2 + static_cast<double>(j + 1) * random.normal();
    for (Index l = 0; l < labels; ++l) {
      out.y(i, l) = out.x(i, l % d) + 0.5 * out.x(i, (l + 1) % d) +
                        static_cast<double>(l + 1) * random.normal() >
                    2;
    }
  }
  for (Index l = 0; l < labels; ++l) {
    double mean = 0;
    for (Index i = 0; i < n; ++i) mean += out.y(i, l) / static_cast<double>(n);
    for (Index i = 0; i < n; ++i) out.y(i, l) -= mean;
  }
  return out;
}

// Covariance of the columns of a and b, one sum at a time.
Rows covariance(MatrixView a, MatrixView b) {
  const auto n = static_cast<double>(a.rows());
  const auto mean = [&](MatrixView m, Index j) {
    double sum = 0;
    for (Index i = 0; i < m.rows(); ++i) sum += m(i, j);
    return sum / n;
  };
  Rows out;
  for (Index j = 0; j < a.cols(); ++j) {
    auto& row = out.emplace_back();
    for (Index k = 0; k < b.cols(); ++k) {
      double sum = 0;
      for (Index i = 0; i < a.rows(); ++i) sum += (a(i, j) - mean(a, j)) * (b(i, k) - mean(b, k));
      row.push_back(sum / n);
    }
  }
  return out;
}

void add_ridge(Rows& s, double ridge) {
  double mean = 0;
  for (std::size_t k = 0; k < s.size(); ++k) mean += s[k][k] / static_cast<double>(s.size());
  for (std::size_t k = 0; k < s.size(); ++k) s[k][k] += ridge * mean;
}

// A^-1 B by Gauss and Jordan.
Rows solve(Rows a, Rows b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < a.size(); ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (i == k) continue;
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = 0; j < a.size(); ++j) a[i][j] -= factor * a[k][j];
      for (std::size_t j = 0; j < b[i].size(); ++j) b[i][j] -= factor * b[k][j];
    }
  }
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (double& v : b[k]) v /= a[k][k];
  }
  return b;
}

Rows product(const Rows& a, const Rows& b) {
  Rows out(a.size(), std::vector<double>(b.front().size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t j = 0; j < b[k].size(); ++j) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}

Rows column(std::span<const double> v) {
  Rows out;
  for (const double value : v) out.push_back({value});
  return out;
}

// Every pair (u, rho) solves the definition with all matrices written out, the directions are
// orthonormal, and none is missing: the rho^2 add up to the trace.
void expect_solves(const Data& data, const CanonicalDirections& got, double ridge) {
  Rows sxx = covariance(data.x, data.x), syy = covariance(data.y, data.y);
  add_ridge(sxx, ridge);
  add_ridge(syy, ridge);
  const Rows sxy = covariance(data.x, data.y), syx = covariance(data.y, data.x);
  const Rows left = product(sxy, solve(syy, syx));
  const Rows quotient = solve(sxx, left);
  double trace = 0, total = 0;
  for (std::size_t j = 0; j < quotient.size(); ++j) trace += quotient[j][j];
  for (const double rho : got.correlations) total += rho * rho;
  EXPECT_NEAR(total, trace, 1e-8);
  for (Index k = 0; k < got.directions.rows(); ++k) {
    const double rho = got.correlations[at(k)];
    EXPECT_LT(rho, 1);
    const Rows u = column(got.directions.row(k));
    const Rows a = product(left, u), b = product(sxx, u);
    for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j][0], rho * rho * b[j][0], 1e-7);
    for (Index other = 0; other <= k; ++other) {
      double inner = 0;
      for (std::size_t j = 0; j < b.size(); ++j) {
        inner += b[j][0] * got.directions(other, static_cast<Index>(j));
      }
      EXPECT_NEAR(inner, other == k ? 1 : 0, 1e-7);
    }
  }
}

TEST(CanonicalDirections, SolveTheirDefinition) {
  struct Case {
    Index n, d, labels;
  };
  for (const auto& [n, d, labels] :
       {Case{60, 5, 3}, {60, 3, 5}, {9, 14, 4}, {6, 14, 9}, {20, 1, 1}}) {
    const Data data = make_data(n, d, labels);
    for (const double ridge : {1e-3, 0.3}) {
      const CanonicalDirections got = canonical_directions(data.x, data.y, ridge, Context(1));
      expect_solves(data, got, ridge);
      EXPECT_LE(got.directions.rows(), std::min(d, labels));
      const CanonicalDirections sparse =
          canonical_directions(to_sparse(Features(data.x)), data.y, ridge, Context(2));
      expect_solves(data, sparse, ridge);
      ASSERT_EQ(sparse.directions.rows(), got.directions.rows());
      // The offset centres projections.
      const Matrix z = linear_scores(data.x, got.directions, got.offset, Context(1));
      for (Index k = 0; k < z.cols(); ++k) {
        double sum = 0;
        for (Index i = 0; i < n; ++i) sum += z(i, k);
        EXPECT_NEAR(sum, 0, 1e-9 * static_cast<double>(n));
      }
    }
  }
}

// With one label and hardly any ridge, rho^2 is the share of the label's variance that a linear
// function of x explains.
TEST(CanonicalDirections, OneLabelIsRegression) {
  const Data data = make_data(50, 3, 1);
  const CanonicalDirections got = canonical_directions(data.x, data.y, 1e-11, Context(1));
  ASSERT_EQ(got.directions.rows(), 1);
  const Rows sxy = covariance(data.x, data.y);
  const Rows weights = solve(covariance(data.x, data.x), sxy);
  double explained = 0;
  for (std::size_t j = 0; j < 3; ++j) explained += weights[j][0] * sxy[j][0];
  explained /= covariance(data.y, data.y)[0][0];
  EXPECT_NEAR(got.correlations[0] * got.correlations[0], explained, 1e-8);
  for (Index j = 1; j < 3; ++j) {
    EXPECT_NEAR(got.directions(0, j) / got.directions(0, 0), weights[at(j)][0] / weights[0][0],
                1e-6);
  }
}

// Projections of the training rows are uncorrelated and of variance 1.
TEST(CanonicalDirections, ProjectionsAreWhite) {
  const Data data = make_data(200, 6, 4);
  const CanonicalDirections got = canonical_directions(data.x, data.y, 1e-10, Context(1));
  const Matrix z = linear_scores(data.x, got.directions, got.offset, Context(1));
  const Rows s = covariance(z, z);
  ASSERT_EQ(s.size(), 4U);
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) EXPECT_NEAR(s[a][b], a == b ? 1 : 0, 1e-6);
  }
}

TEST(CanonicalDirections, NothingToCorrelate) {
  const Data data = make_data(10, 3, 2);
  EXPECT_EQ(canonical_directions(Matrix(10, 3, 5.0), data.y, 1e-3, Context(1)).directions.rows(),
            0);
  EXPECT_EQ(canonical_directions(data.x, Matrix(10, 2), 1e-3, Context(1)).directions.rows(), 0);
  const CanonicalDirections one =
      canonical_directions(Matrix(1, 3, 5.0), Matrix(1, 2), 1, Context(1));
  EXPECT_EQ(one.directions.rows(), 0);
  EXPECT_EQ(one.directions.cols(), 3);
}

TEST(CanonicalDirections, SameBitsOnAnyNumberOfThreads) {
  const Data data = make_data(300, 20, 6);
  const CanonicalDirections one = canonical_directions(data.x, data.y, 1e-3, Context(1));
  for (const int threads : {2, 8}) {
    const CanonicalDirections many = canonical_directions(data.x, data.y, 1e-3, Context(threads));
    EXPECT_EQ(many.directions, one.directions);
    EXPECT_EQ(many.correlations, one.correlations);
  }
}

}  // namespace
}  // namespace mulberry::learners
