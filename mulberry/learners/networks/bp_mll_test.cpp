#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/learners/networks/bp_network.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/learner.hpp"
#include "mulberry/resample/row_threshold.hpp"
#include "tests/support/places.hpp"

namespace mulberry::learners {
using namespace tests;
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// Columns of different sizes, with zeros and, if requested, missing cells.
Dataset make_data(Index rows, bool gaps) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = 5;
  options.labels = 4;
  options.cardinality = 1.6;
  Dataset out = generate("linear", options, Context(1, 11));
  Matrix x(to_dense(out.x)), y = to_dense(out.y);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < 5; ++j) x(i, j) = (i + j) % 3 == 0 ? 0 : x(i, j) * std::pow(10.0, j - 2);
    if (gaps && i % 4 == 0) y(i, i % 3) = k_nan;
  }
  out.x = std::move(x);
  out.y = labels_from_dense(y);
  return out;
}

Dataset as_sparse(Dataset data) {
  data.x = to_sparse(data.x);
  return data;
}

// The network of the comment in bp_network.hpp, cell by cell.
std::vector<double> plain_outputs(const BpNetwork& net, const Features& x, Index row,
                                  std::vector<double>* units = nullptr) {
  std::vector<double> hidden = net.hidden_bias, out = net.output_bias;
  for (std::size_t k = 0; k < hidden.size(); ++k) {
    for (std::size_t j = 0; j < net.scale.middle.size(); ++j) {
      hidden[k] += net.scale(x.at(row, static_cast<Index>(j)), j) *
                   net.input(static_cast<Index>(j), static_cast<Index>(k));
    }
    hidden[k] = std::tanh(hidden[k]);
  }
  for (std::size_t l = 0; l < out.size(); ++l) {
    for (std::size_t k = 0; k < hidden.size(); ++k) {
      out[l] += hidden[k] * net.output(static_cast<Index>(k), static_cast<Index>(l));
    }
    out[l] = std::tanh(out[l]);
  }
  if (units != nullptr) *units = hidden;
  return out;
}

double plain_loss(const std::vector<double>& o, const Labels& y, Index row) {
  double sum = 0, pairs = 0;
  for (Index k = 0; k < y.count(); ++k) {
    for (Index l = 0; l < y.count(); ++l) {
      if (y.cell(row, k) != Cell::positive || y.cell(row, l) != Cell::negative) continue;
      sum += std::exp(-(o[at(k)] - o[at(l)]));
      ++pairs;
    }
  }
  return pairs == 0 ? 0 : sum / pairs;
}

// Every weight of a network, in one order.
std::vector<double*> weights_of(BpNetwork& net) {
  std::vector<double*> out;
  for (Matrix* m : {&net.input, &net.output}) {
    for (Index k = 0; k < m->size(); ++k) out.push_back(m->data() + k);
  }
  for (auto* b : {&net.hidden_bias, &net.output_bias}) {
    for (double& w : *b) out.push_back(&w);
  }
  return out;
}

TEST(BpNetwork, PairLossAgainstPairsAndDifferences) {
  const std::vector<double> o = {0.3, -0.7, 0.1, 0.9, -0.2};
  const std::vector<Id> relevant = {1, 3}, missing = {2};
  const Labels y(5, {relevant}, {missing});
  std::vector<double> gradient(5);
  EXPECT_NEAR(pair_loss(o, relevant, missing, gradient), plain_loss(o, y, 0), 1e-14);
  for (std::size_t l = 0; l < 5; ++l) {
    std::vector<double> up = o, down = o;
    up[l] += 1e-6;
    down[l] -= 1e-6;
    EXPECT_NEAR(gradient[l], (plain_loss(up, y, 0) - plain_loss(down, y, 0)) / 2e-6, 1e-8);
  }
  EXPECT_EQ(gradient[2], 0);
  EXPECT_EQ(pair_loss(o, {}, {}, gradient), 0) << "a row without labels ranks nothing";
}

// Rows: labels 0 and 1 of 3: one pair of (0, 2) and one of (1, 2); outputs all 0: every term is 1.
TEST(BpNetwork, WorkedExample) {
  std::vector<double> gradient(3);
  const std::vector<Id> relevant = {0, 1};
  EXPECT_EQ(pair_loss(std::vector<double>{0, 0, 0}, relevant, {}, gradient), 1);
  EXPECT_EQ(gradient, (std::vector<double>{-0.5, -0.5, 1}));
}

