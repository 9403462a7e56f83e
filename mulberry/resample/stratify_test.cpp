#include "mulberry/resample/stratify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"

namespace mulberry::resample {
namespace {

const std::vector<double> k_fifths(5, 0.2);

std::vector<Index> part_sizes(const std::vector<Id>& part, Index parts) {
  std::vector<Index> sizes(at(parts), 0);
  for (const Id p : part) ++sizes[at(p)];
  return sizes;
}

// The rows of a list in each part.
std::vector<Index> shares_of(std::span<const Id> rows, const std::vector<Id>& part, Index parts) {
  std::vector<Id> of_rows;
  for (const Id i : rows) of_rows.push_back(part[at(i)]);
  return part_sizes(of_rows, parts);
}

Labels linear_labels(Index rows, Index labels, double cardinality, std::uint64_t seed) {
  GenerateOptions options;
  options.rows = rows;
  options.labels = labels;
  options.cardinality = cardinality;
  return generate("linear", options, Context(1, seed)).y;
}

std::vector<Id> at_random(Index rows, Index parts, std::uint64_t seed) {
  std::vector<Id> part;
  for (Index i = 0; i < rows; ++i) part.push_back(static_cast<Id>(i % parts));
  Random(seed, "test").shuffle(std::span(part));
  return part;
}

// Mean over the pairs of labels that occur and over parts of |count - due|, by counting everything.
double pair_gap(const Labels& y, const std::vector<Id>& part, Index parts) {
  std::map<std::pair<Id, Id>, std::vector<double>> counts;
  for (Index i = 0; i < y.rows(); ++i) {
    for (const Id a : y.row(i)) {
      for (const Id b : y.row(i)) {
        if (a >= b) continue;
        auto& count = counts[{a, b}];
        count.resize(at(parts));
        ++count[at(part[at(i)])];
      }
    }
  }
  double total = 0;
  for (const auto& [pair, count] : counts) {
    double sum = 0;
    for (const double c : count) sum += c;
    for (const double c : count) total += std::abs(c - sum / static_cast<double>(parts));
  }
  return total / static_cast<double>(counts.size() * at(parts));
}

// How far the parts are from their share of each label: mean over labels and parts of the absolute
// difference between the odds of the label in the part and in all rows (the measure LD of Sechidis
// et al.). Parts without a negative row of a label count with one.
double label_distribution(const Labels& y, std::span<const Id> part, Index parts) {
  if (y.count() == 0 || parts == 0) return 0.0;
  const auto odds = [](Index positive, Index rows) {
    return static_cast<double>(positive) / static_cast<double>(std::max<Index>(1, rows - positive));
  };
  std::vector<Index> rows(at(parts), 0), positive(at(parts));
  for (const Id p : part) ++rows[at(p)];
  double total = 0;
  for (Index l = 0; l < y.count(); ++l) {
    std::fill(positive.begin(), positive.end(), 0);
    for (const Id i : y.column(l)) ++positive[at(part[at(i)])];
    const double whole = odds(static_cast<Index>(y.column(l).size()), y.rows());
    for (Index p = 0; p < parts; ++p) total += std::abs(odds(positive[at(p)], rows[at(p)]) - whole);
  }
  return total / static_cast<double>(y.count() * parts);
}

TEST(Stratify, RareLabelsAreSpreadAsFarAsTheyGo) {
  const Labels y = linear_labels(1000, 12, 2.0, 1);
  const auto part = stratify(y, k_fifths, {}, Random(3, "s"), Context());
  for (Index l = 0; l < y.count(); ++l) {
    const double due = static_cast<double>(y.column(l).size()) / 5.0;
    for (const Index count : shares_of(y.column(l), part, 5)) {
      EXPECT_LE(std::abs(static_cast<double>(count) - due), 3.0) << "label " << l;
    }
  }
  for (const Index size : part_sizes(part, 5)) EXPECT_NEAR(static_cast<double>(size), 200.0, 2.0);
  EXPECT_LT(label_distribution(y, part, 5), 0.2 * label_distribution(y, at_random(1000, 5, 1), 5));
}

TEST(Stratify, DisjointLabelsAreDealtExactly) {
  std::vector<std::vector<Id>> positives;
  for (Id i = 0; i < 60; ++i) positives.push_back({i % 3});  // 20 rows each
  const Labels y(3, positives);
  for (const bool pairs : {false, true}) {
    const auto part = stratify(y, k_fifths, {.pairs = pairs}, Random(1, "s"), Context());
    for (Index l = 0; l < 3; ++l) {
      EXPECT_EQ(shares_of(y.column(l), part, 5), std::vector<Index>(5, 4));
    }
    EXPECT_EQ(label_distribution(y, part, 5), 0.0);
  }
}

// Rows too many or too few of each label, over both halves.
double half_gap(const Labels& y, std::span<const Id> part) {
  double total = 0;
  for (Index l = 0; l < y.count(); ++l) {
    double first = 0;
    for (const Id i : y.column(l)) first += part[at(i)] == 0 ? 1 : 0;
    total += std::abs(2.0 * first - static_cast<double>(y.column(l).size()));
  }
  return total;
}

// Ten rows have 672 splits into 4 to 6: the best of them against the one that is found without
// looking back.
TEST(Stratify, IsNearTheBestOfAllSplits) {
  double found = 0, best = 0, random = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Labels y = linear_labels(10, 4, 1.5, seed);
    double lowest = 1e9;
    for (unsigned mask = 0; mask < 1024; ++mask) {
      if (std::abs(std::popcount(mask) - 5) > 1) continue;
      std::vector<Id> part(10);
      for (std::size_t i = 0; i < 10; ++i) part[i] = static_cast<Id>(mask >> i & 1u);
      lowest = std::min(lowest, half_gap(y, part));
    }
    best += lowest;
    const auto part = stratify(y, std::vector<double>{0.5, 0.5}, {}, Random(seed, "s"), Context());
    EXPECT_NEAR(static_cast<double>(part_sizes(part, 2)[0]), 5.0, 1.0);
    EXPECT_GE(half_gap(y, part), lowest);
    found += half_gap(y, part);
    random += half_gap(y, at_random(10, 2, seed));
  }
  EXPECT_LT(found - best, 0.25 * (random - best));
}

TEST(Stratify, PairsBalanceWhatOccursTogether) {
  const Labels y = linear_labels(3000, 10, 3.0, 2);
  const auto first = stratify(y, k_fifths, {}, Random(1, "s"), Context());
  const auto second = stratify(y, k_fifths, {.pairs = true}, Random(1, "s"), Context());
  EXPECT_LT(pair_gap(y, second, 5), 0.6 * pair_gap(y, first, 5));
  EXPECT_LT(label_distribution(y, second, 5),
            0.5 * label_distribution(y, at_random(3000, 5, 1), 5));
}

// One label, present in the first half and missing in the other, with the file in that order.
TEST(Stratify, ObservedCellsAreBalanced) {
  std::vector<std::vector<Id>> positives(100), missing(100);
  for (std::size_t i = 0; i < 100; ++i) {
    if (i < 10) positives[i] = {0};
    if (i >= 50 && i < 90) missing[i] = {0};
  }
  const Labels y(1, positives, missing);
  const auto part = stratify(y, k_fifths, {}, Random(5, "s"), Context());
  EXPECT_EQ(shares_of(y.column(0), part, 5), std::vector<Index>(5, 2));
  EXPECT_EQ(shares_of(y.missing_column(0), part, 5), std::vector<Index>(5, 8));
  EXPECT_EQ(part_sizes(part, 5), std::vector<Index>(5, 20));
}

TEST(Stratify, GroupsStayTogetherAndAreStillBalanced) {
  const Labels y = linear_labels(4000, 6, 1.5, 3);
  std::vector<Id> groups;
  Random random(9, "groups");
  for (Index i = 0; i < 4000; ++i) groups.push_back(static_cast<Id>(1000 - 7 * random.below(300)));
  std::map<Id, Id> part_of_group;
  for (const bool labels : {true, false}) {
    const auto part =
        stratify(y, k_fifths, {.groups = groups, .labels = labels}, Random(2, "s"), Context());
    part_of_group.clear();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      EXPECT_EQ(part_of_group.emplace(groups[i], part[i]).first->second, part[i]);
    }
    for (const Index size : part_sizes(part, 5)) {
      EXPECT_NEAR(static_cast<double>(size), 800.0, labels ? 40.0 : 2.0);
    }
    if (labels) {
      EXPECT_LT(label_distribution(y, part, 5),
                0.6 * label_distribution(y, at_random(4000, 5, 1), 5));
    }
  }
}

