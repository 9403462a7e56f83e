// Pruned sets and the mapping of decisions to known sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/model/fitted_learner.hpp"

namespace mulberry::learners {
namespace {

using Set = std::vector<Id>;

Dataset data_of(std::uint64_t seed, Index rows = 120) {
  return generate("linear", {.rows = rows, .features = 4, .labels = 5, .noise = 0.6},
                  Context(1, seed));
}

Prediction predicted(const std::string& text, const Dataset& train, const Dataset& test) {
  const Context ctx(2, 1);
  return fit_learner(CompleteSpec(parse_spec(text)), view_of(train), ctx)
      ->predict({.x = &test.x}, ctx);
}

Set set_of(const Labels& y, Index i) { return {y.row(i).begin(), y.row(i).end()}; }

std::map<Set, Index> counted(const Labels& y) {
  std::map<Set, Index> out;
  for (Index i = 0; i < y.rows(); ++i) ++out[set_of(y, i)];
  return out;
}

Dataset with_sets(Dataset data, const std::vector<Set>& sets) {
  data.y = Labels(data.labels(), sets);
  return data;
}

TEST(PrunedSets, WithoutPruningIsLabelPowerset) {
  const Dataset train = data_of(1), test = data_of(2);
  EXPECT_EQ(predicted("ps(keep=0)", train, test).scores, predicted("lp", train, test).scores);
}

// Eight rows with {0, 1}, four with {0}, four with {2}, and one with {0, 1, 2}: it is replaced by
// {0, 1}, then {0} (as frequent as {2}, before it in order); with three parts also by {2}.
TEST(PrunedSets, RareSetsBecomeTheirFrequentParts) {
  Dataset train = data_of(3, 18);
  std::vector<Set> sets;
  for (int i = 0; i < 8; ++i) sets.push_back({0, 1});
  for (int i = 0; i < 4; ++i) sets.push_back({0});
  for (int i = 0; i < 4; ++i) sets.push_back({2});
  sets.push_back({0, 1, 2});
  sets.push_back({3});  // has no frequent part
  train = with_sets(train, sets);
  const Dataset test = data_of(4);
  for (const Index parts : {Index{0}, Index{1}, Index{2}, Index{3}}) {
    std::vector<Id> rows;
    std::vector<Set> kept(sets.begin(), sets.begin() + 16);
    for (Id i = 0; i < 16; ++i) rows.push_back(i);
    for (const Set& part : std::vector<Set>{{0, 1}, {0}, {2}}) {
      if (count_of(kept) == 16 + parts) break;
      rows.push_back(16);
      kept.push_back(part);
    }
    Dataset by_hand = train;
    by_hand.x = take_rows(train.x, rows);
    by_hand.y = Labels(train.labels(), kept);
    EXPECT_EQ(predicted("ps(subsets=" + std::to_string(parts) + ")", train, test).scores,
              predicted("lp", by_hand, test).scores)
        << parts;
  }
}

TEST(PrunedSets, PredictsFrequentSetsOnly) {
  const Dataset train = data_of(5), test = data_of(6, 300);
  const auto counts = counted(train.y);
  const Labels decided = decide(predicted("ps(keep=4)", train, test));
  for (Index i = 0; i < test.rows(); ++i) EXPECT_GT(counts.at(set_of(decided, i)), 4);
}

TEST(PrunedSets, PruningEverythingPrunesNothing) {
  const Dataset train = data_of(7), test = data_of(8);
  EXPECT_EQ(predicted("ps(keep=1000)", train, test).scores, predicted("lp", train, test).scores);
}

TEST(SubsetMapping, FindsTheNearestSetOfTraining) {
  const Dataset train = data_of(9, 40), test = data_of(10, 300);
  const auto counts = counted(train.y);
  const Labels before = decide(predicted("br_logistic", train, test));
  const Prediction p = predicted("subset_mapping", train, test);
  EXPECT_EQ(p.scores, predicted("br_logistic", train, test).scores);
  Index moved = 0;
  for (Index i = 0; i < test.rows(); ++i) {
    // (distance, -rows, set): the first is the answer.
    std::set<std::tuple<long, Index, Set>> order;
    for (const auto& [set, count] : counts) {
      long apart = 0;
      for (Id l = 0; l < train.labels(); ++l) {
        const bool here = std::find(set.begin(), set.end(), l) != set.end();
        if (here != (before.cell(i, l) == Cell::positive)) ++apart;
      }
      order.emplace(apart, -count, set);
    }
    EXPECT_EQ(set_of(*p.decided, i), std::get<2>(*order.begin()));
    if (counts.contains(set_of(before, i))) {
      EXPECT_EQ(set_of(*p.decided, i), set_of(before, i));
    } else {
      ++moved;
    }
  }
  EXPECT_GT(moved, 0);
}

TEST(SubsetMapping, RowsWithMissingCellsAreNoSets) {
  Dataset train = data_of(11, 60);
  const Dataset test = data_of(12);
  std::vector<Set> sets, missing;
  for (Index i = 0; i < train.rows(); ++i) {
    Set set = set_of(train.y, i);
    std::erase(set, 4);
    sets.push_back(set);
    missing.push_back(i == 0 ? Set{} : Set{4});
  }
  sets[0] = {0, 1, 2, 3, 4};
  train.y = Labels(5, sets, missing);
  const Prediction p = predicted("subset_mapping", train, test);
  for (Index i = 0; i < test.rows(); ++i) EXPECT_EQ(set_of(*p.decided, i), sets[0]);
}

TEST(Bagging, IsWhatItsInstancesAre) {
  const Dataset train = data_of(13), test = data_of(14);
  EXPECT_EQ(predicted("bagging(base=br_logistic)", train, test).scores,
            predicted("ebr(base=logistic)", train, test).scores);
  // A bootstrap of linear chains has weights instead of repeated rows: Ecc.RepeatedRowsAreWeights.
  EXPECT_EQ(predicted("bagging(base=cc(order=random), sample=subset)", train, test).scores,
            predicted("ecc(base=logistic, sample=subset)", train, test).scores);
  EXPECT_EQ(predicted("bagging(base=cc(order=random, base=tree))", train, test).scores,
            predicted("ecc(base=tree)", train, test).scores);
  EXPECT_EQ(predicted("bagging(base=lp,sample=all,members=1,answer=scores)", train, test).scores,
            predicted("lp", train, test).scores);
}

TEST(Bagging, MixedRanksByScoresAndDecidesByVotes) {
  const Dataset train = data_of(17), test = data_of(18);
  const std::string text = "bagging(base=lp,members=5,answer=";
  const Prediction mixed = predicted(text + "mixed)", train, test);
  const Matrix votes = predicted(text + "votes)", train, test).scores;
  Matrix means = predicted(text + "scores)", train, test).scores;
  for (Index k = 0; k < means.size(); ++k) {
    double& mean = means.data()[k];
    mean = votes.data()[k] >= 0.5 ? std::max(mean, std::nextafter(0.5, 1.0))
                                  : std::min(mean, std::nextafter(0.5, 0.0));
  }
  EXPECT_EQ(mixed.scores, means);
  EXPECT_EQ(decide(mixed), decide({.scores = votes, .scale = Scale::votes}));
}

TEST(Bagging, EnsembleOfProbabilisticChainsHasMarginals) {
  const Dataset train = data_of(15), test = data_of(16);
  const Prediction p = predicted("epcc", train, test);
  EXPECT_EQ(p.scale, Scale::probability);
  for (Index k = 0; k < p.scores.size(); ++k) {
    EXPECT_GE(p.scores.data()[k], 0);
    EXPECT_LE(p.scores.data()[k], 1);
  }
  EXPECT_NE(p.scores, predicted("pcc", train, test).scores);
}

// A decision at the same distance from two sets goes to the one that weighs more.
TEST(SubsetMapping, TiesGoByWeight) {
  Dataset data;
  data.x = Matrix(4, 1, std::vector<double>{1, 2, 3, 4});
  data.y = Labels(2, {{0}, {0}, {1}, {1}});
  data.label_names = {"a", "b"};
  const Context ctx(1);
  for (const double weight : {0.5, 2.0}) {
    data.weights = {weight, weight, 1, 1};
    // The prior of both labels is 1/3 and 2/3 or the other way round: with a cut at 0.9 it decides
    // for none, which is as far from {a} as from {b}.
    const auto model = fit_learner(
        CompleteSpec(
            parse_spec("subset_mapping(base=threshold(cut=fixed,value=0.9,base=br(base=prior)))")),
        view_of(data), ctx);
    const Labels decided = *model->predict(view_of(data), ctx).decided;
    EXPECT_EQ(decided.row(0)[0], weight > 1 ? 0 : 1);
  }
}

}  // namespace
}  // namespace mulberry::learners
