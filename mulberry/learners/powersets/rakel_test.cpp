// Label powerset and the random k-labelsets made of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mulberry/base/class_coupling.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/learners/powersets/rakel_sets.hpp"
#include "mulberry/model/base_learner.hpp"
#include "mulberry/model/fitted_learner.hpp"
#include "tests/support/trained.hpp"

namespace mulberry::learners {
using namespace tests;
namespace {

Dataset data_of(std::uint64_t seed, Index labels = 4, Index rows = 60) {
  return generate("linear", {.rows = rows, .features = 4, .labels = labels, .noise = 0.6},
                  Context(1, seed));
}

std::vector<Id> set_of(const Labels& y, Index i) { return {y.row(i).begin(), y.row(i).end()}; }

// Half of the labels, rounded down.
TEST(RandomLabelsets, AutomaticSetsHoldHalfOfTheLabels) {
  for (const auto& [labels, half] : {std::pair<Index, Index>{6, 3}, {5, 2}, {2, 1}}) {
    const Dataset train = data_of(1, labels), test = data_of(2, labels);
    const Prediction found = predicted("rakel(k=auto)", train, test);
    const Prediction wanted = predicted("rakel(k=" + std::to_string(half) + ")", train, test);
    for (Index i = 0; i < test.rows(); ++i) {
      for (Index l = 0; l < labels; ++l) ASSERT_EQ(found.scores(i, l), wanted.scores(i, l));
    }
  }
}

// The definition: the base learner on numbered sets, and sums over the sets that contain a label.
TEST(LabelPowerset, EqualsItsDefinition) {
  const Dataset train = data_of(1), test = data_of(2);
  std::map<std::vector<Id>, Id> number;
  for (Index i = 0; i < train.rows(); ++i) number.emplace(set_of(train.y, i), 0);
  std::vector<std::vector<Id>> sets;
  for (auto& [set, id] : number) {
    id = static_cast<Id>(sets.size());
    sets.push_back(set);
  }
  ASSERT_GT(sets.size(), 2u);
  std::vector<Id> classes;
  for (Index i = 0; i < train.rows(); ++i) classes.push_back(number[set_of(train.y, i)]);
  for (const std::string id : {"logistic", "linear_svm", "tree"}) {
    const Spec base = find_base(id).complete(Spec(id));
    const FittedClassifier model(base, {train.x, classes, static_cast<Id>(sets.size())},
                                 Context(1, 1));
    const Matrix scores = model.scores(test.x, Context());
    const Prediction p = predicted("lp(duels=rest, base=" + id + ")", train, test);
    ASSERT_TRUE(p.decided.has_value());
    for (Index i = 0; i < test.rows(); ++i) {
      const auto row = scores.row(i);
      const auto best = std::max_element(row.begin(), row.end()) - row.begin();
      EXPECT_EQ(set_of(*p.decided, i), sets[at(best)]) << id;
      for (Id l = 0; l < 4; ++l) {
        double sum = 0, with = -1e300, without = -1e300;
        for (std::size_t c = 0; c < sets.size(); ++c) {
          const bool holds = std::count(sets[c].begin(), sets[c].end(), l) > 0;
          if (holds) sum += row[c];
          (holds ? with : without) = std::max(holds ? with : without, row[c]);
        }
        EXPECT_NEAR(p.scores(i, l), id == "linear_svm" ? with - without : sum, 1e-12) << id;
      }
    }
  }
}

TEST(LabelPowerset, NeverPredictsAnUnseenSet) {
  const Dataset train = data_of(3, 6), test = data_of(4, 6, 300);
  std::set<std::vector<Id>> seen;
  for (Index i = 0; i < train.rows(); ++i) seen.insert(set_of(train.y, i));
  const Labels decided = decide(predicted("lp", train, test));
  for (Index i = 0; i < test.rows(); ++i) EXPECT_TRUE(seen.contains(set_of(decided, i)));
}

TEST(LabelPowerset, MarginsAgreeWithTheDecision) {
  const Dataset train = data_of(5), test = data_of(6);
  const Prediction p = predicted("lp(base=linear_svm, duels=rest)", train, test);
  for (Index i = 0; i < test.rows(); ++i) {
    for (Index l = 0; l < 4; ++l) {
      EXPECT_EQ(p.decided->cell(i, l) == Cell::positive, p.scores(i, l) > 0);
    }
  }
}

TEST(LabelSetsOfRakel, AreCounted) {
  EXPECT_EQ(count_labelsets(5, 2, 100), 10);
  EXPECT_EQ(count_labelsets(5, 5, 100), 1);
  EXPECT_EQ(count_labelsets(6, 1, 100), 6);
  EXPECT_EQ(count_labelsets(30, 15, 1000), 1000);
  EXPECT_EQ(count_labelsets(30, 15, Index{1} << 40), 155117520);
  EXPECT_EQ(count_labelsets(100000, 500, 1000), 1000);
}

TEST(LabelSetsOfRakel, ADisjointCoverHoldsEveryLabelOnce) {
  const auto sets = disjoint_labelsets(11, 3, Context(1, 2));
  ASSERT_EQ(sets.size(), 4u);
  std::vector<Id> all;
  for (const auto& set : sets) all.insert(all.end(), set.begin(), set.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<Id>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(sets.back().size(), 2u);
  EXPECT_NE(sets, disjoint_labelsets(11, 3, Context(1, 3)));
}

TEST(LabelSetsOfRakel, RandomSetsAreDifferent) {
  for (const Index count : {1, 7, 12, 34, 35, 1000}) {  // of 35: drawn, or all of them shuffled
    const auto sets = random_labelsets(7, 3, count, Context(1, 2));
    EXPECT_EQ(sets.size(), at(std::min<Index>(count, 35)));
    EXPECT_EQ(std::set(sets.begin(), sets.end()).size(), sets.size());
    for (const auto& set : sets) {
      ASSERT_EQ(set.size(), 3u);
      EXPECT_TRUE(set[0] >= 0 && set[0] < set[1] && set[1] < set[2] && set[2] < 7);
    }
  }
}

TEST(LabelSetsOfRakel, EveryLabelIsAsLikely) {
  for (const Index count : {4, 20}) {
    std::vector<double> share(6, 0.0);
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      const auto sets = random_labelsets(6, 3, count == 4 ? 4 : 11, Context(1, seed));
      for (const auto& set : sets) {
        for (const Id l : set) {
          share[at(l)] += 1.0 / (500.0 * static_cast<double>(sets.size()));
        }
      }
    }
    for (const double s : share) EXPECT_NEAR(s, 0.5, 0.05);  // over four deviations
  }
}

TEST(LabelSetsOfRakel, NoLabelIsLeftOut) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const Index count : {5, 8, 20}) {
      const auto sets = random_labelsets(12, 3, count, Context(1, seed));
      std::set<Id> held;
      for (const auto& set : sets) {
        ASSERT_EQ(std::set(set.begin(), set.end()).size(), 3u);
        held.insert(set.begin(), set.end());
      }
      ASSERT_EQ(sets.size(), at(count));
      ASSERT_EQ(held.size(), 12u) << seed;
      ASSERT_EQ(std::set(sets.begin(), sets.end()).size(), sets.size());
    }
  }
}

