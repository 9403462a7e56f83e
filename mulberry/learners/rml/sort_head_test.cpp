#include "mulberry/learners/rml/sort_head.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include "mulberry/core/random.hpp"

namespace mulberry::learners {
namespace {

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

std::vector<double> sorted_by_head(std::vector<double> values) {
  SortHead sort;
  sort(values, [](Index, double) { return true; });
  return values;
}

TEST(SortHead, SortsSpreadEqualAndExtremeNumbers) {
  Random random(7, "sort");
  for (const std::size_t n : std::initializer_list<std::size_t>{0, 1, 2, 63, 64, 65, 500, 5000}) {
    std::vector<double> plain, equal, skewed, apart;
    for (std::size_t i = 0; i < n; ++i) {
      const double u = random.uniform();
      plain.push_back(u - 0.5);
      equal.push_back(u < 0.9 ? 0.25 : std::round(10 * u));
      skewed.push_back(-std::exp(-60 * u));
      apart.push_back(u < 0.5 ? 1e300 * u : 1e-300 * u);
    }
    for (const auto& values : {plain, equal, skewed, apart, std::vector<double>(n, 3.0)}) {
      EXPECT_EQ(sorted_by_head(values), sorted(values)) << n;
    }
  }
  std::vector<double> wide = {-1e308, 1e308};  // a range that no double holds
  for (int i = 0; i < 100; ++i) wide.push_back(i);
  EXPECT_EQ(sorted_by_head(wide), sorted(wide));
}

TEST(SortHead, LeavesOutNothingThatIsWanted) {
  Random random(8, "head");
  SortHead sort;
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values;
    for (int i = 0; i < 300; ++i) values.push_back(random.uniform());
    const std::vector<double> all = sorted(values);
    const double least = random.uniform();
    sort(values, [&](Index, double v) { return v > least; });
    const auto wanted =
        at(std::count_if(all.begin(), all.end(), [&](double v) { return v > least; }));
    ASSERT_GE(values.size(), wanted);
    EXPECT_TRUE(std::equal(values.begin(), values.end(), all.begin()));
    EXPECT_LT(values.size(), wanted + 30);  // what is behind is not sorted
  }
}

}  // namespace
}  // namespace mulberry::learners
