// Boosting by its definition: one round by hand, every loss falls, early stopping, continuing,
// sketches, class weights.
#include "mulberry/base/boost/boost_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/base/boost/boost_steps.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/measures/ranking.hpp"
#include "mulberry/model/fitted_learner.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::learners {
namespace {

// Labels that depend on two features and on each other; the other features mean nothing.
Dataset dependent(Index rows, Index labels, std::uint64_t seed) {
  Random draws(seed, "dependent");
  Dataset out;
  Matrix x(rows, 6);
  std::vector<std::vector<Id>> positives(at(rows));
  for (Index i = 0; i < rows; ++i) {
    for (double& v : x.row(i)) v = draws.normal();
    for (Index l = 0; l < labels; ++l) {
      const double cut = -0.5 + static_cast<double>(l) / static_cast<double>(labels);
      const bool truth = x(i, l % 2) > cut;
      if (truth != draws.chance(0.1)) positives[at(i)].push_back(static_cast<Id>(l));
    }
  }
  out.x = std::move(x);
  out.y = Labels(labels, positives);
  return out;
}

Matrix scores_of(const std::string& text, const Dataset& train, const Dataset& test,
                 int threads = 1) {
  const FittedLearner model(CompleteSpec(parse_spec(text)), view_of(train), Context(threads, 3));
  return model.predict(view_of(test), Context()).scores;
}

double mean_loss(BoostLoss loss, const Matrix& margins, const Labels& y) {
  return BoostTruth(y, {}, false).mean_loss(loss, margins, false);
}

TEST(Boost, OneRoundByHand) {
  // Label 0 has 2 of 4 rows: it begins at 0, with g = -y / 2 and h = 1 / 4. The cut at 2.5 leaves
  // G = -1, H = 1/2 on the left: a step of 1 / (1/2 + 1) = 2/3.
  Dataset data;
  data.x = Matrix(4, 1, std::vector<double>{1, 2, 3, 4});
  data.y = Labels(1, {{0}, {0}, {}, {}});
  for (const char* leaves : {"vector", "each"}) {
    const Matrix scores = scores_of(
        std::string("boost(rounds=1,shrinkage=0.5,min_leaf=1,leaves=") + leaves + ")", data, data);
    const double p = 1 / (1 + std::exp(-1.0 / 3));
    EXPECT_NEAR(scores(0, 0), p, 1e-7);
    EXPECT_NEAR(scores(3, 0), 1 - p, 1e-7);
  }
  // Squared loss: y in {-1, 1}, h = 1: a step of 2 / (2 + 1).
  const Matrix squared =
      scores_of("boost(loss=squared,rounds=1,shrinkage=1,min_leaf=1)", data, data);
  EXPECT_NEAR(squared(0, 0), 2.0 / 3, 1e-6);
}

// A step of the whole Hessian solves (H + l2) v = -g.
TEST(Boost, FullHessianSolvesTheNewtonSystem) {
  const Dataset data = dependent(40, 4, 1);
  const BoostTruth truth(data.y, {}, false);
  Matrix scores(40, 4);
  Random draws(2, "scores");
  for (Index k = 0; k < scores.size(); ++k) scores.data()[k] = draws.normal();
  GrownTree tree;
  for (Id i = 0; i < 40; ++i) tree.rows.push_back(i);
  tree.nodes.push_back({.end = 40});
  const LeafPenalty penalty{.l1 = 0, .l2 = 0.7};
  const LeafStep step(truth, BoostLoss::row_logistic, scores, penalty);
  std::vector<double> hessians;
  const Matrix full = step.values(tree, tree.nodes, true, hessians, Context());
  const Matrix diagonal = step.values(tree, tree.nodes, false, hessians, Context());
  EXPECT_GT(std::abs(full(0, 0) - diagonal(0, 0)), 1e-3);
  std::vector<double> rest(4), g(4), h(4), sum(4, 0.0);
  for (std::size_t k = 0; k < 4; ++k) rest[k] = penalty.l2 * full(0, static_cast<Index>(k));
  for (Index i = 0; i < 40; ++i) {
    derivatives(BoostLoss::row_logistic, truth.row(i, scores.row(i)), g, h);
    std::vector<double> q(4);
    for (std::size_t k = 0; k < 4; ++k) {
      sum[k] += g[k];
      q[k] = -g[k] * truth.signs(i)[k];
    }
    multiply_hessian(q, truth.signs(i), 1.0, full.row(0), rest);
  }
  double left = 0, all = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    left += std::pow(rest[k] + sum[k], 2);
    all += sum[k] * sum[k];
  }
  EXPECT_LT(std::sqrt(left), 2e-3 * std::sqrt(all));
}

