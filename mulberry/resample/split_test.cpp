#include "mulberry/resample/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/resample/out_of_fold.hpp"

namespace mulberry::resample {
namespace {

constexpr SplitMethod k_methods[] = {SplitMethod::random, SplitMethod::stratified,
                                     SplitMethod::stratified_pairs};

Labels some_labels(Index rows) {
  GenerateOptions options;
  options.rows = rows;
  return generate("linear", options, Context(1, 1)).y;
}

void expect_partition(const Fold& fold, Index rows) {
  std::vector<Id> all = fold.train;
  all.insert(all.end(), fold.test.begin(), fold.test.end());
  EXPECT_TRUE(std::is_sorted(fold.train.begin(), fold.train.end()));
  EXPECT_TRUE(std::is_sorted(fold.test.begin(), fold.test.end()));
  std::sort(all.begin(), all.end());
  ASSERT_EQ(count_of(all), rows);
  for (Index i = 0; i < rows; ++i) EXPECT_EQ(all[at(i)], i);
}

bool same(const std::vector<Fold>& a, const std::vector<Fold>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Fold& x, const Fold& y) {
    return x.train == y.train && x.test == y.test;
  });
}

TEST(Split, FoldsTestEveryRowOncePerRepeat) {
  const Labels y = some_labels(203);
  for (const SplitMethod method : k_methods) {
    const SplitOptions options{.method = method, .folds = 4, .repeats = 3};
    const auto folds = k_folds(y, options, Context(1, 5));
    ASSERT_EQ(folds.size(), 12u);
    for (std::size_t r = 0; r < 3; ++r) {
      std::vector<int> tested(203, 0);
      for (std::size_t f = 0; f < 4; ++f) {
        const Fold& fold = folds[4 * r + f];
        expect_partition(fold, 203);
        EXPECT_NEAR(static_cast<double>(fold.test.size()), 50.75, 3.0);
        for (const Id i : fold.test) ++tested[at(i)];
      }
      EXPECT_EQ(tested, std::vector<int>(203, 1));
    }
    EXPECT_NE(folds[0].test, folds[4].test);
    EXPECT_TRUE(same(folds, k_folds(y, options, Context(3, 5))));
    EXPECT_FALSE(same(folds, k_folds(y, options, Context(1, 6))));
    SplitOptions fewer = options;
    fewer.repeats = 2;
    EXPECT_TRUE(same({folds.begin(), folds.begin() + 8}, k_folds(y, fewer, Context(1, 5))));
  }
}

TEST(Split, RandomFoldsDifferByOneRow) {
  const auto folds =
      k_folds(some_labels(103), {.method = SplitMethod::random, .folds = 10}, Context());
  for (const Fold& fold : folds) {
    EXPECT_TRUE(fold.test.size() == 10 || fold.test.size() == 11);
  }
}

TEST(Split, HoldOutTakesItsShare) {
  const Labels y = some_labels(200);
  for (const SplitMethod method : k_methods) {
    SplitOptions options{.method = method, .holdout = 0.25};
    const Fold fold = hold_out(y, options, Context(1, 2));
    expect_partition(fold, 200);
    EXPECT_NEAR(static_cast<double>(fold.test.size()), 50.0, 2.0);
    // Another repeat draws again: by chance a quarter of the 50 rows are tested in both.
    const Fold other = hold_out(y, options, Context(1, 2), 1);
    std::vector<Id> both;
    std::set_intersection(fold.test.begin(), fold.test.end(), other.test.begin(), other.test.end(),
                          std::back_inserter(both));
    EXPECT_LT(both.size(), 25u);
    options.holdout = 1e-9;  // still a row to test on
    EXPECT_EQ(hold_out(y, options, Context()).test.size(), 1u);
    options.holdout = 1 - 1e-9;
    EXPECT_EQ(hold_out(y, options, Context()).train.size(), 1u);
    EXPECT_EQ(hold_out(some_labels(2), options, Context()).test.size(), 1u);
  }
}

TEST(Split, NoGroupOnBothSides) {
  const Labels y = some_labels(300);
  std::vector<Id> groups;
  for (Id i = 0; i < 300; ++i) groups.push_back(i * i % 37);
  for (const SplitMethod method : k_methods) {
    for (const Fold& fold :
         k_folds(y, {.method = method, .folds = 3, .groups = groups}, Context(1, 4))) {
      expect_partition(fold, 300);
      std::set<Id> train;
      for (const Id i : fold.train) train.insert(groups[at(i)]);
      for (const Id i : fold.test) EXPECT_FALSE(train.contains(groups[at(i)]));
    }
  }
}

TEST(Split, RefusesWhatCannotBe) {
  const Labels y = some_labels(5);
  EXPECT_THROW(k_folds(y, {.folds = 6}, Context()), Error);
  EXPECT_THROW(k_folds(y, {.folds = 1}, Context()), Error);
  EXPECT_THROW(k_folds(y, {.folds = 2, .repeats = 0}, Context()), Error);
  EXPECT_THROW(k_folds(y, {.folds = 3, .groups = {1, 1, 2, 2, 2}}, Context()), Error);
  EXPECT_THROW(k_folds(y, {.folds = 2, .groups = {1, 2}}, Context()), Error);
  EXPECT_THROW(hold_out(y, {.holdout = 0}, Context()), Error);
  EXPECT_THROW(hold_out(y, {.holdout = 1}, Context()), Error);
  EXPECT_THROW(hold_out(y, {.holdout = std::nan("")}, Context()), Error);
  EXPECT_THROW(hold_out(some_labels(1), {}, Context()), Error);
}

TEST(OutOfFold, PutsScoresWhereTheyBelong) {
  const Labels y = some_labels(50);
  auto folds = k_folds(y, {.folds = 5, .repeats = 2}, Context(1, 1));
  const auto run = [](const Fold& fold, Index f, const Context&) {
    Matrix scores(count_of(fold.test), 2);
    for (Index k = 0; k < scores.rows(); ++k) {
      scores(k, 0) = fold.test[at(k)];
      scores(k, 1) = f < 5 ? 1.0 : 4.0;  // by repeat
    }
    return scores;
  };
  const Matrix scores = out_of_fold(folds, 50, 2, Context(1), run);
  for (Index i = 0; i < 50; ++i) {
    EXPECT_EQ(scores(i, 0), static_cast<double>(i));
    EXPECT_EQ(scores(i, 1), 2.5);
  }
  EXPECT_EQ(scores, out_of_fold(folds, 50, 2, Context(4), run));
  folds.resize(1);
  const Matrix one = out_of_fold(folds, 50, 2, Context(1), run);
  const std::set<Id> tested(folds[0].test.begin(), folds[0].test.end());
  for (Id i = 0; i < 50; ++i) EXPECT_EQ(std::isnan(one(i, 0)), !tested.contains(i));
}

}  // namespace
}  // namespace mulberry::resample