// A step moves every weight against its derivative, taken by differences of the plain network, and
// shrinks it.
TEST(BpNetwork, AStepFollowsTheDerivatives) {
  const BpSettings settings{.hidden = 3, .rate = 0.1, .decay = 0.01};
  for (const bool gaps : {false, true}) {
    const Dataset dense = make_data(12, gaps), sparse = as_sparse(dense);
    for (const Dataset* data : {&dense, &sparse}) {
      BpTraining training(data->x, data->y, settings, Context(1, 3));
      for (Index row = 0; row < 12; ++row) {
        if (!has_pairs(data->y, row)) continue;
        BpNetwork before = training.network();
        EXPECT_NEAR(training.step(row),
                    plain_loss(plain_outputs(before, data->x, row), data->y, row), 1e-12);
        BpNetwork after = training.network();
        const auto from = weights_of(before), to = weights_of(after);
        for (std::size_t w = 0; w < from.size(); ++w) {
          const double at = *from[w];
          const auto loss = [&](double value) {
            *from[w] = value;
            return plain_loss(plain_outputs(before, data->x, row), data->y, row);
          };
          const double slope = (loss(at + 1e-5) - loss(at - 1e-5)) / 2e-5;
          *from[w] = at;
          EXPECT_NEAR(*to[w], at - 0.1 * (slope + 0.01 * at), 1e-9);
        }
      }
    }
  }
}

// One more step of training, with all weights written out.
void plain_step(BpNetwork& net, const Features& x, const Labels& y, Index row, double rate,
                double decay) {
  std::vector<double> hidden;
  const std::vector<double> o = plain_outputs(net, x, row, &hidden);
  std::vector<double> answer(o.size()), unit(hidden.size());
  pair_loss(o, y.row(row), y.missing_row(row), answer);
  for (std::size_t l = 0; l < o.size(); ++l) answer[l] *= 1 - o[l] * o[l];
  for (std::size_t k = 0; k < hidden.size(); ++k) {
    for (std::size_t l = 0; l < o.size(); ++l) {
      unit[k] += net.output(static_cast<Index>(k), static_cast<Index>(l)) * answer[l];
    }
    unit[k] *= 1 - hidden[k] * hidden[k];
  }
  for (double* w : weights_of(net)) *w *= 1 - rate * decay;
  for (std::size_t k = 0; k < hidden.size(); ++k) {
    net.hidden_bias[k] -= rate * unit[k];
    for (std::size_t l = 0; l < o.size(); ++l) {
      net.output(static_cast<Index>(k), static_cast<Index>(l)) -= rate * hidden[k] * answer[l];
    }
    for (std::size_t j = 0; j < net.scale.middle.size(); ++j) {
      net.input(static_cast<Index>(j), static_cast<Index>(k)) -=
          rate * unit[k] * net.scale(x.at(row, static_cast<Index>(j)), j);
    }
  }
  for (std::size_t l = 0; l < o.size(); ++l) net.output_bias[l] -= rate * answer[l];
}

TEST(BpMll, AgainstPlainLoops) {
  const Dataset dense = make_data(40, true), sparse = as_sparse(dense);
  const Context ctx(1, 5);
  // A decay that shrinks the weights below the limit of their common factor.
  for (const double decay : {0.1, 300.0}) {
    Index rows = 0;
    std::vector<Id> order;
    for (Id i = 0; i < 40; ++i) {
      if (has_pairs(dense.y, i)) order.push_back(i);
    }
    rows = count_of(order);
    const double share = decay / static_cast<double>(rows);
    BpNetwork net = BpTraining(dense.x, dense.y, {.hidden = 2}, ctx).network();
    for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
      ctx.rng("bp_mll order", epoch).shuffle(std::span(order));
      for (const Id i : order) plain_step(net, dense.x, dense.y, i, 0.07, share);
    }
    Matrix expected(40, 4);
    for (Index i = 0; i < 40; ++i) {
      const auto o = plain_outputs(net, dense.x, i);
      std::copy(o.begin(), o.end(), expected.row(i).begin());
    }
    const RowThreshold threshold = learn_row_threshold(expected, dense.y, ctx);
    for (const Dataset* data : {&dense, &sparse}) {
      const auto model = fit_learner(
          CompleteSpec(parse_spec("bp_mll(hidden=0.4, rate=0.07, epochs=5, validation=0, decay=" +
                                  std::to_string(decay) + ")")),
          view_of(*data), ctx);
      for (const Dataset* test : {&dense, &sparse}) {
        const Matrix got = model->predict(view_of(*test), Context(2)).scores;
        for (Index i = 0; i < 40; ++i) {
          const double cut = threshold.cut(expected.row(i));
          for (Index l = 0; l < 4; ++l) EXPECT_NEAR(got(i, l), expected(i, l) - cut, 1e-8);
        }
      }
    }
  }
}

