#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/core/random.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/learners/common/one_class.hpp"
#include "mulberry/learners/mahr/booster.hpp"
#include "mulberry/model/learner.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::learners {
namespace {

using mahr::best_edge;
using mahr::Booster;
using mahr::Mix;
using mahr::Reuse;
using mahr::Rounds;
using mahr::Settings;

Dataset made(const std::string& generator, Index rows, std::uint64_t seed) {
  GenerateOptions options = find_generator(generator).defaults;
  options.rows = rows;
  options.features = 6;
  options.labels = 4;
  return generate(generator, options, Context(1, seed));
}

Booster booster_for(const Dataset& data, const Settings& settings) {
  return {data.x,
          data.y,
          {},
          settings,
          Rounds(data.x.cols(), one_class_scores(data.y)),
          Matrix(data.labels(), data.labels()),
          Context(1)};
}

Booster boosted(const Dataset& data, const Settings& settings, Index rounds) {
  Booster out = booster_for(data, settings);
  for (Index t = 0; t < rounds; ++t) {
    if (!out.add_round(Context(1))) break;
  }
  return out;
}

Matrix replayed(const Booster& booster, const Features& x) {
  Matrix out = booster.rounds().start(x.rows());
  booster.rounds().advance(x, 0, booster.rounds().count(), out, Context(1));
  return out;
}

Matrix divided(MatrixView reuse) {
  Matrix out(reuse);
  for (Index i = 0; i < out.rows(); ++i) {
    for (double& v : out.row(i)) v /= reuse(i, i);
  }
  return out;
}

// Two opposite labels among others.
Dataset with_negation() {
  Dataset data = made("linear", 150, 3);
  Matrix y(to_dense(data.y));
  for (Index i = 0; i < y.rows(); ++i) y(i, 1) = 1 - y(i, 0);
  data.y = labels_from_dense(y);
  return data;
}

TEST(MahrReuse, GoldenStep) {
  // Rows y * (stump, H1, H2) with their weights; y = +1, so rows are the answers themselves.
  const double rows[8][3] = {{1, 1, 1},   {1, 1, -1},  {1, -1, 1},  {-1, 1, 1},
                             {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, -1}};
  const double weights[] = {.30, .14, .05, .16, .04, .12, .06, .13};
  std::vector<double> edges(3, 0.0);
  double square = 0;
  for (int i = 0; i < 8; ++i) {
    square += weights[i] * weights[i];
    for (std::size_t k = 0; k < 3; ++k) edges[k] += weights[i] * rows[i][k];
  }
  EXPECT_NEAR(edges[0], 0.10, 1e-12);
  EXPECT_NEAR(edges[1], 0.44, 1e-12);
  EXPECT_NEAR(edges[2], 0.10, 1e-12);
  EXPECT_NEAR(std::sqrt(square), 0.417373, 1e-6);
  // The learning label has the place of the stump: 0.
  for (const double kappa : {0.0, 0.5}) {
    const Mix mix = best_edge(edges[0], edges, 0, kappa * std::sqrt(square));
    ASSERT_EQ(mix.helpers, std::vector<Id>{1});
    EXPECT_EQ(mix.weights, std::vector<double>{1});
    EXPECT_EQ(mix.own, 0);
  }
  EXPECT_NEAR(mahr::step_of(0.22, 1000), 0.472231, 1e-6);
  const Mix dear = best_edge(edges[0], edges, 0, std::sqrt(square));
  EXPECT_TRUE(dear.helpers.empty());
  EXPECT_EQ(dear.own, 1);
  EXPECT_NEAR(mahr::step_of(0.05, 1000), 0.100335, 1e-6);
  edges[1] = -edges[1];
  EXPECT_EQ(best_edge(edges[0], edges, 0, 0).weights, std::vector<double>{-1});
  EXPECT_TRUE(best_edge(0.45, std::vector<double>{0.45, 0.45, 0.45}, 0, 0).helpers.empty());
}

TEST(MahrReuse, TiesGoToTheLowestLabel) {
  EXPECT_EQ(best_edge(0.1, std::vector<double>{0.9, 0.3, -0.3}, 0, 0).helpers, std::vector<Id>{1});
  EXPECT_EQ(best_edge(0.1, std::vector<double>{0.2, 0.3, -0.4}, 1, 0).helpers, std::vector<Id>{2});
}

TEST(MahrReuse, StepsStayFiniteAndVanishWithoutAnEdge) {
  EXPECT_EQ(mahr::step_of(0, 10), 0);
  EXPECT_EQ(mahr::step_of(-0.1, 10), 0);
  EXPECT_NEAR(mahr::step_of(0.5, 10), 0.5 * std::log(0.95 / 0.05), 1e-12);
  EXPECT_NEAR(mahr::step_of(0.5, 1e17), 0.5 * std::log(1e12), 1e-4);
}

TEST(MahrReuse, TwinsAreFoundWithTheirSigns) {
  const Matrix signs(4, 3, std::vector<double>{1, -1, 1, -1, 1, -1, 1, 1, 1, 1, -1, 1});
  const mahr::Twins twins = mahr::find_twins(signs);
  EXPECT_EQ(twins.first, (std::vector<Id>{0, 0, 2, 0}));
  EXPECT_EQ(twins.agrees, (std::vector<double>{1, -1, 1, 1}));
  EXPECT_EQ(twins.members[0], (std::vector<Id>{0, 1, 3}));
}

// At any places, for any number of labels and rows.
TEST(MahrReuse, TwinsAreFoundAmongManyLabels) {
  Random random(7, "mahr.test");
  for (int trial = 0; trial < 300; ++trial) {
    const Index labels = 2 + random.below(40), n = 20 + random.below(500);
    std::vector<Index> copy_of;  // an earlier label, or itself
    Matrix signs(labels, n);
    for (Index l = 0; l < labels; ++l) {
      copy_of.push_back(random.chance(0.5) ? random.below(l + 1) : l);
      const bool opposite = random.chance(0.5);
      for (Index i = 0; i < n; ++i) {
        const double theirs = signs(copy_of.back(), i);
        signs(l, i) =
            copy_of.back() == l ? (random.chance(0.3) ? 1 : -1) : (opposite ? -theirs : theirs);
      }
    }
    const mahr::Twins twins = mahr::find_twins(signs);
    for (Index l = 0; l < labels; ++l) {
      const auto k = at(l);
      const auto source = at(copy_of[k]);
      ASSERT_EQ(twins.first[k], copy_of[k] == l ? l : twins.first[source]) << trial << " " << l;
    }
  }
}

TEST(MahrReuse, LabelsAheadAreThoseOnTheWrongSide) {
  // One row: labels yes, no, no, missing; signs +, +, -, +.
  const Matrix truth(4, 1, std::vector<double>{1, -1, -1, 0});
  const Matrix signs(4, 1, std::vector<double>{1, 1, -1, 1});
  const Matrix ahead = mahr::share_ahead(truth, signs);
  EXPECT_EQ(ahead(0, 0), 0.5);  // of the two that are no, one is above
  EXPECT_EQ(ahead(1, 0), 0);    // the one that is yes is not below
  EXPECT_EQ(ahead(2, 0), 0);
  EXPECT_EQ(ahead(3, 0), -1);
}

// The cost of a hypothesis, pair by pair.
double pair_cost(MatrixView weighted, Index k, Index label, std::span<const double> h,
                 MatrixView truth, MatrixView signs) {
  double cost = 0;
  for (Index i = 0; i < truth.cols(); ++i) {
    double sum = 0, pairs = 0;
    for (Index j = 0; j < truth.rows(); ++j) {
      if (truth(j, i) != -truth(label, i) || truth(label, i) == 0) continue;
      sum += std::max(0.0, 1 - truth(label, i) * (h[at(i)] - signs(j, i)));
      ++pairs;
    }
    if (pairs > 0) cost += std::abs(weighted(k, i)) * sum / pairs;
  }
  return cost;
}

TEST(MahrReuse, RankingTakesTheHypothesisWhosePairsCostLeast) {
  Random random(4, "mahr.test");
  int reused = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Index labels = 2 + random.below(4), n = 2 + random.below(20);
    Matrix truth(labels, n), signs(labels, n), own(1, n), weighted(1, n);
    double total = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index l = 0; l < labels; ++l) {
        truth(l, i) = random.chance(0.1) ? 0 : random.chance(0.4) ? 1 : -1;
        signs(l, i) = random.chance(0.5) ? 1 : -1;
      }
      own(0, i) = random.chance(0.5) ? 1 : -1;
      weighted(0, i) = truth(0, i) * random.uniform();
      total += std::abs(weighted(0, i));
    }
    if (total == 0) continue;
    for (double& w : weighted.row(0)) w /= total;
    const std::vector<Id> learning = {0};
    const Mix mix = mahr::choose_mixes({.loss = mahr::Loss::ranking}, weighted, own, {}, signs,
                                       truth, learning, Context(1))[0];
    std::vector<double> h(own.row(0).begin(), own.row(0).end());
    const double own_cost = pair_cost(weighted, 0, 0, h, truth, signs);
    mahr::apply_mix(mix, signs, h);
    const double cost = pair_cost(weighted, 0, 0, h, truth, signs);
    ASSERT_LE(cost, own_cost + 1e-12);
    for (Index k = 1; k < labels; ++k) {
      for (const double sign : {1.0, -1.0}) {
        std::vector<double> other(h.size());
        for (Index i = 0; i < n; ++i) other[at(i)] = sign * signs(k, i);
        ASSERT_LE(cost, pair_cost(weighted, 0, 0, other, truth, signs) + 1e-12);
      }
    }
    reused += mix.helpers.empty() ? 0 : 1;
    // The programme may mix them and never costs more, apart from prices.
    const Mix free =
        mahr::choose_mixes({.reuse = Reuse::clip, .loss = mahr::Loss::ranking, .rho = 0}, weighted,
                           own, {}, signs, truth, learning, Context(1))[0];
    std::vector<double> sum(h.size());
    for (Index i = 0; i < n; ++i) {
      double& v = sum[at(i)];
      v = free.own * own(0, i);
      for (std::size_t c = 0; c < free.helpers.size(); ++c)
        v += free.weights[c] * signs(free.helpers[c], i);
    }
    ASSERT_LE(pair_cost(weighted, 0, 0, sum, truth, signs), cost + 1e-4);
  }
  EXPECT_GT(reused, 50);
}