TEST(Boost, EveryLossFallsOnNewRows) {
  const Dataset train = dependent(600, 5, 3), test = dependent(600, 5, 4);
  const Compact rows(view_of(test));
  for (const char* loss : {"logistic", "row_logistic", "squared"}) {
    for (const char* leaves : {"vector", "each"}) {
      const auto kind = std::string(loss) == "logistic"       ? BoostLoss::logistic
                        : std::string(loss) == "row_logistic" ? BoostLoss::row_logistic
                                                              : BoostLoss::squared;
      const auto value = [&](Index rounds) {
        const BoostOptions options{
            .loss = kind,
            .leaves = std::string(leaves) == "each" ? BoostLeaves::each : BoostLeaves::vector};
        BoostTreeParams params;
        params.rounds = rounds;
        const Boost model =
            Boost::train({.x = train.x, .y = train.y}, params, options, nullptr, Context());
        return mean_loss(kind, model.margins(test.x, Context()), test.y);
      };
      const double one = value(1), many = value(40);
      EXPECT_LT(many, 0.85 * one) << loss << " " << leaves;
    }
  }
}

TEST(Boost, TreesForEachLabelAreBinaryRelevance) {
  const Dataset data = dependent(200, 3, 5);
  EXPECT_EQ(scores_of("boost(leaves=each,rounds=10)", data, data),
            scores_of("br(base=boost(rounds=10))", data, data));
}

TEST(Boost, ContinuedIsTheSameAsInOneGo) {
  const Dataset data = dependent(300, 3, 6);
  for (const char* more : {"leaves=vector", "leaves=each", "loss=row_logistic,hessian=full",
                           "row_share=0.6,column_share=0.5"}) {
    const CompleteSpec half(parse_spec(std::string("boost(rounds=6,") + more + ")"));
    const auto first = fit_learner(half, view_of(data), Context(1, 3));
    const auto second = fit_learner(half, view_of(data), Context(1, 3), first.get());
    EXPECT_EQ(second->predict(view_of(data), Context()).scores,
              scores_of(std::string("boost(rounds=12,") + more + ")", data, data))
        << more;
    EXPECT_EQ(second->summary().rounds, 12);
  }
  // A sketch weighs labels by the second derivatives of the round before.
  const Dataset wide = dependent(300, 30, 7);
  for (const char* more :
       {"sketch=auto", "sketch=random,sketch_size=5", "sketch=top,sketch_size=5", "sketch=none",
        "sketch=node_top,sketch_size=5", "sketch=top,sketch_size=5,row_share=0.6",
        "sketch=top,sketch_size=5,loss=row_logistic", "sketch=random,loss=squared",
        "sketch=top,class_weights=balanced"}) {
    const CompleteSpec half(parse_spec(std::string("boost(rounds=6,shrinkage=0.5,") + more + ")"));
    const auto first = fit_learner(half, view_of(wide), Context(1, 3));
    const auto second = fit_learner(half, view_of(wide), Context(1, 3), first.get());
    EXPECT_EQ(second->predict(view_of(wide), Context()).scores,
              scores_of(std::string("boost(rounds=12,shrinkage=0.5,") + more + ")", wide, wide))
        << more;
  }
  const auto first =
      fit_learner(CompleteSpec(parse_spec("boost(rounds=2)")), view_of(data), Context());
  EXPECT_THROW(fit_learner(CompleteSpec(parse_spec("boost(rounds=2,leaves=each)")), view_of(data),
                           Context(), first.get()),
               Error);
  EXPECT_THROW(fit_learner(CompleteSpec(parse_spec("boost(rounds=2,loss=squared)")), view_of(data),
                           Context(), first.get()),
               Error);
}

TEST(Boost, StopsAtTheBestRoundOfTheHeldOutRows) {
  const Dataset data = dependent(300, 3, 7);
  for (const char* measure : {"loss", "average_precision", "hamming_loss", "log_loss"}) {
    const FittedLearner model(
        CompleteSpec(parse_spec(
            std::string("boost(rounds=300,shrinkage=0.5,validation=0.3,patience=5,measure=") +
            measure + ")")),
        view_of(data), Context(1, 3));
    const std::vector<Result> results = model.results();
    ASSERT_EQ(results.size(), 1u);
    const Matrix& curve = results[0].values;
    EXPECT_LT(curve.rows(), 300) << measure;
    Index best = 0;
    const bool up = std::string(measure) == "average_precision";
    for (Index t = 1; t < curve.rows(); ++t) {
      if (up ? curve(t, 0) > curve(best, 0) : curve(t, 0) < curve(best, 0)) best = t;
    }
    EXPECT_EQ(model.summary().rounds, best + 1) << measure;
    EXPECT_EQ(curve.rows(), best + 1 + 5) << measure;
  }
  EXPECT_THROW(
      FittedLearner(CompleteSpec(parse_spec("boost(measure=nonsense)")), view_of(data), Context()),
      Error);
  EXPECT_THROW(FittedLearner(CompleteSpec(parse_spec("boost(loss=squared,measure=log_loss)")),
                             view_of(data), Context()),
               Error);
}