TEST(Rakel, OneSetOfAllLabelsIsLabelPowerset) {
  const Dataset train = data_of(7), test = data_of(8);
  const Labels powerset = decide(predicted("lp", train, test));
  EXPECT_EQ(decide(predicted("rakel(k=4)", train, test)), powerset);
  EXPECT_EQ(decide(predicted("rakel(k=9, cover=disjoint)", train, test)), powerset);
}

TEST(Rakel, SetsOfOneLabelAreBinaryRelevance) {
  const Dataset train = data_of(9), test = data_of(10);
  const Labels alone = decide(predicted("br_logistic", train, test));
  EXPECT_EQ(decide(predicted("rakel(k=1)", train, test)), alone);
  EXPECT_EQ(decide(predicted("rakel(k=1, cover=disjoint)", train, test)), alone);
}

TEST(Rakel, CountsTheVotesOfCoveringModels) {
  const Dataset train = data_of(11, 5), test = data_of(12, 5);
  Matrix votes(test.rows(), 5);
  std::vector<double> voters(5, 0.0);
  for (const auto& set : random_labelsets(5, 2, 4, Context(1, 21))) {
    Dataset part = train;
    part.y = take_labels(train.y, set);
    const Labels decided = decide(predicted("lp", part, test));
    for (std::size_t k = 0; k < set.size(); ++k) {
      voters[at(set[k])] += 1;
      for (Index i = 0; i < test.rows(); ++i) {
        votes(i, set[k]) += decided.cell(i, static_cast<Index>(k)) == Cell::positive ? 1 : 0;
      }
    }
  }
  const Prediction p = predicted("rakel(k=2, models=4, answer=votes)", train, test, 21);
  EXPECT_EQ(decide(predicted("rakel(k=2, models=4)", train, test, 21)), decide(p));
  EXPECT_EQ(p.scale, Scale::votes);
  for (Index i = 0; i < test.rows(); ++i) {
    for (Index l = 0; l < 5; ++l) {
      const double count = voters[at(l)];
      EXPECT_DOUBLE_EQ(p.scores(i, l), count > 0 ? votes(i, l) / count : 0);
    }
  }
}