// The edges of every hypothesis that a label could have taken, from the scores just before.
TEST(Mahr, TakesTheLargestEdgeInEveryRound) {
  const Dataset data = made("linear", 120, 1);
  const Booster booster = boosted(data, {}, 15);
  const FixedMatrix y = to_dense(data.y);
  int reused = 0;
  Matrix before = booster.rounds().start(data.rows());
  for (Index t = 0; t < booster.rounds().count(); ++t) {
    Matrix after = before;
    booster.rounds().advance(data.x, t, t + 1, after, Context(1));
    for (Index l = 0; l < data.labels(); ++l) {
      double sum = 0, gamma = 0;
      std::vector<double> edges(4, 0.0);
      const double alpha = booster.rounds().alpha(t, l);
      double loss_before = 0, loss_after = 0, weight = 0;
      for (Index i = 0; i < data.rows(); ++i) {
        const double truth = 2 * y(i, l) - 1;
        const double d = 1 / (1 + std::exp(truth * before(i, l)));
        sum += d;
        gamma += 0.5 * d * truth * (after(i, l) - before(i, l)) / alpha;
        for (Index k = 0; k < 4; ++k) edges[at(k)] += d * truth * mahr::sign_of(before(i, k));
        loss_before += std::log1p(std::exp(-truth * before(i, l)));
        loss_after += std::log1p(std::exp(-truth * after(i, l)));
        weight += d;
      }
      gamma /= sum;
      ASSERT_NEAR(alpha, mahr::step_of(gamma, static_cast<double>(data.rows())), 1e-9);
      double best = 0;
      for (Index k = 0; t > 0 && k < 4; ++k) {
        if (k != l) best = std::max(best, std::abs(edges[at(k)]) / sum);
      }
      // At least the edge of any candidate; larger only for its own stump.
      ASSERT_GE(2 * gamma, best - 1e-9) << "round " << t << " label " << l;
      if (booster.rounds().own(t, l) == 0) {
        ++reused;
        ASSERT_NEAR(2 * gamma, best, 1e-9);
      }
      // The decrease of the logistic loss that the edge promises.
      ASSERT_LE(loss_after, loss_before - weight * (1 - std::sqrt(1 - 4 * gamma * gamma)) + 1e-9);
    }
    before = after;
  }
  EXPECT_GT(reused, 3);
}

