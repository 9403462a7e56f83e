#include "mulberry/measures/ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::measures {
namespace {

struct Case {
  std::vector<double> scores;
  std::vector<Id> relevant, missing;
};

bool holds(const std::vector<Id>& list, Index i) {
  return std::find(list.begin(), list.end(), i) != list.end();
}

// Compares with counting every pair.
void check(const Case& c, const Ranks& ranks) {
  const auto n = count_of(c.scores);
  ASSERT_EQ(ranks.observed, n - count_of(c.missing));
  ASSERT_EQ(ranks.relevant, count_of(c.relevant));
  std::map<double, std::vector<Id>, std::greater<>> groups;
  for (const Id l : c.relevant) groups[c.scores[at(l)]].push_back(l);
  ASSERT_EQ(ranks.groups.size(), groups.size());
  std::size_t k = 0;
  for (const auto& [score, members] : groups) {
    const TieGroup& g = ranks.groups[k++];
    Index above = 0, relevant_above = 0, size = 0;
    std::vector<Index> positions;
    for (Index l = 0; l < n; ++l) {
      if (holds(c.missing, l)) continue;
      const bool relevant = holds(c.relevant, l);
      above += c.scores[at(l)] > score ? 1 : 0;
      relevant_above += c.scores[at(l)] > score && relevant ? 1 : 0;
      if (c.scores[at(l)] != score) continue;
      if (relevant) positions.push_back(size);
      ++size;
    }
    ASSERT_EQ(g.above, above);
    ASSERT_EQ(g.relevant_above, relevant_above);
    ASSERT_EQ(g.size, size);
    ASSERT_EQ(g.relevant, count_of(members));
    for (Index j = 0; j < g.relevant; ++j) {
      ASSERT_EQ(ranks.entry[at(g.first + j)], members[at(j)]);
      ASSERT_EQ(ranks.position[at(g.first + j)], positions[at(j)]);
    }
  }
}

TEST(Ranks, MatchCountingOfPairs) {
  const Context ctx(1, 5);
  Ranker ranker(true);
  for (std::uint64_t round = 0; round < 300; ++round) {
    Random rng = ctx.rng("ranks", round);
    Case c;
    const Index n = rng.below(120);
    const double density = rng.uniform(), gaps = round % 2 == 0 ? 0.0 : 0.3;
    const int kind = static_cast<int>(round % 5);
    for (Index l = 0; l < n; ++l) {
      double s = rng.normal();
      if (kind == 1) s = std::floor(3 * s);
      if (kind == 2) s = std::exp(20 * s);  // most values share a cell
      if (kind == 3) s *= 1e308 / 8;        // ranges beyond the doubles
      if (kind == 4) s = 0.25;
      c.scores.push_back(s);
      if (rng.chance(gaps)) {
        c.missing.push_back(static_cast<Id>(l));
      } else if (rng.chance(density)) {
        c.relevant.push_back(static_cast<Id>(l));
      }
    }
    check(c, ranker.dense(c.scores, c.relevant, c.missing));
  }
}

TEST(Ranks, UnlistedEntriesTieBelowTheListed) {
  const Context ctx(1, 6);
  Ranker ranker(true);
  for (std::uint64_t round = 0; round < 200; ++round) {
    Random rng = ctx.rng("top", round);
    Case c;
    std::vector<Id> index;
    std::vector<double> value;
    for (Id l = 0; l < 30; ++l) {
      const bool listed = rng.chance(0.4);
      c.scores.push_back(listed ? std::floor(3 * rng.normal()) : -1e9);
      if (listed) {
        index.push_back(l);
        value.push_back(c.scores.back());
      }
      if (rng.chance(0.2)) {
        c.missing.push_back(l);
      } else if (rng.chance(0.3)) {
        c.relevant.push_back(l);
      }
    }
    check(c, ranker.top({index, value}, 30, c.relevant, c.missing));
  }
}

TEST(ScoreSorter, SortsLikeTheStandardLibrary) {
  const Context ctx(1, 7);
  ScoreSorter sorter;
  for (std::uint64_t round = 0; round < 40; ++round) {
    Random rng = ctx.rng("sort", round);
    std::vector<double> values(at(rng.below(3000)));
    for (double& v : values) {
      v = rng.normal();
      if (round % 4 == 1) v = std::floor(v);
      if (round % 4 == 2) v = std::exp(30 * v);
      if (round % 4 == 3) v *= 2e307;
    }
    std::vector<double> expected = values;
    std::sort(expected.begin(), expected.end());
    sorter.sort(values);
    ASSERT_EQ(values, expected);
  }
}

TEST(Ranks, TiePoliciesOnAHandWorkedRow) {
  // Relevant 0 and 1; scores .5 .5 .5 .1.
  Ranker ranker(true);
  const std::vector<double> scores = {.5, .5, .5, .1};
  const std::vector<Id> relevant = {0, 1};
  const Ranks& r = ranker.dense(scores, relevant, {});
  EXPECT_DOUBLE_EQ(average_precision_of(r, Ties::worst), 2.0 / 3);
  EXPECT_DOUBLE_EQ(average_precision_of(r, Ties::best), 1);
  EXPECT_DOUBLE_EQ(average_precision_of(r, Ties::average), 29.0 / 36);
  EXPECT_DOUBLE_EQ(average_precision_of(r, Ties::first), 1);
  EXPECT_DOUBLE_EQ(average_precision_of(r, Ties::last), 7.0 / 12);
}

}  // namespace
}  // namespace mulberry::measures