TEST(BpMll, InputsAreScaledOnTrainingRows) {
  Dataset data = make_data(30, false);
  Dataset other = data;
  Matrix x(to_dense(data.x));
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < 5; ++j) x(i, j) = 1000 + 7 * x(i, j);
  }
  other.x = std::move(x);
  const InputScale scale = InputScale::of(data.x, Context());
  for (Index i = 0; i < 30; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_LE(std::abs(scale(data.x.at(i, static_cast<Index>(j)), j)), 0.8 + 1e-12);
    }
  }
  const auto scores = [](const Dataset& d) {
    return fit_learner(CompleteSpec(parse_spec("bp_mll")), view_of(d), Context(1))
        ->predict(view_of(d), Context(1))
        .scores;
  };
  const Matrix a = scores(data), b = scores(other);
  for (Index k = 0; k < a.size(); ++k) EXPECT_NEAR(a.data()[k], b.data()[k], 1e-6);
}

TEST(BpMll, LossFallsAndRowsWithoutPairsAreSkipped) {
  Dataset data = make_data(60, false);
  const auto model = fit_learner(CompleteSpec(parse_spec("bp_mll(hidden=1, validation=0)")),
                                 view_of(data), Context(1));
  const Matrix curve = model->results().at(0).values;
  ASSERT_EQ(curve.rows(), 100);
  EXPECT_LT(curve(99, 0), 0.7 * curve(0, 0));
  EXPECT_EQ(model->summary().objective, curve(99, 0));
  data.y = Labels(4, std::vector<std::vector<Id>>(60, std::vector<Id>{0, 1, 2, 3}));
  const auto idle = fit_learner(CompleteSpec(parse_spec("bp_mll")), view_of(data), Context(1));
  EXPECT_EQ(idle->results().at(0).values.rows(), 0);
  EXPECT_EQ(decide(idle->predict(view_of(data), Context(1))), data.y);
}

// The lowest loss of held-out rows sets the number of epochs, and these are repeated on all rows.
TEST(BpMll, HeldOutRowsSetTheEpochs) {
  const Dataset data = make_data(80, false);
  const auto model = fit_learner(CompleteSpec(parse_spec("bp_mll(hidden=2, rate=0.5, patience=3)")),
                                 view_of(data), Context(1));
  const auto held = model->results().at(1);
  ASSERT_EQ(held.id, "held_out");
  const auto curve = held.values.values();
  const auto lowest = std::min_element(curve.begin(), curve.end()) - curve.begin();
  EXPECT_EQ(model->summary().rounds, lowest + 1);
  EXPECT_LT(lowest + 1, 100);
  EXPECT_EQ(held.values.rows(), lowest + 1 + 3);
  EXPECT_TRUE(model->summary().converged);
  const auto again = fit_learner(
      CompleteSpec(parse_spec(
          "bp_mll(hidden=2, rate=0.5, validation=0, epochs=" + std::to_string(lowest + 1) + ")")),
      view_of(data), Context(1));
  EXPECT_EQ(model->predict(view_of(data), Context(1)).scores,
            again->predict(view_of(data), Context(1)).scores);
  EXPECT_FALSE(again->summary().converged) << "a few epochs that still lower the loss";
}

// Steps that are far too long drive every unit to its end; that is not convergence.
TEST(BpMll, ANetworkThatAnswersTheSameIsNamed) {
  const Dataset data = make_data(60, false);
  const auto model =
      fit_learner(CompleteSpec(parse_spec("bp_mll(hidden=2, rate=1, decay=40, validation=0)")),
                  view_of(data), Context(1));
  const Matrix scores = model->predict(view_of(data), Context(1)).scores;
  ASSERT_NEAR(scores(0, 0), scores(1, 0), 1e-2);
  EXPECT_FALSE(model->summary().converged);
  ASSERT_EQ(model->summary().remarks.size(), 1u);
}