TEST(Mahr, EdgeOfTheMixIsNeverBelowThatOfTheStump) {
  const Dataset data = made("linear", 100, 5);
  for (const double rho : {0.0, 0.1}) {
    Booster booster = booster_for(data, {.reuse = Reuse::clip, .rho = rho});
    const FixedMatrix y = to_dense(data.y);
    bool mixed = false;
    for (Index t = 0; t < 12; ++t) {
      const Matrix before = replayed(booster, data.x);
      ASSERT_TRUE(booster.add_round(Context(1)));
      const Matrix after = replayed(booster, data.x);
      // What stumps alone would have done from the same scores.
      for (Index l = 0; l < data.labels(); ++l) {
        Matrix weights(1, data.rows());
        double sum = 0, mix = 0;
        for (Index i = 0; i < data.rows(); ++i) {
          const double truth = 2 * y(i, l) - 1;
          weights(0, i) = truth / (1 + std::exp(truth * before(i, l)));
          sum += std::abs(weights(0, i));
        }
        for (Index i = 0; i < data.rows(); ++i) {
          weights(0, i) /= sum;
          mix += weights(0, i) * (after(i, l) - before(i, l)) / booster.rounds().alpha(t, l);
        }
        const StumpColumns columns(data.x, 0, Context(1));
        const Stump stump(best_splits(columns, weights, StumpCriterion::entropy, Context(1))[0]);
        std::vector<double> answers(at(data.rows()));
        training_answers(columns, stump, answers);
        double own = 0;
        for (Index i = 0; i < data.rows(); ++i) own += weights(0, i) * answers[at(i)];
        ASSERT_GE(mix, own - 1e-6);
        mixed = mixed || booster.rounds().own(t, l) != 1;
      }
    }
    EXPECT_EQ(mixed, true) << "rho " << rho;
  }
}

