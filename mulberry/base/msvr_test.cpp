#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/model/base_learner.hpp"

namespace mulberry::base {
namespace {

struct Data {
  Features x;
  Labels y;
};

Data draw(Index n, double missing) {
  Random random(3, "msvr_test");
  Matrix x(n, 3);
  std::vector<std::vector<Id>> positives(at(n)), hidden = positives;
  for (Index i = 0; i < n; ++i) {
    for (double& v : x.row(i)) v = random.normal();
    for (Id l = 0; l < 3; ++l) {
      const auto k = at(i);
      if (random.chance(missing)) {
        hidden[k].push_back(l);
      } else if (x(i, l) + 0.4 * random.normal() > 0.2) {
        positives[k].push_back(l);
      }
    }
  }
  return {Features(std::move(x)), Labels(3, positives, hidden)};
}

Matrix scores(const std::string& text, const Data& data, int threads = 1) {
  const Context ctx(threads);
  return FittedLabels(parse_spec(text), data.x, data.y, {}, ctx).scores(data.x, ctx);
}

void expect_near(MatrixView a, MatrixView b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (Index c = 0; c < a.size(); ++c) ASSERT_NEAR(a.data()[c], b.data()[c], tolerance) << c;
}

// Kernel ridge regression with a free constant, from its normal equations.
Matrix ridge_scores(const Data& data, double gamma, double alpha) {
  const FixedMatrix x = to_dense(data.x);
  const Index n = x.rows();
  Matrix kernel(n, n), solved(n, 4, 1.0), out(n, 3);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double d2 = 0;
      for (Index c = 0; c < 3; ++c) d2 += std::pow(x(i, c) - x(j, c), 2);
      kernel(i, j) = std::exp(-gamma * d2);
    }
    for (Index l = 0; l < 3; ++l) solved(i, l) = data.y.cell(i, l) == Cell::positive ? 1 : -1;
  }
  Matrix shifted = kernel;
  for (Index i = 0; i < n; ++i) shifted(i, i) += alpha;
  EXPECT_TRUE(blas::cholesky(blas::block(shifted)));
  blas::cholesky_solve(blas::block(std::as_const(shifted)), blas::block(solved));
  for (Index l = 0; l < 3; ++l) {
    double above = 0, below = 0;
    for (Index i = 0; i < n; ++i) {
      above += solved(i, l);
      below += solved(i, 3);
    }
    for (Index i = 0; i < n; ++i) {
      double sum = above / below;
      for (Index j = 0; j < n; ++j) {
        sum += kernel(i, j) * (solved(j, l) - above / below * solved(j, 3));
      }
      out(i, l) = sum;
    }
  }
  return out;
}

TEST(Msvr, WithoutTubeIsKernelRidgeRegression) {
  const Data data = draw(40, 0);
  expect_near(scores("msvr(eps=0,alpha=0.3,width=0.4)", data), ridge_scores(data, 0.4, 0.3), 1e-8);
}

TEST(Msvr, BothModesAgree) {
  for (const double missing : {0.0, 0.2}) {
    const Data data = draw(50, missing);
    const Matrix direct = scores("msvr(eps=0.4,tolerance=1e-9)", data);
    expect_near(direct,
                scores("msvr(eps=0.4,mode=irwls,tolerance=1e-10,max_iterations=20000)", data),
                5e-3);
    EXPECT_EQ(direct, scores("msvr(eps=0.4,tolerance=1e-9)", data, 8));
  }
}

TEST(Msvr, TubeForgives) {
  const Data data = draw(60, 0);
  const Matrix wide = scores("msvr(eps=5)", data);
  for (Index i = 1; i < wide.rows(); ++i) {
    for (Index l = 0; l < 3; ++l) EXPECT_NEAR(wide(i, l), wide(0, l), 1e-3) << "no slope is needed";
  }
}

TEST(Msvr, ClassesOfOneTarget) {
  const Data data = draw(60, 0);
  std::vector<Id> classes;
  for (Index i = 0; i < 60; ++i)
    classes.push_back(data.x.at(i, 0) > 0.5 ? 2 : data.x.at(i, 0) > -0.5);
  const Context ctx;
  const FittedClassifier many(parse_spec("msvr"), {.x = data.x, .y = classes, .classes = 3}, ctx);
  const Matrix three = many.scores(data.x, ctx);
  ASSERT_EQ(three.cols(), 3);
  Index right = 0;
  for (Index i = 0; i < 60; ++i) {
    const auto row = three.row(i);
    right += std::max_element(row.begin(), row.end()) - row.begin() == classes[at(i)] ? 1 : 0;
  }
  EXPECT_GT(right, 50);
  std::vector<Id> two;
  for (const Id c : classes) two.push_back(c == 2 ? 1 : 0);
  const FittedClassifier pair(parse_spec("msvr"), {.x = data.x, .y = two}, ctx);
  ASSERT_EQ(pair.scores(data.x, ctx).cols(), 1);
}

TEST(Msvr, RefusesWhatItCannotHold) {
  const Data data = draw(40, 0);
  EXPECT_THROW(scores("msvr(kernel=precomputed)", data), Error);
  EXPECT_THROW(scores("msvr(memory=0.000001)", data), Error);
}

}  // namespace
}  // namespace mulberry::base
