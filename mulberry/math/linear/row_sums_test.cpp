#include "mulberry/math/linear/row_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"

namespace mulberry::math {
namespace {

constexpr Index k_rows = 203, k_cols = 7, k_labels = 11;

// The same rows, dense and as CSR, with labels of which some are unknown.
struct Rows {
  Matrix x{k_rows, k_cols};
  std::vector<Index> start = {0};
  std::vector<Id> index = {};
  std::vector<double> value = {};
  std::vector<std::int8_t> signs = {};
  std::vector<double> weights = {};

  Rows() {
    Random random(5, "row_sums_test", 0);
    for (Index i = 0; i < k_rows; ++i) {
      for (Index j = 0; j < k_cols; ++j) {
        if (!random.chance(0.4)) continue;
        x(i, j) = random.normal();
        index.push_back(static_cast<Id>(j));
        value.push_back(x(i, j));
      }
      start.push_back(count_of(index));
      for (Index l = 0; l < k_labels; ++l) {
        signs.push_back(random.chance(0.1) ? 0 : random.chance(0.3) ? 1 : -1);
      }
      weights.push_back(random.chance(0.1) ? 0.0 : random.uniform(0.1, 3.0));
    }
  }
  RowBlock block(bool is_sparse, bool weighted) const {
    RowBlock out{.rows = k_rows, .cols = k_cols, .signs = signs, .sign_columns = k_labels};
    if (is_sparse) {
      out.start = start;
      out.index = index;
    }
    out.value = is_sparse ? std::span<const double>(value) : std::span(x.values());
    if (weighted) out.weights = weights;
    return out;
  }
};

// Problems over the labels 9, 2, 6 ..., each with its costs.
struct Problems {
  std::vector<Index> signs = {};
  std::vector<double> negative = {}, positive = {};
  Matrix w, v;