TEST(Mahr, ReplayedScoresAreThoseOfTraining) {
  const Dataset data = made("linear", 90, 2);
  for (const Reuse reuse : {Reuse::best_edge, Reuse::clip, Reuse::normalised, Reuse::none}) {
    const Booster booster = boosted(data, {.reuse = reuse, .rho = 0.01}, 20);
    const Matrix scores = replayed(booster, data.x);
    for (Index i = 0; i < data.rows(); ++i) {
      for (Index l = 0; l < data.labels(); ++l) ASSERT_EQ(scores(i, l), booster.score(i, l));
    }
  }
}

TEST(Mahr, WithoutReuseLabelsAreOnTheirOwn) {
  const Dataset data = made("linear", 80, 4);
  const Matrix together = replayed(boosted(data, {.reuse = Reuse::none}, 15), data.x);
  const Matrix dear = replayed(boosted(data, {.kappa = 1e9}, 15), data.x);
  EXPECT_EQ(dear, together);
  for (Index l = 0; l < data.labels(); ++l) {
    Dataset alone = data;
    alone.y = take_labels(data.y, std::vector<Id>{static_cast<Id>(l)});
    // With one label there is nothing to reuse, whatever the setting.
    const Matrix scores = replayed(boosted(alone, {}, 15), data.x);
    for (Index i = 0; i < data.rows(); ++i) ASSERT_EQ(scores(i, 0), together(i, l));
  }
}

TEST(Mahr, NegatingALabelNegatesItsRowAndColumn) {
  const Dataset data = made("linear", 150, 6);
  Dataset negated = data;
  Matrix y(to_dense(data.y));
  for (Index i = 0; i < y.rows(); ++i) y(i, 2) = 1 - y(i, 2);
  negated.y = labels_from_dense(y);
  const Booster a = boosted(data, {}, 12), b = boosted(negated, {}, 12);
  double size = 0;
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) {
      const double sign = (i == 2) != (j == 2) ? -1 : 1;
      EXPECT_NEAR(b.history().reuse()(i, j), sign * a.history().reuse()(i, j), 1e-9)
          << i << " " << j;
      if (i != j) size += std::abs(a.history().reuse()(i, j));
    }
  }
  EXPECT_GT(size, 0.1);
}

