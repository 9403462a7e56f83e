#include "mulberry/base/rbf/shared_rbf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/base/class_predictor.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::base {
namespace {

struct Rows {
  Matrix x;
  std::vector<Id> y, first, second;  // the target, and two other sets of 3 and 2 classes
};

Rows make_rows(Index n, std::uint64_t stream = 0) {
  Random random(6, "shared_rbf_test", stream);
  Rows out{Matrix(n, 4), {}, {}, {}};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 4; ++j) out.x(i, j) = random.normal();
    out.first.push_back(static_cast<Id>(random.below(3)));
    out.second.push_back(static_cast<Id>(random.below(2)));
    const double sum = out.x(i, 0) + out.x(i, 1) + out.first.back() - out.second.back();
    out.y.push_back(sum < 0 ? 0 : (sum < 1 ? 1 : 2));
  }
  return out;
}

// The network on joined columns written out: distances to [c, z] in full.
TEST(SharedRbf, AgainstTheNetworkOnJoinedColumns) {
  const Rows data = make_rows(200), test = make_rows(50, 1);
  SharedRbf::Rows rows;
  const SharedRbf shared({.centres = 12, .ridge = 0.1, .standardise = false}, data.x, {}, rows,
                         Context(1));
  const std::vector<ClassColumns> others = {{data.first, 3}, {data.second, 2}};
  std::vector<double> mass;
  for (Index i = 0; i < 200; ++i) mass.push_back(static_cast<double>(i % 3));
  const auto model = shared.fit(rows, data.y, 3, mass, others, Context(1));

  // The centres are the means of their rows after convergence; take them from the rows.
  const FixedMatrix joined = join_columns(data.x, others).dense();
  Matrix centres(12, 9);
  std::vector<double> size(12, 0.0);
  for (Index i = 0; i < 200; ++i) {
    const Id c = rows.nearest[at(i)];
    size[at(c)] += 1;
    for (Index j = 0; j < 9; ++j) centres(c, j) += joined(i, j);
  }
  for (Index c = 0; c < 12; ++c) {
    for (double& value : centres.row(c)) value /= size[at(c)];
  }
  Matrix plain(12, 4);
  for (Index c = 0; c < 12; ++c) {
    for (Index j = 0; j < 4; ++j) plain(c, j) = centres(c, j);
  }
  const double width = rbf_width(plain, 1);
  const auto slow = [&](MatrixView x) {
    Matrix phi(x.rows(), 12);
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index c = 0; c < 12; ++c) {
        double sum = 0;
        for (Index j = 0; j < 9; ++j) {
          sum += std::pow(x(i, j) - centres(c, j), 2);
        }
        phi(i, c) = std::exp(-sum / (2 * width * width));
      }
    }
    return phi;
  };
  const auto filled = [](MatrixView phi) {
    return ActivationRows{phi.rows(), phi.cols(), [phi](Index i, std::span<double> out) {
                            const auto row = phi.row(i);
                            std::copy(row.begin(), row.end(), out.begin());
                          }};
  };
  const Matrix phi = slow(joined);
  const Matrix weights = fit_outputs(filled(phi), data.y, 3, mass, 0.1, Context(1));
  for (Index v = 0; v < weights.size(); ++v) {
    EXPECT_NEAR(weights.data()[v], model.weights.data()[v], 1e-7);
  }
  const std::vector<ClassColumns> test_others = {{test.first, 3}, {test.second, 2}};
  const Matrix test_phi = slow(join_columns(test.x, test_others).dense());
  const std::vector<Id> seen = {0, 1, 2};
  EXPECT_EQ(shared.predict(model, shared.prepare(test.x, Context(1)), test_others, Context(1)),
            best_classes(outputs(filled(test_phi), weights, Context(1)), seen));
}

TEST(SharedRbf, OnlyClassesWithMassAreAnswered) {
  const Rows data = make_rows(60);
  SharedRbf::Rows rows;
  const SharedRbf shared({.centres = 5}, data.x, {}, rows, Context(1));
  std::vector<double> mass;
  for (const Id c : data.y) mass.push_back(c == 1 ? 0.0 : 1.0);
  const auto two = shared.fit(rows, data.y, 3, mass, {}, Context(1));
  for (const Id c : shared.predict(two, rows, {}, Context(1))) EXPECT_NE(c, 1);
  for (std::size_t i = 0; i < mass.size(); ++i) mass[i] = data.y[i] == 2 ? 1.0 : 0.0;
  const auto one = shared.fit(rows, data.y, 3, mass, {}, Context(1));
  EXPECT_EQ(shared.predict(one, rows, {}, Context(1)), std::vector<Id>(60, 2));
}

TEST(ClassPredictor, ScoresOfAllClassesAndOnlySeenOnesWin) {
  const Rows data = make_rows(80);
  std::vector<Id> y;
  for (const Id c : data.y) y.push_back(c == 0 ? 1 : 3);  // of five classes
  const ClassPredictor model("rbf_network", {data.x, y, 5}, Context(1));
  const Matrix scores = model.scores(data.x, Context(1));
  ASSERT_EQ(scores.cols(), 5);
  const std::vector<Id> classes = model.predict(data.x, Context(1));
  EXPECT_EQ(classes, model.best(scores));
  for (Index i = 0; i < 80; ++i) {
    EXPECT_EQ(scores(i, 1), -scores(i, 3));
    EXPECT_EQ(scores(i, 0), std::min(scores(i, 1), scores(i, 3)));
    const Id best = classes[at(i)];
    EXPECT_TRUE(best == 1 || best == 3);
  }
  const ClassPredictor constant("prior", {data.x, std::vector<Id>(80, 2), 4}, Context(1));
  EXPECT_EQ(constant.predict(data.x, Context(1)), std::vector<Id>(80, 2));
  EXPECT_EQ(constant.scores(data.x, Context(1))(0, 2), 1);
  EXPECT_EQ(constant.scores(data.x, Context(1))(0, 3), 0);
}

TEST(ClassColumns, JoinedColumnsByHand) {
  const std::vector<Id> a = {1, 0}, b = {2, 1};
  const std::vector<ClassColumns> others = {{a, 2}, {b, 3}};
  const Matrix x(2, 1, std::vector<double>{7, 8});
  const Matrix expected(2, 6, std::vector<double>{7, 0, 1, 0, 0, 1, 8, 1, 0, 0, 1, 0});
  EXPECT_EQ(join_columns(x, others).dense(), expected);
  EXPECT_TRUE(join_columns(to_sparse(x), others).is_sparse());
  EXPECT_EQ(to_dense(join_columns(to_sparse(x), others)), expected);
  // An RBF network gets scaled X and unchanged class columns; other base learners get X.
  const JoinableFeatures rbf("rbf_network", x), svm("linear_svm", x);
  EXPECT_EQ(rbf.prepare(x).dense(), Matrix(2, 1, std::vector<double>{-1, 1}));
  EXPECT_EQ(rbf.base().text(), "rbf_network(standardise=false)");
  EXPECT_EQ(svm.prepare(x).dense(), x);
}

}  // namespace
}  // namespace mulberry::base