  explicit Problems(Index count) : w(count, k_cols + 1), v(count, k_cols + 1) {
    Random random(6, "row_sums_test", 1);
    for (Index l = 0; l < count; ++l) {
      signs.push_back((9 + 4 * l) % k_labels);
      negative.push_back(random.uniform(0.5, 2.0));
      positive.push_back(random.uniform(0.5, 2.0));
      for (Index j = 0; j <= k_cols; ++j) {
        w(l, j) = random.normal();
        v(l, j) = random.normal();
      }
    }
  }
  RowProblems of(Loss loss) const {
    return {.loss = loss, .signs = signs, .negative = negative, .positive = positive};
  }
};

// Loss, slope and curvature by their definitions.
std::array<double, 3> loss_of(Loss loss, double t) {
  if (loss == Loss::squared_hinge) {
    const double slack = std::max(0.0, 1 - t);
    return {slack * slack, -2 * slack, slack > 0 ? 2.0 : 0.0};
  }
  const double p = 1 / (1 + std::exp(t));
  return {std::log(1 + std::exp(-t)), -p, p * (1 - p)};
}

class RowSumsOf : public testing::TestWithParam<std::tuple<Loss, bool, bool, Index>> {};

TEST_P(RowSumsOf, FollowTheDefinition) {
  const auto [loss, is_sparse, weighted, count] = GetParam();
  const Rows rows;
  const Problems given(count);
  const RowBlock block = rows.block(is_sparse, weighted);
  const RowSums found = sum_gradients(block, given.of(loss), given.w);
  const Matrix bent = sum_curvatures(block, given.of(loss), given.w, given.v);
  for (Index l = 0; l < count; ++l) {
    double losses = 0, curves = 0;
    std::vector<double> slope(k_cols + 1), curvature(k_cols + 1);
    for (Index i = 0; i < k_rows; ++i) {
      const double sign = rows.signs[at(i * k_labels + given.signs[at(l)])];
      if (sign == 0) continue;
      const double cost = (sign > 0 ? given.positive : given.negative)[at(l)] *
                          (weighted ? rows.weights[at(i)] : 1.0);
      double z = given.w(l, k_cols), u = given.v(l, k_cols);
      for (Index j = 0; j < k_cols; ++j) {
        z += given.w(l, j) * rows.x(i, j);
        u += given.v(l, j) * rows.x(i, j);
      }
      const auto [value, first, second] = loss_of(loss, sign * z);
      losses += cost * value;
      curves += cost * second;
      for (Index j = 0; j <= k_cols; ++j) {
        const double x = j < k_cols ? rows.x(i, j) : 1.0;
        slope[at(j)] += cost * sign * first * x;
        curvature[at(j)] += cost * second * u * x;
      }
    }
    EXPECT_NEAR(found.losses[at(l)], losses, 1e-11 * losses);
    EXPECT_NEAR(found.curves[at(l)], curves, 1e-11 * curves);
    for (Index j = 0; j <= k_cols; ++j) {
      EXPECT_NEAR(found.slopes(l, j), slope[at(j)], 1e-10);
      EXPECT_NEAR(bent(l, j), curvature[at(j)], 1e-10);
    }
  }
}

// One panel, several, and one that is not full.
INSTANTIATE_TEST_SUITE_P(All, RowSumsOf,
                         testing::Combine(testing::Values(Loss::logistic, Loss::squared_hinge),
                                          testing::Bool(), testing::Bool(),
                                          testing::Values(1, 4, 11)));

TEST(RowSums, AProblemHasTheSameBitsAloneAndAmongOthers) {
  const Rows rows;
  const Problems given(11);
  const RowBlock block = rows.block(true, false);
  const RowSums together = sum_gradients(block, given.of(Loss::logistic), given.w);
  const Matrix bent = sum_curvatures(block, given.of(Loss::logistic), given.w, given.v);
  const auto size = at(k_cols + 1);
  for (std::size_t l = 0; l < 11; ++l) {
    const RowProblems one{.loss = Loss::logistic,
                          .signs = std::span(given.signs).subspan(l, 1),
                          .negative = std::span(given.negative).subspan(l, 1),
                          .positive = std::span(given.positive).subspan(l, 1)};
    const MatrixView w(given.w.data() + l * size, 1, k_cols + 1);
    const MatrixView v(given.v.data() + l * size, 1, k_cols + 1);
    const RowSums alone = sum_gradients(block, one, w);
    const Matrix bent_alone = sum_curvatures(block, one, w, v);
    EXPECT_EQ(alone.losses[0], together.losses[l]);
    for (Index j = 0; j <= k_cols; ++j) {
      EXPECT_EQ(alone.slopes(0, j), together.slopes(static_cast<Index>(l), j));
      EXPECT_EQ(bent_alone(0, j), bent(static_cast<Index>(l), j));
    }
  }
}

TEST(RowSums, LargeScoresLoseNothing) {
  // Both classes, so that products of many factors of 2 and of 1 are flushed, and t = +-800.
  std::vector<double> x(2000, 0.0);
  std::vector<std::int8_t> signs(2000, 1);
  x[0] = 800;
  x[1] = -800;
  const RowBlock block{.rows = 2000, .cols = 1, .value = x, .signs = signs, .sign_columns = 1};
  const std::vector<Index> first = {0};
  const std::vector<double> cost = {1.5};
  const RowProblems problem{
      .loss = Loss::logistic, .signs = first, .negative = cost, .positive = cost};
  const Matrix w(1, 2, std::vector<double>{1.0, 0.0});
  const double expected = 1.5 * (1998 * std::log(2) + 800);
  EXPECT_NEAR(sum_gradients(block, problem, w).losses[0], expected, 1e-10 * expected);
}

TEST(RowSums, SquaresOfColumns) {
  const Rows rows;
  for (const bool weighted : {false, true}) {
    for (const bool is_sparse : {false, true}) {
      const auto found = sum_squares(rows.block(is_sparse, weighted));
      std::vector<double> expected(k_cols + 1);
      for (Index i = 0; i < k_rows; ++i) {
        const double weight = weighted ? rows.weights[at(i)] : 1.0;
        for (Index j = 0; j < k_cols; ++j) expected[at(j)] += weight * rows.x(i, j) * rows.x(i, j);
        expected.back() += weight;
      }
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t j = 0; j < found.size(); ++j) EXPECT_NEAR(found[j], expected[j], 1e-10);
    }
  }
}

TEST(RowSums, ADamagedBlockIsRefused) {
  const Problems given(2);
  const auto refused = [&](const auto& damage) {
    Rows rows;
    damage(rows);
    try {
      sum_gradients(rows.block(true, true), given.of(Loss::logistic), given.w);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](Rows&) {}));
  EXPECT_TRUE(refused([](Rows& r) { r.index[100] = k_cols; }));
  EXPECT_TRUE(refused([](Rows& r) { r.index[100] = -1; }));
  EXPECT_TRUE(refused([](Rows& r) { r.start[3] = r.start[5]; }));
  EXPECT_TRUE(refused([](Rows& r) { r.start.back() += 1; }));
  EXPECT_TRUE(refused([](Rows& r) { r.start.front() = -1; }));
  EXPECT_TRUE(refused([](Rows& r) { r.value.pop_back(); }));
  EXPECT_TRUE(refused([](Rows& r) { r.signs.pop_back(); }));
  EXPECT_TRUE(refused([](Rows& r) { r.weights.pop_back(); }));
}

}  // namespace
}  // namespace mulberry::math