TEST(Mahr, TwinsShareTheirCredit) {
  const Dataset data = made("data-equal", 800, 1);
  const Matrix s = boosted(data, {}, 25).history().reuse();
  EXPECT_GT(s(0, 1), 0);
  EXPECT_NEAR(s(0, 1), s(1, 0), 1e-9);
  EXPECT_NEAR(s(2, 3), s(3, 2), 1e-9);
  for (Index k = 2; k < 5; ++k) {
    EXPECT_NEAR(s(0, k), s(1, k), 1e-9);
    EXPECT_NEAR(s(k, 0), s(k, 1), 1e-9);
  }
}

TEST(Mahr, AnOppositeLabelHelpsWithItsOpposite) {
  const Matrix s = boosted(with_negation(), {}, 20).history().reuse();
  EXPECT_LE(s(0, 1), 0);
  EXPECT_LE(s(1, 0), 0);
  EXPECT_LT(s(0, 1) + s(1, 0), 0);
}

// The paper's statements about its three synthetic sets, as it made them: half of 10,000 rows to
// train, 40 rounds, the mean of ten draws.
Matrix mean_scores(const std::string& generator) {
  constexpr int k_draws = 10;
  std::vector<Id> half(5000);
  std::iota(half.begin(), half.end(), 0);
  Matrix out(5, 5);
  for (std::uint64_t seed = 1; seed <= k_draws; ++seed) {
    Dataset train = take_rows(made(generator, 10000, seed), half);
    train.x = in_one_piece(train.x);
    const Matrix s = divided(boosted(train, {.bins = 100}, 40).history().reuse());
    for (Index i = 0; i < 5; ++i) {
      for (Index j = 0; j < 5; ++j) out(i, j) += s(i, j) / k_draws;
    }
  }
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < 5; ++j) {
      if (i == j) continue;
      EXPECT_LT(out(i, j), 1) << generator << " " << i << " " << j;
    }
  }
  for (Index j = 0; j < 4; ++j) EXPECT_LE(out(4, j), 0) << generator << " " << j;
  return out;
}

TEST(Mahr, IndependentLabelsDoNotHelpEachOther) {
  const Matrix s = mean_scores("data-inde");
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 5; ++j) {
      if (i == j) continue;
      EXPECT_NEAR(s(i, j), 0, 0.05) << i << " " << j;
    }
    EXPECT_LT(s(4, i), -0.15);
  }
}

TEST(Mahr, EqualLabelsHelpEachOther) {
  const Matrix s = mean_scores("data-equal");
  for (const auto& [i, j] : {std::pair<Index, Index>{0, 1}, {1, 0}, {2, 3}, {3, 2}})
    EXPECT_GT(s(i, j), 0.1);
}

TEST(Mahr, AUnionIsHelpedByItsPartsAndHelpsThemLittle) {
  const Matrix s = mean_scores("data-union");
  for (Index j = 1; j < 4; ++j) {
    EXPECT_GT(s(0, j), 0.1);
    EXPECT_LT(std::abs(s(j, 0)), 0.5 * s(0, j));
  }
  EXPECT_GT(s(0, 1) + s(0, 2) + s(0, 3), 1);
}

std::unique_ptr<Model> fit_spec(const std::string& spec, const Dataset& data, Model* init = nullptr,
                                int threads = 1) {
  return fit_learner(CompleteSpec(parse_spec(spec)), view_of(data), Context(threads, 5), init);
}

TEST(Mahr, ContinuingIsTheSameAsNotStopping) {
  const Dataset data = made("linear", 70, 8);
  const auto half = fit_spec("mahr(rounds=9)", data);
  const auto rest = fit_spec("mahr(rounds=11)", data, half.get());
  const auto whole = fit_spec("mahr(rounds=20)", data);
  EXPECT_EQ(rest->predict(view_of(data), Context(1)).scores,
            whole->predict(view_of(data), Context(1)).scores);
  EXPECT_EQ(rest->results()[0].values, whole->results()[0].values);
  EXPECT_EQ(rest->results()[1].values.rows(), 20);
}

