#include "mulberry/measures/bootstrap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/statistics/summaries.hpp"
#include "mulberry/measures/label_table.hpp"
#include "mulberry/measures/measures.hpp"

namespace mulberry::measures {
namespace {

struct Input {
  Matrix scores;
  Labels truth, decided;
  LabelSets sets = {{"pair"}, {{0, 1}}};
  LabelRules rules = {.implied = {{2, 3}, {4, 0}}};
  Outcome outcome() const {
    return {.scores = &scores,
            .decided = &decided,
            .sets = &sets,
            .rules = &rules,
            .probabilities = true};
  }
};

Input input(Index n) {
  Random rng = Context(1, 4).rng("bootstrap input");
  std::vector<std::vector<Id>> truth, decided;
  Input in;
  in.scores = Matrix(n, 5);
  for (Index i = 0; i < n; ++i) {
    truth.push_back({static_cast<Id>(rng.below(2))});
    decided.emplace_back();
    for (Id l = 2; l < 5; ++l) {
      if (rng.chance(0.4)) truth.back().push_back(l);
    }
    for (Id l = 0; l < 5; ++l) {
      in.scores(i, l) = rng.uniform();
      if (in.scores(i, l) > 0.5) decided.back().push_back(l);
    }
  }
  in.truth = Labels(5, truth);
  in.decided = Labels(5, decided);
  return in;
}

// Every measure of a resample must equal the measure of the resampled rows; the resamples are drawn
// again here from the same stream.
TEST(Bootstrap, IsMeasuringTheResampledRows) {
  const Input in = input(25);
  const MeasureOptions options = {.convention = Convention::paper,
                                  .propensities = {.5, .4, .3, .2, .1}};
  const Context ctx(1, 11);
  constexpr Index k_resamples = 40;
  const auto intervals = bootstrap(measure_names(), in.truth, in.outcome(), options,
                                   {.resamples = k_resamples, .level = 0.8}, ctx);
  std::vector<std::vector<double>> values(intervals.size());
  for (Index r = 0; r < k_resamples; ++r) {
    Random rng = ctx.rng("bootstrap", static_cast<std::uint64_t>(r));
    std::vector<Id> rows;
    Matrix scores(25, 5);
    for (Index k = 0; k < 25; ++k) {
      rows.push_back(static_cast<Id>(rng.below(25)));
      for (Index l = 0; l < 5; ++l) scores(k, l) = in.scores(rows.back(), l);
    }
    const Labels truth = take_rows(in.truth, rows), decided = take_rows(in.decided, rows);
    const Outcome outcome = {.scores = &scores,
                             .decided = &decided,
                             .sets = &in.sets,
                             .rules = &in.rules,
                             .probabilities = true};
    const auto found = measure_all(truth, outcome, options, ctx);
    for (std::size_t m = 0; m < found.size(); ++m) {
      ASSERT_EQ(found[m].name, intervals[m].measured.name);
      if (!std::isnan(found[m].value)) values[m].push_back(found[m].value);
    }
  }
  for (std::size_t m = 0; m < values.size(); ++m) {
    const Interval& interval = intervals[m];
    std::sort(values[m].begin(), values[m].end());
    EXPECT_NEAR(interval.low, sorted_quantile(values[m], 0.1), 1e-12) << interval.measured.name;
    EXPECT_NEAR(interval.high, sorted_quantile(values[m], 0.9), 1e-12) << interval.measured.name;
    EXPECT_EQ(interval.resamples_without, k_resamples - count_of(values[m]));
  }
}

TEST(Bootstrap, HoldsTheTruthAboutAsOftenAsItSays) {
  // The share of right rows is a binomial mean: its interval is close to the normal one.
  const Input in = input(400);
  const std::string names[] = {"set_accuracy_all"};
  const auto found = bootstrap(names, in.truth, in.outcome(), {}, {}, Context(2, 3)).front();
  const double p = found.measured.value, deviation = std::sqrt(p * (1 - p) / 400);
  EXPECT_NEAR(found.deviation, deviation, 0.1 * deviation);
  EXPECT_NEAR(found.low, p - 1.96 * deviation, 0.3 * deviation);
  EXPECT_NEAR(found.high, p + 1.96 * deviation, 0.3 * deviation);
}

TEST(Bootstrap, SameForAnyNumberOfThreads) {
  const Input in = input(30);
  const std::string names[] = {"macro_f1", "macro_auc", "ranking_loss"};
  const BootstrapOptions how = {.resamples = 30};
  const auto one = bootstrap(names, in.truth, in.outcome(), {}, how, Context(1, 3));
  const auto four = bootstrap(names, in.truth, in.outcome(), {}, how, Context(4, 3));
  for (std::size_t m = 0; m < one.size(); ++m) {
    EXPECT_EQ(one[m].low, four[m].low);
    EXPECT_EQ(one[m].high, four[m].high);
  }
  EXPECT_THROW(bootstrap(names, in.truth, in.outcome(), {}, {.level = 1.5}, Context()), Error);
}

TEST(Weighted, IsRepeatingTheRows) {
  const Input in = input(25);
  const MeasureOptions options = {.propensities = {.5, .4, .3, .2, .1}};
  std::vector<double> weights;
  std::vector<Id> rows;
  for (Id i = 0; i < 25; ++i) {
    weights.push_back(i % 4);
    rows.insert(rows.end(), at(i % 4), i);
  }
  Matrix scores(count_of(rows), 5);
  for (Index k = 0; k < scores.rows(); ++k) {
    for (Index l = 0; l < 5; ++l) scores(k, l) = in.scores(rows[at(k)], l);
  }
  const Labels truth = take_rows(in.truth, rows), decided = take_rows(in.decided, rows);
  const auto expected = measure_all(truth,
                                    {.scores = &scores,
                                     .decided = &decided,
                                     .sets = &in.sets,
                                     .rules = &in.rules,
                                     .probabilities = true},
                                    options, Context());
  const auto found =
      measure_weighted(measure_names(), in.truth, in.outcome(), options, weights, Context());
  for (const MeasureValue& value : expected) {
    const auto same = std::find_if(found.begin(), found.end(), [&](const MeasureValue& other) {
      return other.name == value.name;
    });
    ASSERT_NE(same, found.end()) << value.name;
    EXPECT_NEAR(same->value, value.value, 1e-12) << value.name;
  }
}

TEST(Weighted, RefusesWhatCannotBeWeighted) {
  const Input in = input(10);
  const std::string rows[] = {"hamming_loss"}, areas[] = {"macro_auc"};
  std::vector<double> weights(10, 0.5);
  const auto measured = [&](std::span<const std::string> names) {
    return measure_weighted(names, in.truth, in.outcome(), {}, weights, Context());
  };
  EXPECT_EQ(measured(rows).size(), 1U);
  EXPECT_THROW(measured(areas), Error);  // half a row has no place in a ranking of rows
  weights[3] = -1;
  EXPECT_THROW(measured(rows), Error);
  weights.assign(10, 0);
  EXPECT_THROW(measured(rows), Error);
  weights.assign(9, 1);
  EXPECT_THROW(measured(rows), Error);
}

TEST(LabelTable, WorstLabelsFirst) {
  const Labels y(4, {{0, 1}, {0}, {1}, {0, 1}});
  const Labels p(4, {{0, 2}, {0}, {1}, {0}});
  const Matrix s(4, 4, std::vector<double>{4, 3, 2, 1, 3, 2, 1, 0, 1, 4, 0, 0, 2, 1, 0, 0});
  const auto lines = label_table(y, {.scores = &s, .decided = &p}, {}, Context());
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].label, 2);  // decided once, wrongly
  EXPECT_EQ(lines[0].decided, 1);
  EXPECT_EQ(lines[1].label, 3);  // never true or decided: 0 in this convention
  EXPECT_TRUE(std::isnan(lines[1].auc));
  EXPECT_EQ(lines[2].label, 1);
  EXPECT_EQ(lines[2].support, 3);
  EXPECT_DOUBLE_EQ(lines[2].precision, 1);
  EXPECT_DOUBLE_EQ(lines[2].recall, 1.0 / 3);
  EXPECT_DOUBLE_EQ(lines[2].auc, 2.0 / 3);  // 3 and 4 above the negative's 2, 1 below
  EXPECT_EQ(lines[3].label, 0);
  EXPECT_DOUBLE_EQ(lines[3].f1, 1);
}

}  // namespace
}  // namespace mulberry::measures
