#include "mulberry/learners/mahr/filter.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/data/generate/generate.hpp"
#include "mulberry/learners/common/one_class.hpp"
#include "mulberry/learners/mahr/booster.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::learners {
namespace {

using mahr::Booster;
using mahr::Filter;
using mahr::FilteredBooster;
using mahr::Rounds;
using mahr::Settings;

Dataset made(const std::string& generator, Index rows, std::uint64_t seed) {
  GenerateOptions options = find_generator(generator).defaults;
  options.rows = rows;
  return generate(generator, options, Context(1, seed));
}

FilteredBooster filtered(const Dataset& data, const Settings& settings, const Filter& filter) {
  return {data.x,
          data.y,
          {},
          settings,
          filter,
          Rounds(data.x.cols(), one_class_scores(data.y)),
          Matrix(data.labels(), data.labels())};
}

double loss_of(const Rounds& rounds, const Dataset& data) {
  Matrix scores = rounds.start(data.rows());
  rounds.advance(data.x, 0, rounds.count(), scores, Context(1));
  double wrong = 0;
  for (Index i = 0; i < data.rows(); ++i) {
    for (Index l = 0; l < data.labels(); ++l)
      wrong += (scores(i, l) > 0) != (data.y.cell(i, l) == Cell::positive);
  }
  return wrong / static_cast<double>(scores.size());
}

// In the first round all rows have the same weight, so the edge of a stump is its edge on all rows.
TEST(MahrFilter, StepsAreTakenFromTrueEdgesMadeSmaller) {
  const Dataset data = made("data-inde", 2000, 1);
  const Filter filter{.epsilon = 0.001, .delta = 0.01, .tau = 0.03};
  FilteredBooster booster = filtered(data, {}, filter);
  ASSERT_TRUE(booster.add_round(Context(1)));
  Matrix scores = booster.rounds().start(data.rows());
  booster.rounds().advance(data.x, 0, 1, scores, Context(1));
  for (Index l = 0; l < data.labels(); ++l) {
    const double alpha = booster.rounds().alpha(0, l);
    ASSERT_GT(alpha, 0);
    double edge = 0;
    for (Index i = 0; i < data.rows(); ++i) {
      const double y = data.y.cell(i, l) == Cell::positive ? 1 : -1;
      edge += y * scores(i, l) / alpha / static_cast<double>(data.rows());
    }
    const double taken = std::tanh(alpha);  // 2 gamma
    EXPECT_NEAR(taken * (1 + filter.tau), edge, 2 * filter.tau * edge) << l;
    EXPECT_LT(taken, edge);
  }
}

TEST(MahrFilter, ARoundCostsASample) {
  const Dataset data = made("data-union", 60000, 2);
  FilteredBooster booster = filtered(data, {}, {.tau = 0.5});
  Index drawn = 0;
  for (int t = 0; t < 25; ++t) {
    ASSERT_TRUE(booster.add_round(Context(1)));
    drawn += booster.drawn();
  }
  EXPECT_GT(drawn, 25 * 600);
  EXPECT_LT(drawn, 25 * data.rows() / 8);
  const Dataset fresh = made("data-union", 3000, 3);
  const double loss = loss_of(booster.rounds(), fresh);
  EXPECT_LT(loss, 0.17);  // never yes: 0.32
  EXPECT_NEAR(booster.hamming_loss(), loss, 0.05);
  // The union learns from its parts.
  MatrixView reuse = booster.history().reuse();
  EXPECT_GT(reuse(0, 1) + reuse(0, 2) + reuse(0, 3), 0.2 * reuse(0, 0));
}

TEST(MahrFilter, ALabelThatIsLearntIsFinished) {
  Dataset data;
  Matrix x(500, 1);
  std::vector<std::vector<Id>> positives(500);
  for (Index i = 0; i < 500; ++i) {
    x(i, 0) = static_cast<double>(i);
    if (i >= 200) positives[at(i)] = {0};
  }
  data.x = x;
  data.y = Labels(2, positives);
  FilteredBooster booster = filtered(data, {}, {});
  Index rounds = 0;
  while (rounds < 200 && booster.add_round(Context(1))) ++rounds;
  EXPECT_GT(rounds, 0);
  EXPECT_LT(rounds, 50);
  EXPECT_LE(booster.hamming_loss(), 0.05);
}

TEST(MahrFilter, SameForAnyNumberOfThreadsAndDependsOnTheSeed) {
  const Dataset data = made("data-union", 1000, 4);
  const auto scores = [&](int threads, std::uint64_t seed) {
    return fit_learner(CompleteSpec(parse_spec("mahr(rounds=8, filter=true, filter_tau=0.5)")),
                       view_of(data), Context(threads, seed))
        ->predict(view_of(data), Context(1))
        .scores;
  };
  EXPECT_EQ(scores(1, 1), scores(3, 1));
  EXPECT_NE(scores(1, 1), scores(1, 2));
}

TEST(MahrFilter, HeavyRowsCountMore) {
  // Two kinds of rows that contradict each other; the heavy kind wins.
  Matrix x(400, 1);
  std::vector<std::vector<Id>> positives(400);
  std::vector<double> weights(400);
  for (Index i = 0; i < 400; ++i) {
    const auto k = at(i);
    const bool heavy = i % 4 == 0, high = i % 8 < 4;
    x(i, 0) = high ? 1 : 0;
    weights[k] = heavy ? 10 : 1;
    if (high == heavy) positives[k] = {0};
  }
  const Labels y(1, positives);
  const Features features(x);
  FilteredBooster booster(features, y, weights, {}, {.tau = 0.5}, Rounds(1, one_class_scores(y)),
                          Matrix(1, 1));
  ASSERT_TRUE(booster.add_round(Context(1)));
  Matrix scores = booster.rounds().start(400);
  booster.rounds().advance(features, 0, 1, scores, Context(1));
  EXPECT_GT(scores(0, 0), 0);
  EXPECT_LT(scores(4, 0), 0);
}

}  // namespace
}  // namespace mulberry::learners