// Labels that the filter finished stay finished.
TEST(Mahr, ContinuingFilteredRoundsIsTheSameAsNotStopping) {
  const Dataset data = made("photos", 300, 8);
  const std::string filter = ", filter=true, filter_epsilon=0.3, filter_tau=0.5)";
  const auto half = fit_spec("mahr(rounds=8" + filter, data);
  const auto rest = fit_spec("mahr(rounds=12" + filter, data, half.get());
  const auto whole = fit_spec("mahr(rounds=20" + filter, data);
  EXPECT_EQ(rest->predict(view_of(data), Context(1)).scores,
            whole->predict(view_of(data), Context(1)).scores);
  EXPECT_EQ(rest->results()[0].values, whole->results()[0].values);
  EXPECT_EQ(rest->results()[1].values.rows(), whole->results()[1].values.rows());
}

TEST(Mahr, ContinuingAModelThatStoppedEarlyKeepsOnlyWhatIsBetter) {
  const Dataset data = made("linear", 200, 9);
  const std::string spec = "mahr(rounds=60, validation=0.3, patience=5)";
  const auto model = fit_spec(spec, data);
  const auto more = fit_spec(spec, data, model.get());
  const Matrix before = model->results()[1].values, after = more->results()[1].values;
  ASSERT_GE(after.rows(), before.rows());
  for (Index t = before.rows(); t < after.rows(); ++t)
    EXPECT_LT(after(after.rows() - 1, 3), before(before.rows() - 1, 3)) << t;
}

TEST(Mahr, StopsEarlyAtTheBestHeldOutLoss) {
  const Dataset data = made("linear", 200, 9);
  const auto model = fit_spec("mahr(rounds=400, validation=0.3, patience=20)", data);
  const Index rounds = model->summary().rounds;
  EXPECT_LT(rounds, 400);
  const Matrix curve = model->results()[1].values;
  ASSERT_EQ(curve.rows(), rounds);
  for (Index t = 0; t + 1 < rounds; ++t) EXPECT_GT(curve(t, 3), curve(rounds - 1, 3));
}

// Stumps shared by boosters with other prices of reuse are found again, in any order.
TEST(Mahr, SharedStumpsAreThoseOfABoosterAlone) {
  const Dataset data = made("linear", 150, 12);
  for (const bool dearest_first : {true, false}) {
    mahr::OwnStumps shared;
    std::vector<double> kappas = {1e6, 2, 0.5, 0};
    if (!dearest_first) std::reverse(kappas.begin(), kappas.end());
    for (const double kappa : kappas) {
      const Booster alone = boosted(data, {.kappa = kappa}, 25);
      const Booster sharing = boosted(data, {.kappa = kappa, .shared = &shared}, 25);
      EXPECT_EQ(replayed(sharing, data.x), replayed(alone, data.x)) << kappa;
      EXPECT_EQ(sharing.history().reuse(), alone.history().reuse()) << kappa;
    }
    for (const auto& stumps : shared) EXPECT_EQ(stumps.size(), 25u);  // by the highest price
  }
}

TEST(Mahr, KappaIsChosenByCrossValidation) {
  const Dataset data = made("linear", 90, 10);
  const auto model = fit_spec("mahr(rounds=10, kappa=auto, folds=3)", data, nullptr, 2);
  const auto results = model->results();
  ASSERT_EQ(results.size(), 3u);
  ASSERT_EQ(results[2].values.rows(), 4);
  Index best = 0;
  for (Index k = 1; k < 4; ++k) {
    if (results[2].values(k, 0) < results[2].values(best, 0)) best = k;
  }
  const std::string chosen[] = {"kappa=0", "kappa=2", "kappa=4", "reuse=none"};
  const auto same = fit_spec("mahr(rounds=10, " + chosen[best] + ")", data);
  EXPECT_EQ(model->predict(view_of(data), Context(1)).scores,
            same->predict(view_of(data), Context(1)).scores);
}