TEST(Rakel, SharesAreTheMeanOfPowersets) {
  const Dataset train = data_of(13, 5), test = data_of(14, 5);
  for (const std::string base : {"logistic", "linear_svm"}) {
    Matrix shares(test.rows(), 5);
    std::vector<double> models(5, 0.0);
    for (const auto& set : random_labelsets(5, 2, 4, Context(1, 3))) {
      Dataset part = train;
      part.y = take_labels(train.y, set);
      const Prediction one = predicted("lp(base=" + base + ")", part, test, 3);
      for (std::size_t k = 0; k < set.size(); ++k) {
        models[at(set[k])] += 1;
        for (Index i = 0; i < test.rows(); ++i) {
          const double s = one.scores(i, static_cast<Index>(k));
          shares(i, set[k]) += one.scale == Scale::margin ? 1 / (1 + std::exp(-2 * s)) : s;
        }
      }
    }
    const Prediction p = predicted("rakel(k=2, models=4, base=" + base + ")", train, test, 3);
    for (Index i = 0; i < test.rows(); ++i) {
      for (Index l = 0; l < 5; ++l)
        EXPECT_NEAR(p.scores(i, l), shares.row(i)[at(l)] / std::max(models[at(l)], 1.0), 1e-12);
    }
  }
}

// The definition: a classifier per pair of sets, trained on the rows of both.
TEST(LabelPowerset, CouplesDuelsOfPairs) {
  const Dataset train = data_of(15, 3), test = data_of(16, 3);
  std::map<std::vector<Id>, std::vector<Id>> rows;
  for (Index i = 0; i < train.rows(); ++i) rows[set_of(train.y, i)].push_back(static_cast<Id>(i));
  ASSERT_GT(rows.size(), 3u);
  std::vector<std::vector<double>> duels(at(test.rows()));
  for (auto a = rows.begin(); a != rows.end(); ++a) {
    for (auto b = std::next(a); b != rows.end(); ++b) {
      std::vector<Id> both = a->second, y;
      both.insert(both.end(), b->second.begin(), b->second.end());
      std::sort(both.begin(), both.end());
      for (const Id i : both) y.push_back(set_of(train.y, i) == a->first ? 1 : 0);
      const FittedClassifier duel(find_base("linear_svm").complete(Spec("linear_svm")),
                                  {take_rows(train.x, both), y, 2}, Context(1, 1));
      const Matrix margins = duel.scores(test.x, Context(1));
      for (Index i = 0; i < test.rows(); ++i)
        duels[at(i)].push_back(1 / (1 + std::exp(-4 * margins(i, 0))));
    }
  }
  const Prediction p = predicted("lp(base=linear_svm)", train, test);
  EXPECT_EQ(p.scale, Scale::votes);
  for (Index i = 0; i < test.rows(); ++i) {
    std::vector<double> shares(rows.size()), labels(3, 0.0);
    couple_classes(duels[at(i)], shares);
    std::size_t c = 0;
    for (const auto& [set, members] : rows) {
      for (const Id l : set) labels[at(l)] += shares[c];
      ++c;
    }
    for (Index l = 0; l < 3; ++l) EXPECT_NEAR(p.scores(i, l), labels[at(l)], 1e-9);
    const auto best = std::max_element(shares.begin(), shares.end()) - shares.begin();
    EXPECT_EQ(set_of(*p.decided, i), std::next(rows.begin(), best)->first);
  }
}

}  // namespace
}  // namespace mulberry::learners
