#include "mulberry/evaluate/tune.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/generate/generate.hpp"

namespace mulberry::evaluate {
namespace {

Dataset small_data(Index rows = 150) {
  return generate("linear", {.rows = rows, .features = 6, .labels = 3}, Context(1, 2));
}

TuneOptions small_options(Search search) {
  TuneOptions out;
  out.search = search;
  out.measure = "micro_f1";
  out.trials = 9;
  out.evaluate.split.folds = 2;
  return out;
}

std::vector<std::string> names_of(const std::vector<SearchAxis>& axes) {
  std::vector<std::string> out;
  for (const SearchAxis& axis : axes) out.push_back(axis.name);
  return out;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(SearchSpace, ComesFromTheDeclaredRangesOfNestedLearners) {
  const auto names = names_of(declared_axes("br_svm"));
  EXPECT_TRUE(has(names, "base.C"));
  EXPECT_TRUE(has(names, "base.loss"));
  EXPECT_FALSE(has(names, "base.tolerance"));
}

TEST(SearchSpace, WhatTheUserSetStays) {
  EXPECT_FALSE(has(names_of(declared_axes(parse_spec("br_svm(C=2)"))), "base.C"));
  EXPECT_FALSE(has(names_of(declared_axes(parse_spec("br(base=linear_svm(C=2))"))), "base.C"));
}

TEST(SearchSpace, GridSpreadsOverTheRange) {
  const SearchAxis log{.name = "C", .low = 0.01, .high = 100};
  EXPECT_EQ(log.grid(5), (std::vector<std::string>{"0.01", "0.1", "1", "10", "100"}));
  const SearchAxis whole{.name = "k", .low = 1, .high = 3, .logarithmic = false, .integer = true};
  EXPECT_EQ(whole.grid(9), (std::vector<std::string>{"1", "2", "3"}));
  const SearchAxis words{.name = "loss", .values = {"a", "b"}};
  EXPECT_EQ(words.grid(7), words.values);
}

TEST(SearchSpace, DrawsStayInRangeAndRepeat) {
  const SearchAxis axis{.name = "C", .low = 0.5, .high = 20};
  double below = 0;
  for (std::uint64_t k = 0; k < 400; ++k) {
    Random a(1, "t", k), b(1, "t", k);
    const std::string value = axis.draw(a);
    EXPECT_EQ(value, axis.draw(b));
    const double number = parse_number(value).value();
    EXPECT_GE(number, 0.5);
    EXPECT_LE(number, 20);
    below += number < std::sqrt(0.5 * 20.0);
  }
  EXPECT_NEAR(below / 400, 0.5, 0.1);  // half of the draws lie below the geometric middle
}

TEST(SearchSpace, GridOfTheUser) {
  const auto axes = parse_grid("base.C = 0.1, 1 ; base=linear_svm(loss=hinge, C=3),logistic", "br");
  ASSERT_EQ(names_of(axes), (std::vector<std::string>{"base.C", "base"}));
  EXPECT_EQ(axes[1].values, (std::vector<std::string>{"linear_svm(loss=hinge, C=3)", "logistic"}));
}

TEST(SearchSpace, GridMistakes) {
  for (const char* text :
       {"base.D=1", "base.C=-1", "base.C", "base.C=", "=3", "depth=3", "x.C=1"}) {
    EXPECT_THROW(parse_grid(text, "br_svm"), Error) << text;
  }
  EXPECT_EQ(names_of(parse_grid("C=1,2", "br_svm")), std::vector<std::string>{"base.C"});
  EXPECT_THROW(grid_specs("br_svm", parse_grid("base.C=1,2,3", "br_svm"), 5, 2), Error);
}

TEST(SearchSpace, EveryCombinationOnce) {
  const auto specs =
      grid_specs("br_svm", parse_grid("base.C=1,2,3;base.loss=hinge,squared", "br_svm"), 5, 100);
  std::set<std::string> texts;
  for (const Spec& spec : specs) texts.insert(spec.text());
  EXPECT_EQ(specs.size(), 6U);
  EXPECT_EQ(texts.size(), 6U);
  EXPECT_TRUE(texts.contains("br(base=linear_svm(C=2, loss=squared))"));
}

TEST(Tune, GridFindsWhatTheSlowLoopFinds) {
  const Dataset data = small_data();
  for (const std::string measure : {"micro_f1", "hamming_loss"}) {
    TuneOptions options = small_options(Search::grid);
    options.measure = measure;
    options.axes = parse_grid("base.C=0.0001,0.01,1,100", "br_logistic");
    const TuneResult result = tune("br_logistic", data, options, Context(2, 4));
    ASSERT_EQ(result.trials.size(), 4U);
    double best = std::nan("");
    for (const char* c : {"0.0001", "0.01", "1", "100"}) {
      EvaluateOptions evaluate = options.evaluate;
      evaluate.measures = {measure};
      const std::vector<CompleteSpec> specs = {
          CompleteSpec(parse_spec(std::string("br_logistic(C=") + c + ")"))};
      const double mean =
          cross_validate(specs, data, evaluate, Context(1, 4)).learners[0].estimates[0].mean;
      if (std::isnan(best) || (measure == "micro_f1" ? mean > best : mean < best)) best = mean;
    }
    EXPECT_EQ(result.trials[result.best].estimate.mean, best) << measure;
  }
}

TEST(Tune, SameTrialsForAnyNumberOfThreads) {
  const Dataset data = small_data();
  const TuneOptions options = small_options(Search::random);
  const TuneResult one = tune("br_svm", data, options, Context(1, 6));
  const TuneResult many = tune("br_svm", data, options, Context(4, 6));
  ASSERT_EQ(one.trials.size(), many.trials.size());
  for (std::size_t t = 0; t < one.trials.size(); ++t) {
    EXPECT_EQ(one.trials[t].spec, many.trials[t].spec);
    EXPECT_EQ(one.trials[t].estimate.values, many.trials[t].estimate.values);
  }
  EXPECT_EQ(one.best, many.best);
}

TEST(Tune, HalvingEndsOnAllRows) {
  const TuneResult result =
      tune("br_svm", small_data(600), small_options(Search::halving), Context(2, 1));
  const Trial& winner = result.trials[result.best];
  EXPECT_EQ(winner.share, 1.0);
  Index on_all = 0, on_few = 0;
  for (const Trial& trial : result.trials) {
    (trial.share == 1.0 ? on_all : on_few) += 1;
    if (trial.share == 1.0) {
      EXPECT_LE(trial.estimate.mean, winner.estimate.mean);
    }
  }
  // 9 trials on 1/9 of the rows, the best 3 on 1/3, the best of them on all; the defaults always.
  EXPECT_LE(on_all, 3);
  EXPECT_GE(on_all, 1);
  EXPECT_LE(on_few, 9 + 4);
}

TEST(Tune, OuterFoldsGiveAnHonestFigure) {
  TuneOptions options = small_options(Search::grid);
  options.axes = parse_grid("base.C=0.01,1", "br_svm");
  options.outer = 3;
  options.evaluate.split.groups.assign(150, 0);
  for (Id i = 0; i < 150; ++i) options.evaluate.split.groups[at(i)] = i / 2;
  const TuneResult result = tune("br_svm", small_data(), options, Context(2, 1));
  ASSERT_TRUE(result.outer.has_value());
  EXPECT_EQ(result.outer->values.size(), 3U);
  EXPECT_EQ(result.outer_winners.size(), 3U);
  const auto json = nlohmann::json::parse(result.json());
  EXPECT_EQ(json["outer"]["winners"].size(), 3U);
  EXPECT_EQ(json["trials"].size(), 2U);
}

TEST(Tune, AGridAlsoTriesTheLearnerAsGiven) {
  const Dataset data = small_data();
  TuneOptions options = small_options(Search::grid);
  options.axes = parse_grid("base.C=1e-6,1e-5", "br_logistic");  // both are far too small
  const TuneResult result = tune("br_logistic", data, options, Context(1, 4));
  ASSERT_EQ(result.trials.size(), 3U);
  EXPECT_EQ(result.defaults, 0U);
  EXPECT_EQ(result.best, result.defaults);
  options.axes = parse_grid("base.C=0.01,1", "br_logistic");  // 1 is the default
  EXPECT_EQ(tune("br_logistic", data, options, Context(1, 4)).trials.size(), 2U);
}

// kappa goes with reuse=best_edge only: half of the grid is impossible.
TEST(Tune, ImpossibleCombinationsAreLeftOut) {
  const Dataset data = small_data();
  TuneOptions options = small_options(Search::grid);
  options.axes = parse_grid("reuse=best_edge,clip; kappa=0,1", parse_spec("mahr(rounds=2)"));
  const TuneResult result =
      tune(CompleteSpec(parse_spec("mahr(rounds=2)")), data, options, Context(1, 4));
  EXPECT_EQ(result.impossible, 1);
  for (const Trial& trial : result.trials) EXPECT_EQ(trial.failure, "") << trial.spec.text();
  options.search = Search::random;
  options.axes =
      parse_grid("reuse=best_edge,clip,none; kappa=0,1,2,3,4,5,6,7", parse_spec("mahr(rounds=2)"));
  options.trials = 6;
  const TuneResult drawn =
      tune(CompleteSpec(parse_spec("mahr(rounds=2)")), data, options, Context(1, 4));
  EXPECT_EQ(drawn.trials.size(), 6U);
  EXPECT_GT(drawn.impossible, 0);
  options.axes = parse_grid("kappa=1,2", parse_spec("mahr(rounds=2, reuse=clip)"));
  options.search = Search::grid;
  EXPECT_EQ(
      tune(CompleteSpec(parse_spec("mahr(rounds=2, reuse=clip)")), data, options, Context(1, 4))
          .best,
      0U);
}

TEST(Tune, NothingToSearchAndNoValueAreErrors) {
  const Dataset data = small_data();
  TuneOptions options = small_options(Search::random);
  EXPECT_THROW(tune(CompleteSpec(parse_spec("br(base=prior)")), data, options, Context()),
               Error);  // its base has no parameters
  options.measure = "log_loss";
  EXPECT_THROW(tune("br_svm", data, options, Context()), Error);
}

}  // namespace
}  // namespace mulberry::evaluate
