#include "mulberry/model/consistent/consistent_sets.hpp"

#include <gtest/gtest.h>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"
#include "mulberry/model/consistent/max_closure.hpp"

namespace mulberry::model {
namespace {

// Every set of labels, tried in turn.
struct Reference {
  double value = -1e300;
  Index sets = 0;  // that obey the rules
};

bool obeys(std::uint32_t set, const LabelRules& rules, const LabelSets& sets) {
  const auto has = [&](Id l) { return (set >> l & 1U) != 0; };
  for (const auto& [label, implied] : rules.implications()) {
    if (has(label) && !has(implied)) return false;
  }
  for (const auto& group : rules.exclusive) {
    if (std::ranges::count_if(group, has) > 1) return false;
  }
  for (const auto& members : sets.members) {
    if (std::ranges::count_if(members, has) != 1) return false;
  }
  return true;
}

Reference brute_force(const LabelRules& rules, const LabelSets& sets,
                      std::span<const double> weights) {
  Reference out;
  for (std::uint32_t set = 0; set < 1U << weights.size(); ++set) {
    if (!obeys(set, rules, sets)) continue;
    ++out.sets;
    double value = 0;
    for (std::size_t l = 0; l < weights.size(); ++l) value += (set >> l & 1U) != 0 ? weights[l] : 0;
    out.value = std::max(out.value, value);
  }
  return out;
}

std::vector<double> random_weights(Index labels, Random& rng) {
  std::vector<double> out;
  for (Index l = 0; l < labels; ++l) out.push_back(4 * rng.uniform() - 2);
  return out;
}

// The best set obeys the rules, has its weights' value, and none is better.
void expect_best(const ConsistentSets& sets, const LabelRules& rules, const LabelSets& label_sets,
                 Index labels, Random& rng) {
  const std::vector<double> weights = random_weights(labels, rng);
  const Reference reference = brute_force(rules, label_sets, weights);
  if (reference.sets == 0) {
    EXPECT_THROW(sets.best(weights), Error);
    return;
  }
  const std::vector<Id> best = sets.best(weights);
  std::uint32_t bits = 0;
  double value = 0;
  for (const Id l : best) {
    bits |= 1U << l;
    value += weights[at(l)];
  }
  EXPECT_TRUE(obeys(bits, rules, label_sets));
  EXPECT_TRUE(sets.allows(best));
  EXPECT_NEAR(value, reference.value, 1e-9);
}

void expect_same_judgement(const ConsistentSets& sets, const LabelRules& rules,
                           const LabelSets& label_sets, Index labels) {
  for (std::uint32_t bits = 0; bits < 1U << labels; ++bits) {
    std::vector<Id> set;
    for (Id l = 0; l < labels; ++l) {
      if ((bits >> l & 1U) != 0) set.push_back(l);
    }
    ASSERT_EQ(sets.allows(set), obeys(bits, rules, label_sets));
  }
}

LabelRules random_forest(Index labels, Random& rng) {
  LabelRules out;
  for (Id l = 0; l < labels; ++l) {
    // Parents have larger numbers here, and smaller ones in the hierarchies below.
    const Index above = labels - 1 - l;
    out.parent.push_back(
        above == 0 || rng.uniform() < 0.3 ? -1 : static_cast<Id>(l + 1 + rng.below(above)));
  }
  return out;
}

TEST(ConsistentSets, TreesOfLabelsMatchBruteForce) {
  Random rng(1, "forest");
  for (int round = 0; round < 60; ++round) {
    const Index labels = 1 + rng.below(9);
    LabelRules rules = random_forest(labels, rng);
    // Of the children of one label, some exclude each other.
    const Id parent = static_cast<Id>(rng.below(labels + 1)) - 1;
    std::vector<Id> children;
    for (Id l = 0; l < labels; ++l) {
      if (rules.parent[at(l)] == parent && rng.uniform() < 0.7) children.push_back(l);
    }
    if (children.size() > 1 && round % 2 == 0) rules.exclusive.push_back(children);
    const ConsistentSets sets(rules, {}, labels);
    expect_same_judgement(sets, rules, {}, labels);
    for (int draw = 0; draw < 10; ++draw) expect_best(sets, rules, {}, labels, rng);
  }
}

TEST(ConsistentSets, AnyImplicationsMatchBruteForce) {
  Random rng(2, "graph");
  Index tangled = 0;  // more implications than a forest can have
  for (int round = 0; round < 80; ++round) {
    const Index labels = 2 + rng.below(8);
    LabelRules rules;
    const Index edges = rng.below(2 * labels);
    for (Index e = 0; e < edges; ++e) {
      const auto a = static_cast<Id>(rng.below(labels)), b = static_cast<Id>(rng.below(labels));
      if (a != b) rules.implied.push_back({a, b});
    }
    const ConsistentSets sets(rules, {}, labels);
    tangled += count_of(rules.implied) >= labels ? 1 : 0;
    expect_same_judgement(sets, rules, {}, labels);
    for (int draw = 0; draw < 10; ++draw) expect_best(sets, rules, {}, labels, rng);
    EXPECT_TRUE(sets.exact());
  }
  EXPECT_GT(tangled, 20);
}

TEST(ConsistentSets, ImplicationsGroupsAndSetsMatchBruteForce) {
  Random rng(3, "everything");
  for (int round = 0; round < 120; ++round) {
    const Index labels = 3 + rng.below(7);
    LabelRules rules;
    LabelSets label_sets;
    for (Index e = rng.below(labels); e > 0; --e) {
      const auto a = static_cast<Id>(rng.below(labels)), b = static_cast<Id>(rng.below(labels));
      if (a != b) rules.implied.push_back({a, b});
    }
    const auto draw_group = [&] {
      std::vector<Id> group;
      for (Id l = 0; l < labels; ++l) {
        if (rng.uniform() < 0.4) group.push_back(l);
      }
      return group;
    };
    for (Index g = rng.below(3); g > 0; --g) {
      if (auto group = draw_group(); group.size() > 1) rules.exclusive.push_back(group);
    }
    if (round % 3 == 0) {
      if (auto group = draw_group(); !group.empty()) {
        label_sets.names.emplace_back("set");
        label_sets.members.push_back(group);
      }
    }
    const ConsistentSets sets(rules, label_sets, labels);
    expect_same_judgement(sets, rules, label_sets, labels);
    for (int draw = 0; draw < 6; ++draw) expect_best(sets, rules, label_sets, labels, rng);
    EXPECT_TRUE(sets.exact());
  }
}

// Exactly one of two labels that come together.
TEST(ConsistentSets, RulesThatNoSetObeysAreAnError) {
  const LabelRules rules{.implied = {{0, 1}, {1, 0}}};
  const LabelSets label_sets{.names = {"set"}, .members = {{0, 1}}};
  const ConsistentSets sets(rules, label_sets, 2);
  EXPECT_THROW(sets.best(std::vector<double>{1, 1}), Error);
  EXPECT_FALSE(sets.allows({}));
}

// dog implies animal: a sure dog brings the animal along, a doubtful one goes.
TEST(ConsistentSets, AWorkedExample) {
  LabelRules rules{.parent = {1, -1, -1}};
  const ConsistentSets sets(rules, {}, 3);
  EXPECT_EQ(sets.best(std::vector<double>{3, -1, -1}), (std::vector<Id>{0, 1}));
  EXPECT_EQ(sets.best(std::vector<double>{1, -3, 2}), (std::vector<Id>{2}));
}

TEST(ConsistentSets, LongChains) {
  const auto chain = [](Index labels) {
    LabelRules out{.parent = std::vector<Id>(at(labels), -1)};
    for (Id l = 1; l < labels; ++l) out.parent[at(l)] = l - 1;
    return out;
  };
  const auto weights = [](Index labels) {
    std::vector<double> out(at(labels), -1e-6);
    out.back() = 1;
    return out;
  };
  constexpr Index k_long = 100'000, k_circle = 1000;
  EXPECT_EQ(count_of(ConsistentSets(chain(k_long), {}, k_long).best(weights(k_long))), k_long);
  LabelRules circle = chain(k_circle);
  circle.implied.push_back({0, k_circle - 1});  // no forest any more
  const ConsistentSets sets(circle, {}, k_circle);
  EXPECT_EQ(count_of(sets.best(weights(k_circle))), k_circle);
}

// Many groups that overlap: the search ends in bounded time and still obeys the rules.
TEST(ConsistentSets, HardGroupsEnd) {
  constexpr Index k_labels = 60;
  Random rng(4, "hard");
  LabelRules rules;
  for (Id a = 0; a < k_labels; ++a) {
    for (Id b = a + 1; b < k_labels; ++b) {
      if (rng.uniform() < 0.1) rules.exclusive.push_back({a, b});
    }
  }
  const ConsistentSets sets(rules, {}, k_labels);
  EXPECT_TRUE(sets.allows(sets.best(std::vector<double>(k_labels, 1.0))));
}

TEST(MaxClosure, TakesTheSmallestOfEquallyGoodOnes) {
  const std::pair<Id, Id> needs[] = {{0, 1}};
  EXPECT_EQ(max_closure(std::vector<double>{1, -1}, needs), (std::vector<bool>{false, false}));
  EXPECT_EQ(max_closure(std::vector<double>{2, -1}, needs), (std::vector<bool>{true, true}));
}

}  // namespace
}  // namespace mulberry::model