TEST(Mahr, PerfectStumpsEndWithoutOverflow) {
  Dataset data;
  data.x = Matrix(4, 1, std::vector<double>{1, 2, 3, 4});
  data.y = Labels(2, {{0}, {0}, {1}, {1}});
  data.label_names = {"a", "b"};
  const auto model = fit_spec("mahr(rounds=3000)", data);
  const Matrix scores = model->predict(view_of(data), Context(1)).scores;
  EXPECT_GT(scores(0, 0), 0);
  EXPECT_LT(scores(3, 0), 0);
  EXPECT_TRUE(std::isfinite(scores(0, 0)));
}

TEST(Mahr, AScoreOfZeroIsANo) {
  Dataset data = made("linear", 50, 14);
  std::vector<std::vector<Id>> labels(50);
  for (std::size_t i = 0; i < 10; ++i) labels[i] = {0};
  data.y = Labels(4, labels);
  // Before the first round: the others never occur, and are right from the start.
  EXPECT_DOUBLE_EQ(booster_for(data, {}).hamming_loss(), 10.0 / 200);
}

TEST(MahrRounds, RoundsThatAreDroppedLeaveNothingBehind) {
  const Stump stump;
  Rounds rounds(1, {0.0});
  rounds.add(1, stump, {});
  rounds.add(1, stump, {.own = 0, .helpers = {0}, .weights = {0.25}});
  rounds.keep(1);
  rounds.add(1, stump, {.own = 0, .helpers = {0}, .weights = {-0.5}});
  EXPECT_EQ(rounds.count(), 2);
  EXPECT_EQ(rounds.helper_weight(0, 0, 0), 0);
  EXPECT_EQ(rounds.helper_weight(1, 0, 0), -0.5);
}

// kappa=auto goes on with the kappa of the model that is continued.
TEST(Mahr, ContinuingKeepsKappa) {
  const Dataset data = made("linear", 90, 15);
  Matrix scores[2];
  for (const std::string kappa : {"0", "4"}) {
    const auto half = fit_spec("mahr(rounds=12, kappa=" + kappa + ")", data);
    const auto rest = fit_spec("mahr(rounds=12, kappa=auto)", data, half.get());
    const auto whole = fit_spec("mahr(rounds=24, kappa=" + kappa + ")", data);
    scores[kappa == "4"] = whole->predict(view_of(data), Context(1)).scores;
    EXPECT_EQ(rest->predict(view_of(data), Context(1)).scores, scores[kappa == "4"]);
  }
  EXPECT_NE(scores[0], scores[1]) << "the data tell nothing";
}

// Two labels that are the same: what the twin says is what the label says, so nothing is reused
// unless reuse is free.
TEST(Mahr, ByDefaultTwinsDoNotRepeatEachOther) {
  Dataset data = made("linear", 300, 17);
  Matrix y = to_dense(data.y);
  for (Index i = 0; i < y.rows(); ++i) y(i, 1) = y(i, 0);
  data.y = labels_from_dense(y);
  const auto between_twins = [&](const std::string& spec) {
    return std::abs(fit_spec(spec, data)->results().at(0).values(0, 1));
  };
  EXPECT_EQ(between_twins("mahr(rounds=30)"), 0);
  EXPECT_GT(between_twins("mahr(rounds=30, kappa=0)"), 0);
  const auto half = fit_spec("mahr(rounds=12)", data);
  const auto rest = fit_spec("mahr(rounds=12)", data, half.get());
  EXPECT_EQ(rest->predict(view_of(data), Context(1)).scores,
            fit_spec("mahr(rounds=24)", data)->predict(view_of(data), Context(1)).scores);
}

// A union of labels is helped by its parts, and is predicted better for it.
TEST(Mahr, ByDefaultPartsStillHelp) {
  GenerateOptions options = find_generator("data-union").defaults;
  options.rows = 2000;
  const Dataset data = generate("data-union", options, Context(1, 5));
  const Matrix reuse = fit_spec("mahr(rounds=30)", data)->results().at(0).values;
  EXPECT_GT(reuse(0, 1) + reuse(0, 2) + reuse(0, 3), 0.1);
}

