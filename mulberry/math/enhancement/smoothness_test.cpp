#include "mulberry/math/enhancement/smoothness.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mulberry/core/random.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/optimise/simplex_qp.hpp"

namespace mulberry::math {
namespace {

Matrix points(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix out(count_of(rows), static_cast<Index>(rows.begin()->size()));
  Index i = 0;
  for (const auto& row : rows) std::copy(row.begin(), row.end(), out.row(i++).begin());
  return out;
}

Matrix random_points(std::uint64_t seed, Index n, Index d) {
  Random rng = Context(1, seed).rng("smoothness_test");
  Matrix out(n, d);
  for (Index c = 0; c < out.size(); ++c) out.data()[c] = rng.normal();
  return out;
}

Matrix dense(const Csr& a) { return Matrix(to_dense(Features(a))); }

// x_i - x_j of the neighbours, by definition, with the ridge.
Matrix gram_of(MatrixView x, Index i, std::span<const Id> near) {
  const auto k = count_of(near);
  Matrix gram(k, k);
  double mean = 0;
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b < k; ++b) {
      for (Index c = 0; c < x.cols(); ++c) {
        gram(a, b) += (x(i, c) - x(near[at(a)], c)) * (x(i, c) - x(near[at(b)], c));
      }
    }
    mean += gram(a, a) / static_cast<double>(k);
  }
  for (Index a = 0; a < k; ++a) gram(a, a) += 1e-3 * mean;
  return gram;
}

// The best weights over all supports: on each, G_SS^-1 1 normalised, if none is negative.
double best_by_enumeration(MatrixView gram) {
  const Index k = gram.rows();
  double best = std::numeric_limits<double>::infinity();
  for (int set = 1; set < (1 << k); ++set) {
    std::vector<Index> in;
    for (Index a = 0; a < k; ++a) {
      if ((set >> a & 1) != 0) in.push_back(a);
    }
    const auto m = count_of(in);
    Matrix part(m, m);
    for (Index a = 0; a < m; ++a) {
      for (Index b = 0; b < m; ++b) {
        part(a, b) = gram(in[at(a)], in[at(b)]);
      }
    }
    std::vector<double> w(in.size(), 1.0);
    EXPECT_TRUE(blas::cholesky(blas::block(part)));
    blas::cholesky_solve(blas::block(std::as_const(part)), w);
    double total = 0, least = 0;
    for (const double v : w) {
      total += v;
      least = std::min(least, v);
    }
    if (least >= 0) best = std::min(best, 1 / total);
  }
  return best;
}

TEST(ReconstructionWeights, WorkedExample) {
  const Features x = points({{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 1}});
  const Context ctx;
  const Matrix w = dense(reconstruction_weights(x, nearest_others(x, 2, ctx), 1e-3, ctx));
  const double expected[5][5] = {{0, .5, .5, 0, 0},
                                 {.5, 0, 0, .5, 0},
                                 {.5, 0, 0, .5, 0},
                                 {0, .5, .5, 0, 0},
                                 {0, .0014955135, 0, .9985044865, 0}};
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) EXPECT_NEAR(w(i, j), expected[i][j], 1e-10) << i << "," << j;
  }
}

TEST(ReconstructionWeights, SolveTheirProgrammes) {
  const Context ctx;
  for (const Index d : {2, 3, 12}) {
    const Matrix x = random_points(3, 40, d);
    const Features features(x);
    const Neighbours near = nearest_others(features, 6, ctx);
    const Matrix w = dense(reconstruction_weights(features, near, 1e-3, ctx));
    Index zeros = 0;
    for (Index i = 0; i < x.rows(); ++i) {
      const Matrix gram = gram_of(x, i, near.row(i));
      std::vector<double> own(6);
      double sum = 0, all = 0, value = 0, least = std::numeric_limits<double>::infinity();
      for (const double v : w.row(i)) all += v;
      for (std::size_t a = 0; a < 6; ++a) own[a] = w(i, near.row(i)[a]);
      for (Index a = 0; a < 6; ++a) {
        double slope = 0;
        for (Index b = 0; b < 6; ++b) slope += gram(a, b) * own[at(b)];
        const double v = own[at(a)];
        EXPECT_GE(v, 0);
        sum += v;
        value += v * slope;
        least = std::min(least, slope);
        if (v == 0) ++zeros;
      }
      EXPECT_NEAR(sum, 1, 1e-12);
      EXPECT_NEAR(all, 1, 1e-12) << "only neighbours count";
      EXPECT_EQ(w(i, i), 0);
      EXPECT_NEAR(least, value, 1e-9 * value) << "no neighbour may be worth more";
      EXPECT_NEAR(value, best_by_enumeration(gram), 1e-10 * value);
    }
    EXPECT_GT(zeros, 0) << "d = " << d;
  }
}

