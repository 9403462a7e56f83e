#include "mulberry/learners/mahr/edges.hpp"

#include <gtest/gtest.h>

#include "mulberry/core/random.hpp"

namespace mulberry::learners::mahr {
namespace {

// Compared with the definition: weightings that fill eight lanes and that do not, labels that say
// yes seldom, always, never and half of the time.
TEST(SignLists, EdgesAreThoseOfTheMatrixProduct) {
  Random random(1, "edges");
  const double yes_share[] = {0.05, 0.95, 0, 1, 0.5, 0.4, 0.02};
  for (const Index rows : {1, 2, 7, 200}) {
    Matrix signs(static_cast<Index>(std::size(yes_share)), rows);
    for (Index l = 0; l < signs.rows(); ++l) {
      for (double& s : signs.row(l)) s = random.chance(yes_share[l]) ? 1.0 : -1.0;
    }
    for (Index i = 0; i < rows; ++i) signs(4, i) = i % 2 == 0 ? 1.0 : -1.0;  // exactly half
    const SignLists lists(signs);
    for (const Index weightings : {1, 5, 8, 19}) {
      Matrix weights(weightings, rows);
      for (Index k = 0; k < weights.size(); ++k) weights.data()[k] = random.uniform() - 0.5;
      const Matrix edges = lists.edges(blas::block(std::as_const(weights)));
      ASSERT_EQ(edges.rows(), weightings);
      ASSERT_EQ(edges.cols(), signs.rows());
      for (Index k = 0; k < weightings; ++k) {
        for (Index l = 0; l < signs.rows(); ++l) {
          double expected = 0;
          for (Index i = 0; i < rows; ++i) expected += weights(k, i) * signs(l, i);
          EXPECT_NEAR(edges(k, l), expected, 1e-13) << "label " << l << " of " << rows << " rows";
        }
      }
    }
  }
}

// The opposite of a label has the opposite edge to the last bit, so that neither is preferred.
TEST(SignLists, OppositesAreExact) {
  Random random(2, "edges");
  Matrix signs(2, 101), weights(3, 101);
  for (Index i = 0; i < 101; ++i) {
    signs(0, i) = random.chance(0.3) ? 1.0 : -1.0;
    signs(1, i) = -signs(0, i);
    for (Index k = 0; k < 3; ++k) weights(k, i) = random.uniform() - 0.5;
  }
  const Matrix edges = SignLists(signs).edges(blas::block(std::as_const(weights)));
  for (Index k = 0; k < 3; ++k) EXPECT_EQ(edges(k, 0), -edges(k, 1));
}

}  // namespace
}  // namespace mulberry::learners::mahr
