#include "mulberry/evaluate/reasons.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mulberry/core/index.hpp"

namespace mulberry::evaluate {
namespace {

// Forty rows on a line: label 0 is the right half, label 1 goes with it, label 2 avoids it.
Dataset line() {
  Dataset data;
  Matrix x(40, 3);
  std::vector<std::vector<Id>> labels(40);
  for (Index i = 0; i < 40; ++i) {
    x(i, 0) = static_cast<double>(i);
    x(i, 1) = static_cast<double>(i * 7 % 5);
    x(i, 2) = 1;
    if (i >= 20) labels[at(i)] = {0, 1};
    if (i < 20) labels[at(i)] = {2};
  }
  labels[30] = {1};    // lacks label 0
  labels[5] = {0, 2};  // should not have it
  data.x = x;
  data.y = Labels(3, labels);
  data.label_names = {"a", "b", "c"};
  return data;
}

TEST(Reasons, OfAMissingLabel) {
  const Dataset data = line();
  const std::vector<Id> rows = {30, 5};
  const Reasons reasons(data, {}, rows, Context());
  const Reason reason = reasons.of(30, 0);
  EXPECT_EQ(reason.rows_with_label, 20);
  ASSERT_EQ(reason.related.size(), 1u);
  EXPECT_EQ(reason.related[0].other, 1);
  EXPECT_EQ(reason.related[0].both, 19);
  EXPECT_EQ(reason.related[0].rows, 19);
  EXPECT_NEAR(reason.related[0].lift, 39.0 / 20, 1e-12);
  ASSERT_EQ(reason.near.size(), 5u);
  for (const NearRow& near : reason.near) {
    EXPECT_NE(near.row, 30);
    EXPECT_EQ(near.cell, Cell::positive);
  }
  ASSERT_FALSE(reason.features.empty());
  EXPECT_EQ(reason.features[0].column, 0);
  EXPECT_EQ(reason.features[0].value, 30);
  EXPECT_GT(reason.features[0].place, 0.8);
  EXPECT_GT(reason.features[0].usual, 0.5);
  for (const TellingFeature& one : reason.features) EXPECT_NE(one.column, 2);  // constant
}

TEST(Reasons, OfADoubtedLabel) {
  const Dataset data = line();
  const std::vector<Id> rows = {30, 5};
  const Reason reason = Reasons(data, {}, rows, Context()).of(5, 0);
  ASSERT_EQ(reason.related.size(), 1u);
  EXPECT_EQ(reason.related[0].other, 2);
  EXPECT_EQ(reason.related[0].both, 0);
  EXPECT_EQ(reason.related[0].rows, 19);
  for (const NearRow& near : reason.near) EXPECT_EQ(near.cell, Cell::negative);
  EXPECT_LT(reason.features.at(0).place * reason.features.at(0).usual, 0);
}

TEST(Reasons, WordsThatSpeakForALabel) {
  Dataset data;
  std::vector<std::string> texts;
  std::vector<std::vector<Id>> labels;
  for (int k = 0; k < 20; ++k) {
    texts.push_back(k % 2 == 0 ? "a late fee was charged" : "the app shows a blank page");
    labels.push_back(k % 2 == 0 ? std::vector<Id>{0} : std::vector<Id>{});
  }
  labels[4].clear();
  data.x = Matrix(20, 0);
  data.texts.push_back({"body", Texts(texts)});
  data.y = Labels(1, labels);
  data.label_names = {"money"};
  const std::vector<Id> rows = {4};
  const Reason reason = Reasons(data, {}, rows, Context()).of(4, 0);
  EXPECT_NE(std::find(reason.words.begin(), reason.words.end(), "fee"), reason.words.end());
  EXPECT_EQ(std::find(reason.words.begin(), reason.words.end(), "app"), reason.words.end());
  EXPECT_TRUE(reason.features.empty());
  ASSERT_EQ(reason.near.size(), 5u);
  for (const NearRow& near : reason.near) EXPECT_EQ(near.cell, Cell::positive);
}

TEST(Reasons, OddDataGivesFewReasonsAndNoFailure) {
  Dataset data;
  Matrix x(3, 2);
  x(0, 0) = std::numeric_limits<double>::quiet_NaN();
  data.x = Features(to_sparse(Features(x)));
  data.y = Labels(2, {{0}, {}, {}}, {{}, {1}, {}});
  data.label_names = {"a", "b"};
  const std::vector<Id> rows = {0, 1, 1};
  const Reasons reasons(data, {}, rows, Context());
  for (const Id row : {0, 1, 2}) {
    for (const Id label : {0, 1}) {
      const Reason reason = reasons.of(row, label);
      EXPECT_TRUE(reason.related.empty());
      EXPECT_LE(reason.near.size(), 2u);
    }
  }
}

}  // namespace
}  // namespace mulberry::evaluate
