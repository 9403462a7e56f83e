#include "mulberry/resample/stability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "mulberry/core/index.hpp"

namespace mulberry::resample {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

Matrix row(std::vector<double> values) {
  const auto n = count_of(values);
  return {1, n, std::move(values)};
}

// Scores of four repeats by hand: stable, of changing sign, too small, sometimes unknown.
TEST(Stability, CountsWhatComesBack) {
  const Matrix score = row({0.3, 0.2, 0.1, -0.4});
  const std::vector<Matrix> again = {row({0.2, 0.2, 0.01, -0.2}), row({0.4, -0.2, 0.2, k_nan}),
                                     row({0.3, 0.1, 0.02, -0.4}), row({0.5, -0.1, 0.05, k_nan})};
  std::size_t call = 0;
  const Stability found = repeat_scores(
      score, 0.05, 10, 4, Resample::bootstrap,
      [&](std::span<const Id>, const Context&) { return again[call++]; }, Context(1));
  EXPECT_EQ(call, 4u);
  EXPECT_EQ(found.repeats, 4);
  EXPECT_EQ(found.agreement, row({1, 0.5, 0.5, 0.5}));
  EXPECT_NEAR(found.mean(0, 0), 0.35, 1e-12);
  EXPECT_NEAR(found.deviation(0, 0), std::sqrt(0.05 / 3), 1e-12);
  EXPECT_NEAR(found.mean(0, 1), 0, 1e-12);
  EXPECT_NEAR(found.mean(0, 3), -0.3, 1e-12);  // of the two that are known
}

std::vector<std::vector<Id>> rows_drawn(Resample resample, Index rows, Index repeats,
                                        std::uint64_t seed) {
  std::vector<std::vector<Id>> out;
  repeat_scores(
      row({1}), 0, rows, repeats, resample,
      [&](std::span<const Id> drawn, const Context&) {
        out.emplace_back(drawn.begin(), drawn.end());
        return row({1});
      },
      Context(1, seed));
  return out;
}

TEST(Stability, HalvesPartTheRows) {
  const auto drawn = rows_drawn(Resample::halves, 11, 4, 1);
  for (const std::size_t pair : {0u, 2u}) {
    EXPECT_EQ(drawn[pair].size(), 5u);
    std::set<Id> both(drawn[pair].begin(), drawn[pair].end());
    both.insert(drawn[pair + 1].begin(), drawn[pair + 1].end());
    EXPECT_EQ(both.size(), 11u);
  }
  EXPECT_NE(drawn[0], drawn[2]);
  EXPECT_EQ(drawn, rows_drawn(Resample::halves, 11, 4, 1));
}

TEST(Stability, FoldsLeaveEveryRowOutOnce) {
  const auto drawn = rows_drawn(Resample::folds, 11, 4, 3);
  std::vector<int> seen(11, 0);
  for (const auto& rows : drawn) {
    EXPECT_TRUE(rows.size() == 8 || rows.size() == 9) << rows.size();
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    for (const Id i : rows) ++seen[at(i)];
  }
  EXPECT_EQ(seen, std::vector<int>(11, 3));
  EXPECT_NE(drawn, rows_drawn(Resample::folds, 11, 4, 4));
}

TEST(Stability, BootstrapDrawsAsManyRowsSomeAgain) {
  const auto drawn = rows_drawn(Resample::bootstrap, 1000, 2, 2);
  for (const auto& rows : drawn) {
    EXPECT_EQ(rows.size(), 1000u);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    const auto distinct = std::set<Id>(rows.begin(), rows.end()).size();
    EXPECT_NEAR(static_cast<double>(distinct), 632, 50);
  }
  EXPECT_NE(drawn[0], drawn[1]);
}

}  // namespace
}  // namespace mulberry::resample
