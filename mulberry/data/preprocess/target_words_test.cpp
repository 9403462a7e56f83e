#include "mulberry/data/preprocess/target_words.hpp"

#include <gtest/gtest.h>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::data {
namespace {

Dataset with_words(const std::vector<std::string>& words,
                   const std::vector<std::vector<Id>>& labels) {
  Dataset out;
  out.x = Features(Matrix(count_of(words), 1, std::vector<double>(words.size(), 7)));
  out.y = Labels(2, labels);
  out.label_names = {"a", "b"};
  out.words.push_back({"city", Texts(words)});
  return out;
}

TEST(TargetWords, SmoothSharesOfLabels) {
  const Dataset data = with_words({"Rome", "Rome", "Oslo", "Oslo"}, {{0}, {0}, {}, {0, 1}});
  Features joined;
  const TargetWords step = TargetWords::fit(data, data.x, Context(1), joined);
  EXPECT_EQ(step.columns(), 2);
  EXPECT_EQ(joined.cols(), 3);
  // Shares of the labels: 3/4 and 1/4.
  const Features later = step.apply(with_words({"Rome", "Oslo", "Bonn"}, {{}, {}, {}}),
                                    Matrix(3, 1, std::vector<double>{1, 2, 3}));
  EXPECT_DOUBLE_EQ(later.dense_row(0)[1], (2 + 7.5) / 12);
  EXPECT_DOUBLE_EQ(later.dense_row(1)[1], (1 + 7.5) / 12);
  EXPECT_DOUBLE_EQ(later.dense_row(1)[2], (1 + 2.5) / 12);
  EXPECT_DOUBLE_EQ(later.dense_row(2)[1], 0.75);  // not seen in training
}

// A word that occurs once tells nothing about its own row: it gets the share of the others.
TEST(TargetWords, NoRowSeesItsOwnLabels) {
  std::vector<std::string> words;
  std::vector<std::vector<Id>> labels;
  for (int i = 0; i < 100; ++i) {
    words.push_back("user" + std::to_string(i));
    labels.push_back(i % 2 == 0 ? std::vector<Id>{0} : std::vector<Id>{});
  }
  const Dataset data = with_words(words, labels);
  Features joined;
  TargetWords::fit(data, data.x, Context(1), joined);
  double with = 0, without = 0;
  for (Index i = 0; i < 100; ++i) (i % 2 == 0 ? with : without) += joined.dense_row(i)[1];
  EXPECT_LE(with, without + 1e-9);  // by itself, a row can only look less likely
  EXPECT_NEAR(with / 50, 0.5, 0.05);
}

TEST(TargetWords, MissingLabelsAndColumns) {
  Dataset data = with_words({"x", "x", "y"}, {{0}, {}, {}});
  data.y = Labels(2, {{0}, {}, {}}, {{}, {0}, {}});
  Features joined;
  const TargetWords step = TargetWords::fit(data, data.x, Context(1), joined);
  EXPECT_DOUBLE_EQ(step.parts[0].shares(0, 0), (1 + 10 * 0.5) / 11);
  Dataset other = data;
  other.words.clear();
  EXPECT_THROW(step.apply(other, other.x), Error);
}

}  // namespace
}  // namespace mulberry::data