TEST(Mahr, FoldsWithoutAChoiceAreRefused) {
  const Dataset data = made("linear", 30, 1);
  EXPECT_THROW(fit_spec("mahr(rounds=2, folds=1)", data), Error);
  EXPECT_THROW(fit_spec("mahr(rounds=2, folds=3, kappa=2)", data), Error);
  EXPECT_THROW(fit_spec("mahr(rounds=2, folds=3, reuse=clip)", data), Error);
}

TEST(MahrReuse, TheOwnStumpIsFreeAndNormalisedWeightsSumToOne) {
  // The stump and two labels, each wrong in a different row: together they are right.
  const std::vector<double> weights(4, 0.25), own = {-1, 1, 1, 1}, ahead(4, 1.0);
  const Matrix signs(3, 4, std::vector<double>{1, 1, 1, 1, 1, -1, 1, 1, 1, 1, -1, 1});
  const Mix dear =
      mahr::by_programme(weights, own, signs, ahead, 0, {.reuse = Reuse::clip, .rho = 100});
  EXPECT_GT(dear.own, 0.5);
  EXPECT_TRUE(dear.helpers.empty());
  const Mix shared =
      mahr::by_programme(weights, own, signs, ahead, 0, {.reuse = Reuse::normalised, .rho = 0});
  ASSERT_EQ(shared.helpers, (std::vector<Id>{1, 2}));
  EXPECT_NEAR(shared.own, 1.0 / 3, 1e-9);
  EXPECT_NEAR(shared.weights[0], 1.0 / 3, 1e-9);
  EXPECT_NEAR(shared.weights[1], 1.0 / 3, 1e-9);
}

// The search for kappa against models trained fold by fold: weights count, missing cells do not.
TEST(Mahr, KappaIsJudgedByTheWeightedLossOfObservedCells) {
  Dataset data = made("linear", 90, 16);
  Matrix y = to_dense(data.y);
  for (Index i = 0; i < 90; ++i) {
    data.weights.push_back(i % 3 == 0 ? 3 : 0.5);
    if (i % 4 == 0) y(i, i % 3) = std::nan("");
  }
  data.y = labels_from_dense(y);
  const Context ctx(1, 5);
  const auto results = fit_spec("mahr(rounds=8, kappa=auto, folds=3)", data)->results();
  ASSERT_EQ(results.size(), 3u);
  const char* tried[] = {"kappa=0", "kappa=2", "kappa=4", "reuse=none"};
  double all = 0;
  for (const double w : data.weights) all += w;
  for (Index k = 0; k < 4; ++k) {
    double expected = 0;
    for (const Fold& fold : k_folds(data.y, {.folds = 3}, ctx)) {
      const Dataset train = take_rows(data, fold.train), test = take_rows(data, fold.test);
      const auto model = fit_spec("mahr(rounds=8, " + std::string(tried[k]) + ")", train);
      const Matrix scores = model->predict({.x = &test.x}, ctx).scores;
      double wrong = 0, cells = 0, mass = 0;
      for (Index i = 0; i < test.rows(); ++i) {
        const double w = test.weights[at(i)];
        mass += w;
        for (Index l = 0; l < 4; ++l) {
          if (test.y.cell(i, l) == Cell::missing) continue;
          cells += w;
          if ((scores(i, l) > 0) != (test.y.cell(i, l) == Cell::positive)) wrong += w;
        }
      }
      expected += wrong / cells * mass / all;
    }
    EXPECT_NEAR(results[2].values(k, 0), expected, 1e-12) << tried[k];
  }
}

TEST(Mahr, TellsTheShareOfLabelsThatReuse) {
  const Dataset data = made("linear", 80, 17);
  Booster booster = booster_for(data, {});
  double most = 0;
  for (Index t = 0; t < 15 && booster.add_round(Context(1)); ++t) {
    double reusing = 0;
    for (Index l = 0; l < 4; ++l) {
      double helped = 0;
      for (Index k = 0; k < 4; ++k) helped += std::abs(booster.rounds().helper_weight(t, l, k));
      reusing += helped > 0 ? 1 : 0;
    }
    EXPECT_EQ(booster.history().reused(), reusing / 4) << t;
    most = std::max(most, reusing);
  }
  EXPECT_GT(most, 0);
}

}  // namespace
}  // namespace mulberry::learners
