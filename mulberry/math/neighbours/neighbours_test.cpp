#include "mulberry/math/neighbours/neighbours.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace mulberry::math {
namespace {

Matrix make(Index rows, Index cols, std::uint64_t stream,
            const std::function<double(Random&)>& draw) {
  Random random(11, "neighbours_test", stream);
  Matrix out(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (double& v : out.row(i)) v = draw(random);
  }
  return out;
}

// All distances by the definition, sorted.
Neighbours brute_force(MatrixView train, MatrixView query, Index k, bool others) {
  Neighbours out{.k = std::min(k, train.rows() - (others ? 1 : 0))};
  for (Index i = 0; i < query.rows(); ++i) {
    std::vector<std::pair<double, Id>> all;
    for (Index t = 0; t < train.rows(); ++t) {
      if (others && t == i) continue;
      double sum = 0;
      for (Index j = 0; j < train.cols(); ++j) {
        const double gap = query(i, j) - train(t, j);
        sum += gap * gap;
      }
      all.emplace_back(sum, static_cast<Id>(t));
    }
    std::sort(all.begin(), all.end());
    for (Index e = 0; e < out.k; ++e) {
      out.distance2.push_back(all[at(e)].first);
      out.index.push_back(all[at(e)].second);
    }
  }
  return out;
}

void expect_exact(MatrixView train, MatrixView query, Index k) {
  const Neighbours others = brute_force(train, train, k, true);
  const Neighbours expected = brute_force(train, query, k, false);
  for (const bool sparse : {false, true}) {
    const Features x = sparse ? Features(to_sparse(Features(train))) : Features(train);
    const Features q = sparse ? Features(to_sparse(Features(query))) : Features(query);
    for (const int threads : {1, 2, 8}) {
      const Neighbours a = nearest_others(x, k, Context(threads));
      EXPECT_EQ(a.k, others.k);
      EXPECT_EQ(a.index, others.index);
      EXPECT_EQ(a.distance2, others.distance2);
      const Neighbours b = nearest_neighbours(x, q, k, Context(threads));
      EXPECT_EQ(b.index, expected.index);
      EXPECT_EQ(b.distance2, expected.distance2);
    }
  }
}

TEST(Neighbours, OrdinaryNumbers) {
  const auto draw = [](Random& r) { return r.normal(); };
  expect_exact(make(450, 9, 0, draw), make(37, 9, 1, draw), 10);
  expect_exact(make(210, 130, 2, draw), make(200, 130, 3, draw), 3);
}

// More rows than one stretch of columns, so that rows get limits from several, and a last block
// that is not full.
TEST(Neighbours, SeveralStretches) {
  const auto draw = [](Random& r) { return r.normal(); };
  expect_exact(make(1400, 5, 21, draw), make(250, 5, 22, draw), 10);
}

// More neighbours than a block has rows, than lanes of the first limit, and nearly all there are.
TEST(Neighbours, ManyNeighbours) {
  const auto draw = [](Random& r) { return r.normal(); };
  const Matrix train = make(420, 3, 23, draw), query = make(30, 3, 24, draw);
  for (const Index k : {20, 40, 190, 300, 419}) expect_exact(train, query, k);
}

// Distant rows, which have the widest bounds in single precision, come first or last.
TEST(Neighbours, FarRowsAmongNearOnes) {
  Matrix x = make(450, 7, 25, [](Random& r) { return 1e-3 * r.normal(); });
  for (Index i = 0; i < x.rows(); i += 3) {
    for (double& v : x.row(i)) v *= 1e7;
  }
  expect_exact(x, x, 9);
}

// Whole numbers at the border of what single precision adds exactly.
TEST(Neighbours, LargeWholeNumbers) {
  for (const double size : {400.0, 700.0, 2047.0}) {
    const auto draw = [&](Random& r) { return std::floor(r.uniform(-size, size)); };
    expect_exact(make(230, 6, 26, draw), make(40, 6, 27, draw), 5);
  }
}

TEST(Neighbours, ManyTiesAmongWholeNumbers) {
  const auto draw = [](Random& r) { return r.chance(0.3) ? 1.0 : 0.0; };
  expect_exact(make(500, 6, 4, draw), make(60, 6, 5, draw), 7);
}

// Ties and near-ties that single precision cannot tell apart.
TEST(Neighbours, NearTies) {
  const auto tiny = [](Random& r) {
    return 0.1 + 1e-9 * static_cast<double>(r.below(3)) + 1e-14 * static_cast<double>(r.below(2));
  };
  expect_exact(make(300, 3, 6, tiny), make(40, 3, 7, tiny), 5);
  const auto thirds = [](Random& r) { return static_cast<double>(r.below(4)) / 3; };
  expect_exact(make(300, 4, 8, thirds), make(40, 4, 9, thirds), 6);
}

TEST(Neighbours, UnevenScales) {
  // A common offset, a far outlier, and rows of very small and very large numbers.
  Matrix x = make(300, 5, 10, [](Random& r) { return 1e6 + r.normal(); });
  for (double& v : x.row(17)) v = 1e12;
  expect_exact(x, x, 4);
  const auto wide = [](Random& r) { return r.normal() * std::pow(10.0, r.uniform(-30, 30)); };
  expect_exact(make(200, 4, 11, wide), make(50, 4, 12, wide), 4);
  const auto small = [](Random& r) { return r.normal() * 1e-150; };
  expect_exact(make(200, 4, 13, small), make(50, 4, 14, small), 4);
  for (const double size : {1e-158, 1e-161, 1e-310}) {  // squares lose digits, then everything
    const auto draw = [&](Random& r) { return r.normal() * size; };
    expect_exact(make(200, 4, 28, draw), make(50, 4, 29, draw), 4);
  }
  const auto large = [](Random& r) { return std::floor(r.normal() * 1e7); };
  expect_exact(make(200, 4, 15, large), make(50, 4, 16, large), 4);
}

TEST(Neighbours, AllRowsAlike) {
  expect_exact(Matrix(250, 3, 0.7), Matrix(5, 3, 0.7), 4);
  expect_exact(Matrix(250, 3, 0.0), Matrix(5, 3, 2.0), 4);
}

TEST(Neighbours, FewRows) {
  const auto draw = [](Random& r) { return r.normal(); };
  const Matrix one = make(1, 3, 17, draw), three = make(3, 3, 18, draw);
  EXPECT_EQ(nearest_others(one, 5, Context()).k, 0);
  EXPECT_EQ(nearest_others(three, 5, Context()).k, 2);
  EXPECT_EQ(nearest_neighbours(three, one, 5, Context()).k, 3);
  EXPECT_EQ(nearest_neighbours(three, Matrix(0, 3), 2, Context()).index.size(), 0U);
  EXPECT_EQ(nearest_others(Matrix(0, 3), 2, Context()).k, 0);
  EXPECT_EQ(nearest_others(Matrix(3, 0), 1, Context()).index, (std::vector<Id>{1, 0, 0}));
  expect_exact(three, one, 2);
}

TEST(Neighbours, OneSideSparse) {
  const auto draw = [](Random& r) { return r.chance(0.4) ? r.normal() : 0.0; };
  const Matrix train = make(80, 12, 19, draw), query = make(20, 12, 20, draw);
  const Neighbours expected = brute_force(train, query, 3, false);
  EXPECT_EQ(nearest_neighbours(to_sparse(Features(train)), query, 3, Context()).index,
            expected.index);
  EXPECT_EQ(nearest_neighbours(train, to_sparse(Features(query)), 3, Context()).index,
            expected.index);
  const Features same(train);
  EXPECT_EQ(nearest_neighbours(same, same, 1, Context()).row(5)[0], 5) << "a row is its own";
}

}  // namespace
}  // namespace mulberry::math
