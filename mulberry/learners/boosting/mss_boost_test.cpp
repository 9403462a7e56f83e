#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/learners/boosting/shared_step.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/base_learner.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::learners {
namespace {

// Outputs of some models and weights of cells, some of them missing.
struct Round {
  Matrix outputs, weights;
};

Round make_round(std::uint64_t seed, Index models, Index rows, Index labels) {
  Random random(seed, "mss_boost_test");
  Round out{Matrix(models, rows), Matrix(rows, labels)};
  for (Index k = 0; k < out.outputs.size(); ++k) out.outputs.data()[k] = random.uniform(-1, 1);
  for (Index i = 0; i < rows; ++i) {
    for (Index l = 0; l < labels; ++l) {
      if (random.chance(0.1)) continue;
      const double about = out.outputs((l + 1) % models, i);
      const double sign = about + random.normal() > 0 ? 1 : -1;
      out.weights(i, l) = sign * std::exp(random.normal());
    }
  }
  return out;
}

// The formulas of shared_step.hpp for one model.
SharedStep plain_step(const Round& round, Index model) {
  const Index n = round.weights.rows();
  SharedStep out{.model = model};
  for (Index l = 0; l < round.weights.cols(); ++l) {
    double loss = 0, sum = 0, after = 0;
    for (Index i = 0; i < n; ++i) {
      loss += std::abs(round.weights(i, l));
      sum += round.weights(i, l) * round.outputs(model, i);
    }
    const double most = 1 - 1 / (2 * static_cast<double>(n));
    const double r = loss == 0 ? 0 : std::max(-most, std::min(most, sum / loss));
    const double alpha = 0.5 * std::log((1 + r) / (1 - r));
    for (Index i = 0; i < n; ++i) {
      const double y = round.weights(i, l) > 0 ? 1 : -1;
      after += std::abs(round.weights(i, l)) * std::exp(-y * alpha * round.outputs(model, i));
    }
    EXPECT_LE(after, loss * (1 + 1e-12)) << "a step never makes the loss of a label worse";
    out.alpha.push_back(alpha);
    out.loss += after;
  }
  return out;
}

TEST(SharedStep, IsTheBestOfAllModels) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Round round = make_round(seed, 7, 300, 4);
    SharedStep expected = plain_step(round, 0);
    for (Index m = 1; m < 7; ++m) {
      const SharedStep other = plain_step(round, m);
      if (other.loss < expected.loss) expected = other;
    }
    for (const int threads : {1, 2}) {
      const SharedStep got = best_shared_step(round.outputs, round.weights, Context(threads));
      EXPECT_EQ(got.model, expected.model);
      EXPECT_NEAR(got.loss, expected.loss, 1e-9 * expected.loss);
      for (std::size_t l = 0; l < 4; ++l) EXPECT_NEAR(got.alpha[l], expected.alpha[l], 1e-12);
    }
    const Matrix before = round.weights;
    const double loss = take_shared_step(round.outputs.row(expected.model), expected.alpha,
                                         round.weights, Context(2));
    EXPECT_NEAR(loss, expected.loss, 1e-9 * loss);
    for (Index i = 0; i < 300; ++i) {
      for (Index l = 0; l < 4; ++l) {
        const double y = before(i, l) > 0 ? 1 : -1;
        const double move = y * expected.alpha[at(l)] * round.outputs(expected.model, i);
        EXPECT_NEAR(round.weights(i, l), before(i, l) * std::exp(-move), 1e-12);
      }
    }
  }
}

TEST(SharedStep, PerfectModelsAndTies) {
  // Model 1 is always right, model 2 always wrong, which is the same with a minus sign.
  const Matrix outputs(3, 2, std::vector<double>{0, 0, 1, -1, -1, 1});
  Matrix weights(2, 1, std::vector<double>{3, -5});
  const SharedStep step = best_shared_step(outputs, weights, Context(1));
  EXPECT_EQ(step.model, 1);
  EXPECT_NEAR(step.alpha[0], 0.5 * std::log(1.75 / 0.25), 1e-12) << "r = 1 - 1 / (2 * 2)";
  EXPECT_NEAR(step.loss, 8 * std::sqrt(0.25 / 1.75), 1e-12);
  const std::vector<double> huge = {1000};
  take_shared_step(outputs.row(1), huge, weights, Context(1));
  EXPECT_EQ(weights(0, 0), 1e-200) << "the sign must survive";
  EXPECT_EQ(weights(1, 0), -1e-200);
}

Dataset make_data(Index rows, std::uint64_t seed) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = 8;
  options.labels = 5;
  options.cardinality = 2;
  return generate("linear", options, Context(1, seed));
}

Dataset with_gaps(Dataset data) {
  Matrix y(to_dense(data.y));
  for (Index i = 0; i < data.rows(); i += 3) y(i, i % 5) = std::nan("");
  data.y = labels_from_dense(y);
  return data;
}

