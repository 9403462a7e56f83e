#include "mulberry/evaluate/label_places.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace mulberry::evaluate {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

TEST(OneClass, FindsLabelsOfOneClass) {
  const double y[] = {1, 0, 0,     1, k_nan,  // a row of weight 0 does not count
                      0, 0, 1,     1, k_nan,  //
                      1, 0, k_nan, 1, k_nan};
  const Labels labels = labels_from_dense(MatrixView(y, 3, 5));
  EXPECT_EQ(one_class_labels(labels, {}).never, (std::vector<Id>{1, 4}));
  EXPECT_EQ(one_class_labels(labels, {}).always, std::vector<Id>{3});
  const double weights[] = {0, 1, 1};
  EXPECT_EQ(one_class_labels(labels, weights).always, (std::vector<Id>{2, 3}));
}

TEST(OneClass, StandsBelowOrAboveTheOthersInEveryRow) {
  const OneClassLabels labels{.never = {0}, .always = {3}};
  Prediction margins{.scores = Matrix(2, 4, {-1, -5, 2, 1, -1, 3, 4, 1}), .scale = Scale::margin};
  labels.place(margins);
  EXPECT_EQ(margins.scores, Matrix(2, 4, {-6, -5, 2, 3, -1, 3, 4, 5}));
  Prediction shares{.scores = Matrix(1, 4, {0.3, 0, 1, 0.5}), .scale = Scale::votes};
  labels.place(shares);
  EXPECT_EQ(shares.scores, Matrix(1, 4, {0, 1e-12, 1 - 1e-12, 1}));
}

}  // namespace
}  // namespace mulberry::evaluate