TEST(Stratify, UnequalSharesAndFewRows) {
  const Labels y = linear_labels(1000, 5, 1.0, 4);
  const auto part = stratify(y, std::vector<double>{0.7, 0.2, 0.1}, {}, Random(1, "s"), Context());
  const auto sizes = part_sizes(part, 3);
  EXPECT_NEAR(static_cast<double>(sizes[0]), 700.0, 3.0);
  EXPECT_NEAR(static_cast<double>(sizes[2]), 100.0, 3.0);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {  // as many rows as parts: one each
    const Labels few = linear_labels(5, 7, 3.0, seed);
    const auto one =
        stratify(few, k_fifths, {.pairs = seed % 2 == 1}, Random(seed, "s"), Context());
    EXPECT_EQ(part_sizes(one, 5), std::vector<Index>(5, 1));
  }
}

TEST(Stratify, EdgesOfLabels) {
  const Labels none(0, std::vector<std::vector<Id>>(10));
  EXPECT_EQ(part_sizes(stratify(none, k_fifths, {}, Random(1, "s"), Context()), 5),
            std::vector<Index>(5, 2));
  const Labels missing(1, std::vector<std::vector<Id>>(10), std::vector<std::vector<Id>>(10, {0}));
  EXPECT_EQ(part_sizes(stratify(missing, k_fifths, {}, Random(1, "s"), Context()), 5),
            std::vector<Index>(5, 2));
  EXPECT_TRUE(stratify(Labels(2, {}), k_fifths, {}, Random(1, "s"), Context()).empty());
}

TEST(Stratify, SeedDecides) {
  const Labels y = linear_labels(500, 6, 1.5, 5);
  const auto with = [&](std::uint64_t seed) {
    return stratify(y, k_fifths, {}, Random(seed, "s"), Context());
  };
  EXPECT_EQ(with(1), with(1));
  EXPECT_NE(with(1), with(2));
}

TEST(Stratify, LabelDistributionByHand) {
  // Rows 0..3 have the label, 8 rows in all: odds 1. Parts {0,1,2,4} and {3,5,6,7}: odds 3 and 1/3.
  std::vector<std::vector<Id>> positives(8);
  for (std::size_t i = 0; i < 4; ++i) positives[i] = {0};
  const std::vector<Id> part = {0, 0, 0, 1, 0, 1, 1, 1};
  EXPECT_DOUBLE_EQ(label_distribution(Labels(1, positives), part, 2), (2.0 + 2.0 / 3.0) / 2.0);
}

}  // namespace
}  // namespace mulberry::resample
