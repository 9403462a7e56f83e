#include "mulberry/data/generate/hide.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"

namespace mulberry::data {
namespace {

Labels some_labels(Index rows, Index labels, double cardinality) {
  GenerateOptions options;
  options.rows = rows;
  options.labels = labels;
  options.cardinality = cardinality;
  return generate("linear", options, Context(1, 1)).y;
}

bool contains(std::span<const Id> all, std::span<const Id> part) {
  return std::ranges::includes(all, part);
}

TEST(Hide, TakesTheRoundedShareOfEachRow) {
  // Labels of a row, and how many are left at a share of 0.3, 0.4, 0.5, 1.
  const std::vector<std::vector<std::size_t>> left = {
      {0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}, {2, 1, 1, 1, 1}, {3, 2, 2, 1, 1},
      {4, 3, 2, 2, 1}, {5, 3, 3, 2, 1}, {10, 7, 6, 5, 1}};
  std::vector<std::vector<Id>> positives;
  for (const auto& row : left) {
    auto& labels = positives.emplace_back();
    for (std::size_t l = 0; l < row[0]; ++l) labels.push_back(static_cast<Id>(l));
  }
  const Labels y(10, positives);
  const double shares[] = {0.3, 0.4, 0.5, 1.0};
  for (std::size_t s = 0; s < 4; ++s) {
    const Labels hidden = hide_labels(y, {.share = shares[s]}, Context(1, 3));
    const Labels marked =
        hide_labels(y, {.share = shares[s], .mode = HideMode::missing}, Context(1, 3));
    EXPECT_FALSE(hidden.has_missing());
    for (Index i = 0; i < y.rows(); ++i) {
      EXPECT_EQ(hidden.row(i).size(), left[at(i)][s + 1]) << "row " << i << " share " << shares[s];
      EXPECT_TRUE(contains(y.row(i), hidden.row(i)));
      EXPECT_TRUE(std::ranges::equal(marked.row(i), hidden.row(i)));
      EXPECT_EQ(marked.missing_row(i).size() + hidden.row(i).size(), y.row(i).size());
      EXPECT_TRUE(contains(y.row(i), marked.missing_row(i)));
    }
  }
}

TEST(Hide, LargerSharesHideMoreOfTheSame) {
  const Labels y = some_labels(200, 20, 6);
  const Labels little = hide_labels(y, {.share = 0.2}, Context(1, 4));
  const Labels much = hide_labels(y, {.share = 0.6}, Context(1, 4));
  for (Index i = 0; i < y.rows(); ++i) EXPECT_TRUE(contains(little.row(i), much.row(i)));
}

TEST(Hide, NoLabelIsPreferred) {
  std::vector<std::vector<Id>> positives(8000, {0, 1, 2, 3});
  const Labels hidden = hide_labels(Labels(4, positives), {.share = 0.5}, Context(1, 5));
  for (Index l = 0; l < 4; ++l) {
    EXPECT_NEAR(static_cast<double>(hidden.column(l).size()), 4000.0, 200.0);
  }
}

TEST(Hide, CellsGoWhateverTheyHold) {
  const Labels y = some_labels(2000, 10, 3);
  const Labels hidden = hide_labels(y, {.share = 0.3, .mode = HideMode::cells}, Context(1, 6));
  EXPECT_NEAR(static_cast<double>(hidden.missing()), 6000.0, 250.0);
  EXPECT_NEAR(static_cast<double>(hidden.positives()), 0.7 * 6000.0, 200.0);
  for (Index i = 0; i < y.rows(); ++i) EXPECT_TRUE(contains(y.row(i), hidden.row(i)));
  const Labels all = hide_labels(y, {.share = 1, .mode = HideMode::cells}, Context());
  EXPECT_EQ(all.missing(), 20000);
}

TEST(Hide, WhatWasMissingStaysMissing) {
  const Labels y(4, {{0, 1}, {2}}, {{3}, {0, 1}});
  for (const HideMode mode : {HideMode::negative, HideMode::missing, HideMode::cells}) {
    const Labels hidden = hide_labels(y, {.share = 0.5, .mode = mode}, Context(1, 7));
    for (Index i = 0; i < 2; ++i) {
      EXPECT_TRUE(contains(hidden.missing_row(i), y.missing_row(i)));
    }
  }
  // Row 0 can take only one other label and keeps one of its labels; row 1 can take only 3.
  const Labels flipped = flip_labels(y, 1.0, Context(1, 7));
  EXPECT_EQ(flipped.cell(0, 2), Cell::positive);
  EXPECT_EQ(flipped.row(0).size(), 2u);
  EXPECT_EQ(flipped.cell(1, 3), Cell::positive);
  EXPECT_EQ(flipped.cell(1, 2), Cell::negative);
  EXPECT_EQ(flipped.missing(), 3);
}

TEST(Flip, KeepsTheNumberOfLabels) {
  const Labels y = some_labels(300, 12, 4);
  const Labels flipped = flip_labels(y, 0.5, Context(1, 8));
  for (Index i = 0; i < y.rows(); ++i) {
    const auto before = y.row(i), after = flipped.row(i);
    ASSERT_EQ(before.size(), after.size());
    std::vector<Id> kept;
    std::ranges::set_intersection(before, after, std::back_inserter(kept));
    const std::size_t wrong = std::min((before.size() + 1) / 2, 12 - before.size());
    EXPECT_EQ(kept.size(), before.size() - wrong);
  }
}

TEST(Hide, ThreadsAndSeeds) {
  const Labels y = some_labels(5000, 10, 3);
  for (const HideMode mode : {HideMode::negative, HideMode::missing, HideMode::cells}) {
    const HideOptions options{.share = 0.4, .mode = mode};
    const Labels one = hide_labels(y, options, Context(1, 1));
    EXPECT_EQ(one, hide_labels(y, options, Context(4, 1)));
    EXPECT_FALSE(one == hide_labels(y, options, Context(1, 2)));
    EXPECT_EQ(hide_labels(y, {.share = 0, .mode = mode}, Context(1, 1)), y);
  }
  EXPECT_EQ(flip_labels(y, 0.4, Context(1, 1)), flip_labels(y, 0.4, Context(4, 1)));
  EXPECT_EQ(flip_labels(y, 0, Context(1, 1)), y);
}

TEST(Hide, RefusesSharesOutsideTheRange) {
  const Labels y = some_labels(3, 2, 1);
  for (const double share : {-0.1, 1.1, std::nan("")}) {
    EXPECT_THROW(hide_labels(y, {.share = share}, Context()), Error);
    EXPECT_THROW(flip_labels(y, share, Context()), Error);
  }
}

TEST(HideSets, HidesWholeSets) {
  const LabelSets sets{.names = {"a", "b"}, .members = {{0, 2}, {1, 3, 4}}};
  std::vector<std::vector<Id>> rows;
  for (Id i = 0; i < 4000; ++i)
    rows.push_back({i % 2 == 0 ? Id{0} : Id{1}, i % 2 == 0 ? Id{3} : Id{2}});
  const Labels y(5, rows);
  const HideOptions options{.share = 0.4, .mode = HideMode::sets};
  const Labels hidden = hide_labels(y, options, Context(1, 6), sets);
  const Labels more = hide_labels(y, {.share = 0.7, .mode = HideMode::sets}, Context(3, 6), sets);
  Index gone = 0, both = 0;
  for (Index i = 0; i < y.rows(); ++i) {
    Index here = 0;
    for (const auto& members : sets.members) {
      const bool missing = hidden.cell(i, members[0]) == Cell::missing;
      here += missing ? 1 : 0;
      for (const Id l : members) {
        EXPECT_EQ(hidden.cell(i, l), missing ? Cell::missing : y.cell(i, l));
        if (missing) {
          EXPECT_EQ(more.cell(i, l), Cell::missing);
        }
      }
    }
    gone += here;
    both += here == 2 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(gone) / 8000, 0.4, 0.02);
  EXPECT_NEAR(static_cast<double>(both) / 4000, 0.16, 0.02);
  EXPECT_THROW(hide_labels(y, options, Context()), Error);
}

}  // namespace
}  // namespace mulberry::data