// Labels 0, 1 and 2 exclude each other; label 3 implies label 4.
Dataset with_sets_and_rules() {
  Dataset out = dependent(240, 6, 17);
  std::vector<std::vector<Id>> positives(240);
  for (Index i = 0; i < 240; ++i) {
    for (const Id l : out.y.row(i)) {
      if (l > 2) positives[at(i)].push_back(l);
    }
    const double v = out.x.at(i, 2);
    positives[at(i)].push_back(v < -0.3 ? 0 : v < 0.6 ? 1 : 2);
    if (out.y.cell(i, 3) == Cell::positive) positives[at(i)].push_back(4);
    std::ranges::sort(positives[at(i)]);
    const auto repeated = std::ranges::unique(positives[at(i)]);
    positives[at(i)].erase(repeated.begin(), repeated.end());
  }
  out.y = Labels(6, positives);
  out.sets = {.names = {"kind"}, .members = {{0, 1, 2}}};
  out.rules.implied = {{.label = 3, .implied = 4}};
  return out;
}

// What ends training is what the finished model reaches on the held-out rows.
TEST(Boost, StopsByEveryMeasure) {
  const Dataset data = with_sets_and_rules();
  const Context ctx(1, 3);
  const Fold fold = hold_out(data.y, {.holdout = 0.3}, ctx);
  const Labels truth = take_rows(data.y, fold.test);
  MeasureOptions options;
  options.beta = 2;
  options.k = 3;
  options.propensities = propensities(take_rows(data.y, fold.train));
  Index checked = 0;
  for (const MeasureInfo& info : measure_table()) {
    if (info.name == "set_accuracy") continue;  // has several values
    for (const char* loss : {"logistic", "row_logistic", "squared"}) {
      const bool logistic = std::string(loss) == "logistic";
      if (info.needs == Needs::probabilities && !logistic) continue;
      const std::string what = std::string(info.name) + ",loss=" + loss;
      const FittedLearner model(
          CompleteSpec(parse_spec("boost(rounds=8,shrinkage=0.5,validation=0.3,patience=3,beta=2,"
                                  "k=3,measure=" +
                                  what + ")")),
          view_of(data), ctx);
      const Matrix curve = model.results().at(0).values;
      Index best = 0;
      for (Index t = 1; t < curve.rows(); ++t) {
        const bool better =
            info.higher_is_better ? curve(t, 0) > curve(best, 0) : curve(t, 0) < curve(best, 0);
        if (better) best = t;
      }
      EXPECT_EQ(model.summary().rounds, best + 1) << what;
      const Features held_out = take_rows(data.x, fold.test);
      const Prediction prediction = model.predict({.x = &held_out, .sets = &data.sets}, Context());
      const Labels decided = decide(prediction, &data.sets);
      const Outcome outcome{.scores = &prediction.scores,
                            .decided = &decided,
                            .sets = &data.sets,
                            .rules = &data.rules,
                            .probabilities = logistic};
      EXPECT_EQ(curve(best, 0), measures::measure(info.name, truth, outcome, options, ctx).value)
          << what;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 3 * (static_cast<Index>(measure_table().size()) - 4) + 3);
}

TEST(Boost, SaysWhichMeasuresCannotStopIt) {
  const Dataset data = dependent(60, 3, 18);
  const auto message = [&](const std::string& measure) {
    try {
      FittedLearner(CompleteSpec(parse_spec("boost(rounds=2,validation=0.3," + measure + ")")),
                    view_of(data), Context());
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  EXPECT_NE(message("measure=set_accuracy").find("set_accuracy_all"), std::string::npos);
  EXPECT_NE(message("measure=set_accuracy_all").find("exclusive label sets"), std::string::npos);
  EXPECT_NE(message("measure=hierarchical_f1").find("labels that imply others"), std::string::npos);
  EXPECT_NE(message("loss=squared,measure=brier_score").find("probabilities"), std::string::npos);
  EXPECT_EQ(message("measure=macro_fbeta,beta=3"), "none");
}

// With as many labels as here, a sketch must find nearly as good splits.
TEST(Boost, SketchesAreNearlyAsGoodAsAllGradients) {
  const Dataset train = dependent(800, 40, 8), test = dependent(800, 40, 9);
  const auto loss = [&](const std::string& sketch, int size = 8) {
    const Matrix scores =
        scores_of("boost(rounds=40,sketch_size=" + std::to_string(size) + ",sketch=" + sketch + ")",
                  train, test, 2);
    return measures::measure("log_loss", test.y, {.scores = &scores, .probabilities = true}, {},
                             Context())
        .value;
  };
  const double whole = loss("none");
  EXPECT_LT(loss("random"), 1.05 * whole);
  EXPECT_LT(loss("top"), 1.1 * whole);
  EXPECT_LT(loss("node_top"), 1.05 * whole);
  EXPECT_EQ(loss("auto"), loss("random"));
  EXPECT_EQ(loss("node_top", 40), whole);
}

TEST(Boost, BalancedClassesRaiseTheScoresOfRareLabels) {
  Dataset data = dependent(400, 1, 10);
  std::vector<std::vector<Id>> positives(400);
  for (Index i = 0; i < 400; ++i) {
    if (data.x.at(i, 0) > 1.5) positives[at(i)].push_back(0);
  }
  data.y = Labels(1, positives);
  const Matrix plain = scores_of("boost(rounds=1)", data, data);
  const Matrix balanced = scores_of("boost(rounds=1,class_weights=balanced)", data, data);
  double before = 0, after = 0;
  for (Index i = 0; i < 400; ++i) {
    before += plain(i, 0) / 400;
    after += balanced(i, 0) / 400;
  }
  EXPECT_LT(before, 0.15);
  EXPECT_NEAR(after, 0.5, 0.1);
}

TEST(Boost, LargePenaltiesLeaveNothingToLearn) {
  const Dataset data = dependent(200, 2, 11);
  for (const char* penalty : {"l1=1e6", "min_gain=1e6", "min_leaf=150"}) {
    const Matrix scores = scores_of(std::string("boost(") + penalty + ")", data, data);
    for (Index i = 1; i < 200; ++i) EXPECT_EQ(scores(i, 0), scores(0, 0)) << penalty;
  }
}

// Features of few values, where many splits gain the same: rounding must not choose between them.
TEST(Boost, ARowOfWeightThreeIsThreeRows) {
  for (const char* text :
       {"boost(rounds=10,min_leaf=1)", "boost(rounds=10,min_leaf=1,leaves=each)",
        "boost(rounds=10,min_leaf=1,loss=row_logistic)", "boost(rounds=10,min_leaf=1,loss=squared)",
        "boost(rounds=10,min_leaf=1,sketch=random,sketch_size=2)"}) {
    Index apart = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Random draws(seed, "copies");
      const Index n = 24;
      Dataset data;
      Matrix x(n, 5);
      std::vector<std::vector<Id>> positives(at(n));
      std::vector<Id> copies;
      for (Id i = 0; i < n; ++i) {
        for (double& v : x.row(i)) v = static_cast<double>(draws.below(4));
        for (Id l = 0; l < 3; ++l) {
          if (draws.chance(0.4)) positives[at(i)].push_back(l);
        }
        data.weights.push_back(static_cast<double>(1 + draws.below(5)));
        copies.insert(copies.end(), static_cast<std::size_t>(data.weights.back()), i);
      }
      data.x = std::move(x);
      data.y = Labels(3, positives);
      Dataset plain = data;
      plain.weights = {};
      const Matrix weighted = scores_of(text, data, data);
      const Matrix repeated = scores_of(text, take_rows(plain, copies), data);
      double most = 0;
      for (Index k = 0; k < weighted.size(); ++k) {
        most = std::max(most, std::abs(weighted.data()[k] - repeated.data()[k]));
      }
      apart += most > 1e-5 ? 1 : 0;
    }
    EXPECT_EQ(apart, 0) << "of 40 seeds: " << text;
  }
}

TEST(Boost, SameBitsForAnyNumberOfThreads) {
  const Dataset data = dependent(900, 30, 12);
  for (const char* text :
       {"boost(rounds=4,sketch=none)", "boost(rounds=4)", "boost(rounds=4,leaves=each)",
        "boost(rounds=4,sketch=top)", "boost(rounds=4,sketch=node_top,sketch_size=7)",
        "boost(rounds=4,loss=row_logistic,hessian=full,row_share=0.7)",
        "boost(rounds=4,loss=squared,node_column_share=0.5)"}) {
    EXPECT_EQ(scores_of(text, data, data, 1), scores_of(text, data, data, 3)) << text;
  }
}

}  // namespace
}  // namespace mulberry::learners