double exponential_loss(MatrixView scores, const Labels& y) {
  double sum = 0, cells = 0;
  for (Index i = 0; i < y.rows(); ++i) {
    for (Index l = 0; l < y.count(); ++l) {
      if (y.cell(i, l) == Cell::missing) continue;
      sum += std::exp(y.cell(i, l) == Cell::positive ? -scores(i, l) : scores(i, l));
      ++cells;
    }
  }
  return sum / cells;
}

TEST(MssBoost, LossNeverRisesAndIsThatOfTheScores) {
  for (const Dataset& data : {make_data(120, 2), with_gaps(make_data(120, 3))}) {
    for (const std::string base : {"linear_svm", "logistic", "stump"}) {
      double last = 1;
      std::vector<double> curve;
      for (const int rounds : {1, 2, 5, 20}) {
        const auto model =
            fit_learner(CompleteSpec(parse_spec("mss_boost(rounds=" + std::to_string(rounds) +
                                                ", base=" + base + ")")),
                        view_of(data), Context(2, 4));
        const Matrix got = model->results().at(0).values;
        ASSERT_EQ(got.rows(), rounds);
        for (std::size_t t = 0; t < curve.size(); ++t) {
          EXPECT_EQ(got(static_cast<Index>(t), 0), curve[t]) << "more rounds only add some";
        }
        curve.assign(got.values().begin(), got.values().end());
        const double loss =
            exponential_loss(model->predict(view_of(data), Context(2)).scores, data.y);
        EXPECT_NEAR(loss, curve.back(), 1e-9);
        EXPECT_EQ(model->summary().objective, curve.back());
        EXPECT_LT(loss, last);
        last = loss;
      }
      EXPECT_LE(curve[0], 1);
      for (std::size_t t = 1; t < curve.size(); ++t) EXPECT_LE(curve[t], curve[t - 1]);
    }
  }
}

TEST(MssBoost, Learns) {
  const Dataset all = make_data(600, 5);
  std::vector<Id> first, second;
  for (Id i = 0; i < 600; ++i) (i < 300 ? first : second).push_back(i);
  const Dataset train = take_rows(all, first), test = take_rows(all, second);
  const auto model = fit_learner(CompleteSpec(parse_spec("mss_boost")), view_of(train), Context(2));
  const Labels decided = decide(model->predict(view_of(test), Context(2)));
  EXPECT_LT(measure("hamming_loss", test.y, {.decided = &decided}, {}, Context()).value, 0.15);
}

// Two equal labels get the same multiples of every model.
TEST(MssBoost, EqualLabelsShareAllModels) {
  Dataset data = make_data(80, 6);
  data.y = take_labels(data.y, std::vector<Id>{1, 0, 1});
  data.label_names = {"a", "b", "c"};
  const auto model =
      fit_learner(CompleteSpec(parse_spec("mss_boost(rounds=15)")), view_of(data), Context(1));
  const Matrix scores = model->predict(view_of(data), Context(1)).scores;
  for (Index i = 0; i < 80; ++i) EXPECT_NEAR(scores(i, 0), scores(i, 2), 1e-9);
}

TEST(MssBoost, BasesWithoutWeightsAreRefused) {
  try {
    fit_learner(CompleteSpec(parse_spec("mss_boost(base=msvr)")), view_of(make_data(20, 7)),
                Context(1));
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::parameter);
    EXPECT_NE(error.remedy().find("logistic"), std::string::npos);
  }
}

// The first model of one label, made step by step from the same draws.
TEST(MssBoost, WeightsOfACandidateHaveMeanOne) {
  Dataset data = make_data(60, 8);
  const Id first[] = {0};
  data.y = take_labels(data.y, first);
  data.label_names = {"only"};
  const Context ctx(1, 3);
  const Matrix scores =
      fit_learner(CompleteSpec(parse_spec("mss_boost(rounds=1,sample=0.5)")), view_of(data), ctx)
          ->predict(view_of(data), ctx)
          .scores;
  Random random = ctx.rng("mss_boost", 0, 0);
  std::vector<double> mass(60, 0.0);
  for (int k = 0; k < 30; ++k) mass[at(random.below(60))] += 1;
  std::vector<Id> rows, classes;
  std::vector<double> weights;
  for (Id i = 0; i < 60; ++i) {
    if (mass[at(i)] == 0) continue;
    rows.push_back(i);
    classes.push_back(data.y.cell(i, 0) == Cell::positive ? 1 : 0);
    weights.push_back(mass[at(i)] / 30);
  }
  for (double& w : weights) w *= static_cast<double>(rows.size());
  std::vector<Id> features = {0, 1, 2, 3, 4, 5, 6, 7};
  random.shuffle(std::span(features));
  features.resize(2);  // 0.3 of 8
  std::sort(features.begin(), features.end());
  const FittedClassifier model(
      "logistic", {take_columns(take_rows(data.x, rows), features), classes, 2, weights}, ctx);
  const Matrix p = model.scores(take_columns(data.x, features), ctx);
  const double alpha = scores(0, 0) / (2 * p(0, 0) - 1);
  EXPECT_GT(alpha, 0);
  for (Index i = 0; i < 60; ++i) EXPECT_NEAR(scores(i, 0), alpha * (2 * p(i, 0) - 1), 1e-9);
}

}  // namespace
}  // namespace mulberry::learners
