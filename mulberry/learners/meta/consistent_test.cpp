// Decisions that obey the rules: against every consistent set, for any learner.
#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"
#include "mulberry/data/view.hpp"
#include "mulberry/model/consistent/consistent_decisions.hpp"
#include "mulberry/model/consistent/consistent_sets.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::learners {
namespace {

Dataset noisy_hierarchy(Index rows) {
  Random rng(7, "hierarchy");
  Dataset out{.name = "hierarchy"};
  Matrix x(rows, 3);
  std::vector<std::vector<Id>> labels(at(rows));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < 3; ++j) x(i, j) = rng.uniform(-1, 1);
    const bool animal = x(i, 0) + rng.uniform(-1, 1) > 0;
    if (animal && x(i, 1) > 0.2) labels[at(i)].push_back(0);
    if (animal && x(i, 1) < -0.2) labels[at(i)].push_back(1);
    if (animal) labels[at(i)].push_back(2);
    if (x(i, 2) > 0) labels[at(i)].push_back(3);
  }
  out.x = Features(std::move(x));
  out.y = Labels(4, labels);
  out.label_names = {"dog", "cat", "animal", "night"};
  out.rules = {.parent = {2, 2, -1, -1}, .exclusive = {{0, 1}}};
  return out;
}

double log_odds(double p) { return std::log(p / (1 - p)); }

TEST(Consistent, DecidesForTheMostProbableSetThatObeysTheRules) {
  const Dataset data = noisy_hierarchy(300);
  const auto model = fit_learner(CompleteSpec(parse_spec("consistent(base=br_logistic)")),
                                 view_of(data), Context(2));
  const Prediction got = model->predict(view_of(data), Context(2));
  ASSERT_TRUE(got.decided);
  const Labels plain = decide({.scores = got.scores, .scale = got.scale});
  const ConsistentSets sets(data.rules, {}, 4);
  Index moved = 0;
  for (Index i = 0; i < data.rows(); ++i) {
    const auto row = got.decided->row(i);
    ASSERT_TRUE(sets.allows(row));
    double value = 0, best = -1e300;
    for (const Id l : row) value += log_odds(got.scores(i, l));
    for (unsigned bits = 0; bits < 16; ++bits) {
      std::vector<Id> set;
      double sum = 0;
      for (Id l = 0; l < 4; ++l) {
        if ((bits >> l & 1U) == 0) continue;
        set.push_back(l);
        sum += log_odds(got.scores(i, l));
      }
      if (sets.allows(set)) best = std::max(best, sum);
    }
    EXPECT_NEAR(value, best, 1e-9);
    moved += std::ranges::equal(row, plain.row(i)) ? 0 : 1;
  }
  EXPECT_GT(moved, 5);  // the rules mattered
}

// A learner that cuts scores elsewhere: weights are heights above its cuts.
TEST(Consistent, KeepsTheCutsOfItsBase) {
  const Matrix scores(3, 2, std::vector<double>{0.3, 0.1, 0.3, 0.19, 0.6, 0.9});
  Prediction cut{.scores = scores, .scale = Scale::probability};
  cut.decided = Labels(2, {{0}, {0}, {0, 1}});
  cut.cuts = {0.2, 0.2};
  const LabelRules rules{.implied = {{0, 1}}};
  // Above 0.2 by more than 0.1 is below it: nothing; 0.19 is nearly there: both.
  EXPECT_EQ(decide_consistently(cut, nullptr, rules, Context(1)), Labels(2, {{}, {0, 1}, {0, 1}}));
}

TEST(Consistent, EveryRowObeysWhateverTheLearner) {
  const Dataset data = noisy_hierarchy(120);
  for (const char* base : {"threshold(base=br_logistic)", "ml_knn", "br_svm", "lp", "cc"}) {
    const CompleteSpec spec(parse_spec(std::string("consistent(base=") + base + ")"));
    const auto model = fit_learner(spec, view_of(data), Context(1));
    const Prediction got = model->predict(view_of(data), Context(1));
    const Labels decided = decide(got);
    const ConsistentSets sets(data.rules, {}, 4);
    for (Index i = 0; i < data.rows(); ++i) ASSERT_TRUE(sets.allows(decided.row(i))) << base;
  }
}

TEST(Consistent, WithoutRulesItIsItsBase) {
  Dataset data = noisy_hierarchy(50);
  data.rules = {};
  const auto model = fit_learner(CompleteSpec(parse_spec("consistent(base=br_logistic)")),
                                 view_of(data), Context(1));
  const auto base = fit_learner("br_logistic", view_of(data), Context(1));
  const Prediction a = model->predict(view_of(data), Context(1));
  const Prediction b = base->predict(view_of(data), Context(1));
  EXPECT_EQ(decide(a), decide(b));
  EXPECT_EQ(training_notes(CompleteSpec(parse_spec("consistent(base=br_logistic)")), view_of(data))
                .size(),
            1U);
}

}  // namespace
}  // namespace mulberry::learners