TEST(ReconstructionWeights, OfEqualRowsAreEqual) {
  Matrix x(8, 3, 1.0);
  x(7, 0) = 5;
  const Features features(x);
  const Context ctx;
  const Matrix w =
      dense(reconstruction_weights(features, nearest_others(features, 4, ctx), 1e-3, ctx));
  for (Index i = 0; i < 7; ++i) {
    Index shares = 0;
    for (const double v : w.row(i)) shares += v == 0.25 ? 1 : 0;
    EXPECT_EQ(shares, 4);
  }
  for (const double v : w.row(7)) EXPECT_TRUE(std::isfinite(v));
}

TEST(ReconstructionWeights, SparseThreadsAndFewRows) {
  Matrix x = random_points(5, 150, 9);
  for (Index c = 0; c < x.size(); ++c) {
    if (c % 3 != 0) x.data()[c] = 0;
  }
  const Features whole(x), sparse(to_sparse(whole));
  const Context one, many(8);
  const Csr w = reconstruction_weights(whole, nearest_others(whole, 5, one), 1e-3, one);
  EXPECT_EQ(w, reconstruction_weights(whole, nearest_others(whole, 5, many), 1e-3, many));
  const Matrix other =
      dense(reconstruction_weights(sparse, nearest_others(sparse, 5, one), 1e-3, one));
  const Matrix same = dense(w);
  for (Index c = 0; c < same.size(); ++c) EXPECT_NEAR(same.data()[c], other.data()[c], 1e-9);

  const Features single(Matrix(1, 2, 3.0));
  const Csr none = reconstruction_weights(single, nearest_others(single, 5, one), 1e-3, one);
  EXPECT_EQ(none.nonzeros(), 0);
  const Smoothness ridge = Smoothness::reconstruction(none);
  EXPECT_EQ(ridge.value(Matrix(1, 1, 3.0), one), 9) << "Q = 1";
}

TEST(SimplexQp, GivesTheWeightsOfAGram) {
  const Matrix gram = points({{2, .5, .2}, {.5, 1, .9}, {.2, .9, 1.5}});
  std::vector<double> w(3, 0.0);
  solve_simplex_qp(blas::block(gram), std::vector<double>(3, 0.0), 2, 1e-14, w);
  EXPECT_NEAR(w[0], 0.2720588235, 1e-10);
  EXPECT_NEAR(w[1], 0.5073529412, 1e-10);
  EXPECT_NEAR(w[2], 0.2205882353, 1e-10);
}

TEST(Smoothness, IsItsMatrix) {
  const Features x(random_points(1, 30, 4));
  const Context ctx;
  const Neighbours near = nearest_others(x, 3, ctx);
  const Matrix u = random_points(2, 30, 2);
  for (const Smoothness& term :
       {Smoothness::reconstruction(reconstruction_weights(x, near, 1e-3, ctx)),
        Smoothness::laplacian(near, 30)}) {
    const Matrix q = dense(term.q());
    Matrix gram(30, 30), expected(30, 2), out(30, 2, 1.0);
    blas::syrk(1, blas::block(q), blas::Op::transposed, 0, blas::block(gram));
    blas::gemm(2, blas::block(gram), blas::Op::plain, blas::block(u), blas::Op::plain, 0,
               blas::block(expected));
    term.add_product(2, u, out, ctx);
    double value = 0;
    for (Index c = 0; c < out.size(); ++c) {
      EXPECT_NEAR(out.data()[c], 1 + expected.data()[c], 1e-12);
      value += 0.5 * u.data()[c] * expected.data()[c];
    }
    EXPECT_NEAR(term.value(u, ctx), value, 1e-10);
    for (Index i = 0; i < 30; ++i) {
      EXPECT_NEAR(term.diagonal(30)[at(i)], gram(i, i), 1e-12);
    }
  }
}

TEST(Smoothness, LaplacianOfALine) {
  // 0 -- 1 -- 3: distances 1, 1, 4 (squared), mean of the three nearest 2.
  const Features x(points({{0}, {1}, {3}}));
  const Context ctx;
  const Smoothness term = Smoothness::laplacian(nearest_others(x, 1, ctx), 3);
  const double near = std::exp(-1.0 / 2), far = std::exp(-4.0 / 2);
  const double degree = 2 * (near + far) / 3;
  const Matrix u = points({{1}, {0}, {2}});
  EXPECT_NEAR(term.value(u, ctx), (near * 1 + far * 4) / degree, 1e-12);
  EXPECT_NEAR(term.value(Matrix(3, 1, 7.0), ctx), 0, 1e-12);
}

}  // namespace
}  // namespace mulberry::math
