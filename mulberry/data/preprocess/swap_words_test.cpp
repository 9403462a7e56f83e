#include "mulberry/data/preprocess/swap_words.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mulberry/data/preprocess/preprocess.hpp"

namespace mulberry::data {
namespace {

// Columns: a number, words that are mostly 1, words that are mostly 0, codes of three words, words
// with a missing value, words of which 1 is a little more frequent.
Features example() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return Features(to_sparse(Features(Matrix(6, 6, {5, 1, 0, 1, nan, 1,  //
                                                   0, 1, 1, 2, 1,   0,  //
                                                   1, 0, 0, 1, 1,   1,  //
                                                   1, 1, 0, 1, 1,   0,  //
                                                   0, 1, 0, 1, 1,   1,  //
                                                   1, 1, 0, 1, 0,   1}))));
}
const std::vector<NominalColumns> k_words = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}};

TEST(SwapWords, FindsColumnsOfWordsThatAreMostlyOne) {
  EXPECT_EQ(frequent_ones(example(), k_words), (std::vector<Id>{1, 4}));
  EXPECT_TRUE(frequent_ones(Features(to_dense(example())), k_words).empty());
}

TEST(SwapWords, SwapsSparseAndDense) {
  const std::vector<Id> columns = {1, 4};
  const Features sparse = swap_zero_one(example(), columns);
  const Features dense = swap_zero_one(Features(to_dense(example())), columns);
  ASSERT_TRUE(sparse.is_sparse());
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) {
      const double before = example().at(i, j), after = sparse.at(i, j);
      if (std::isnan(before)) {
        EXPECT_TRUE(std::isnan(after) && std::isnan(dense.at(i, j)));
        continue;
      }
      EXPECT_EQ(after, j == 1 || j == 4 ? 1 - before : before) << i << ' ' << j;
      EXPECT_EQ(dense.at(i, j), after);
    }
  }
  EXPECT_LT(sparse.stored(), example().stored());
}

TEST(SwapWords, PreprocessingRemembersIt) {
  const Features x = example();
  PreprocessOptions options;
  options.impute = Impute::mode;
  const Preprocessing steps = Preprocessing::fit(x, options, Context(), k_words);
  EXPECT_EQ(steps.swapped, (std::vector<Id>{1, 4}));
  EXPECT_EQ(steps.apply(x).at(2, 1), 1);
  EXPECT_EQ(steps.apply(x).at(0, 4), 0) << "the most frequent word";
  // Other rows are coded as the training rows were, whatever is frequent among them.
  const Id row[] = {2};
  EXPECT_EQ(steps.apply(take_rows(x, row)).at(0, 1), 1);
  EXPECT_TRUE(Preprocessing::fit(x, {}, Context()).does_nothing())
      << "nothing is known to be words";
}

}  // namespace
}  // namespace mulberry::data
