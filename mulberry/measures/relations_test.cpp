#include "mulberry/measures/relations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mulberry::measures {
namespace {

TEST(Relations, MatchTheDefinitionWithMissingCells) {
  for (std::uint64_t round = 0; round < 20; ++round) {
    Random rng = Context(1, 2).rng("relations", round);
    Matrix y(1 + rng.below(30), 1 + rng.below(6));
    for (Index k = 0; k < y.size(); ++k) {
      y.data()[k] = rng.chance(0.4) ? 1 : 0;
      if (round % 2 == 1 && rng.chance(0.2)) {
        y.data()[k] = std::numeric_limits<double>::quiet_NaN();
      }
    }
    const Labels labels = labels_from_dense(y);
    const Context ctx(2);
    const Matrix f = phi(labels, ctx), co = co_occurrence(labels, ctx);
    for (Index i = 0; i < y.cols(); ++i) {
      for (Index j = 0; j < y.cols(); ++j) {
        double a = 0, b = 0, c = 0, d = 0;
        for (Index r = 0; r < y.rows(); ++r) {
          a += y(r, i) == 1 && y(r, j) == 1;
          b += y(r, i) == 1 && y(r, j) == 0;
          c += y(r, i) == 0 && y(r, j) == 1;
          d += y(r, i) == 0 && y(r, j) == 0;
        }
        const double root = std::sqrt((a + b) * (c + d) * (a + c) * (b + d));
        EXPECT_NEAR(f(i, j), root > 0 ? (a * d - b * c) / root : 0, 1e-14);
        EXPECT_NEAR(co(i, j), a + b > 0 ? a / (a + b) : 0, 1e-14);
      }
    }
  }
}

}  // namespace
}  // namespace mulberry::measures