// Many features drive the units to their ends within an epoch at the published rate. The loss is
// then flat because nothing can be learnt any more; a few rows may still differ a little.
TEST(BpMll, ALossThatIsFlatAtTheEndsIsNotConvergence) {
  const std::string path = places::real_data() + "/medical/medical-train.arff";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << "; set MULBERRY_DATA";
  const Dataset data = read_dataset(path);
  const auto model =
      fit_learner(CompleteSpec(parse_spec("bp_mll(validation=0, rate=0.05, epochs=20)")),
                  view_of(data), Context(1));
  EXPECT_GT(model->summary().objective, 0.5) << "this network has learnt something";
  EXPECT_FALSE(model->summary().converged);
  EXPECT_EQ(model->summary().remarks.size(), 1u);
  const auto slow =
      fit_learner(CompleteSpec(parse_spec("bp_mll(validation=0, rate=0.003, epochs=20)")),
                  view_of(data), Context(1));
  EXPECT_LT(slow->summary().objective, 0.6);
  EXPECT_TRUE(slow->summary().remarks.empty());
}

TEST(BpMll, WhatCannotBeDoneIsSaid) {
  const Dataset data = make_data(3, false);
  EXPECT_THROW(fit_learner(CompleteSpec(parse_spec("bp_mll(rate=1, decay=1000)")), view_of(data),
                           Context(1)),
               Error);
  Dataset wide = data;
  wide.x = Csr{3, 2000000, std::vector<Index>{0, 0, 0, 0}, {}, {}};
  try {
    fit_learner(CompleteSpec(parse_spec("bp_mll")), view_of(wide), Context(1));
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(error.remedy().find("hidden=0.00025"), std::string::npos) << error.what();
  }
}

// The paper gives for ten-fold cross-validation on yeast: Hamming loss 0.206 +- 0.011, ranking loss
// 0.171 +- 0.015, one-error 0.233 +- 0.034, average precision 0.756 +- 0.021. Here: the usual split
// of the data.
TEST(BpMll, PublishedFiguresOnYeast) {
  const std::string folder = places::real_data();
  const std::string path = folder + "/yeast/yeast-train.arff.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << "; set MULBERRY_DATA";
  const Dataset train = read_dataset(path), test = read_dataset(folder + "/yeast/yeast-test.arff");
  const auto model = fit_learner(CompleteSpec(parse_spec("bp_mll")), view_of(train), Context(2));
  const Prediction prediction = model->predict(view_of(test), Context(2));
  const Labels decided = decide(prediction);
  const auto values = measure_some(
      std::vector<std::string>{"hamming_loss", "ranking_loss", "one_error", "average_precision"},
      test.y, {.scores = &prediction.scores, .decided = &decided}, {}, Context());
  EXPECT_NEAR(values[0].value, 0.206, 0.011);
  EXPECT_LT(values[1].value, 0.178) << "100 epochs at the rate 0.05 give 0.199";
  EXPECT_NEAR(values[2].value, 0.233, 0.034);
  EXPECT_NEAR(values[3].value, 0.756, 0.021);
}

TEST(BpNetwork, BeginsWithUniformWeightsOfTheirReach) {
  const Dataset data = make_data(20, false);
  const BpNetwork net = BpTraining(data.x, data.y, {.hidden = 400}, Context(1, 2)).network();
  const auto largest = [](std::span<const double> values) {
    double out = 0;
    for (const double v : values) out = std::max(out, std::abs(v));
    return out;
  };
  const double five = 0.5 / std::sqrt(5.0), hidden = 0.5 / std::sqrt(400.0);
  EXPECT_LE(largest(net.input.values()), five);
  EXPECT_GE(largest(net.input.values()), 0.99 * five);
  EXPECT_LE(largest(net.output.values()), hidden);
  EXPECT_GE(largest(net.output.values()), 0.99 * hidden);
  EXPECT_GE(largest(net.hidden_bias), 0.97 * five);
}

}  // namespace
}  // namespace mulberry::learners
