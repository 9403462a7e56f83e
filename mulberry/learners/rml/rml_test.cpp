#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/learners/rml/costs.hpp"
#include "mulberry/learners/rml/cut.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/dense/standardise.hpp"
#include "mulberry/math/linear/linear.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/learner.hpp"
#include "mulberry/resample/split.hpp"
#include "mulberry/resample/thresholds.hpp"
#include "tests/support/linear_objective.hpp"
#include "tests/support/places.hpp"

namespace mulberry::learners {
using namespace tests;
namespace {

Dataset made_up(Index rows = 120, Index labels = 4, double sparsity = 0) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = 8;
  options.labels = labels;
  options.sparsity = sparsity;
  options.cardinality = 0.4 * static_cast<double>(labels);
  return generate("linear", options, Context(1, 3));
}

std::unique_ptr<Model> fit(const std::string& spec, const Dataset& data, const Context& ctx) {
  return fit_learner(CompleteSpec(parse_spec(spec)), view_of(data), ctx);
}

const Result& find_result(const std::vector<Result>& results, const std::string& id) {
  for (const Result& r : results) {
    if (r.id == id) return r;
  }
  throw std::runtime_error("no result " + id);
}

double macro_f1(const Dataset& test, const Prediction& prediction) {
  const Labels decided = decide(prediction);
  return measure("macro_f1", test.y, {.decided = &decided}, {}, Context()).value;
}

double hamming_loss(const Dataset& test, const Prediction& prediction) {
  const Labels decided = decide(prediction);
  return measure("hamming_loss", test.y, {.decided = &decided}, {}, Context()).value;
}

TEST(Rml, SameBitsForAnyNumberOfThreads) {
  const Dataset data = made_up(80, 3, 0.5);
  for (const char* spec : {"rml(folds=3)", "rml(measure=hamming, folds=2, features=labels)",
                           "rml(folds=2, bound=ramp)"}) {
    const auto one = fit(spec, data, Context(1, 5))->predict(view_of(data), Context(1));
    const auto eight = fit(spec, data, Context(8, 5))->predict(view_of(data), Context(8));
    EXPECT_EQ(one.scores, eight.scores) << spec;
  }
}

TEST(Rml, EveryLabelIsCertified) {
  const Dataset data = made_up();
  for (const char* name : {"f1", "fbeta, beta=0.3", "precision", "recall", "hamming"}) {
    for (const char* cost : {"C=0.1", "C=10", "lam=0.5"}) {
      const auto model = fit("rml(measure=" + std::string(name) + ", " + cost + ", tolerance=1e-6)",
                             data, Context());
      EXPECT_TRUE(model->summary().converged);
      EXPECT_LE(model->summary().gap, 1e-6);
      const auto results = model->results();
      MatrixView values = find_result(results, "certificate").values;
      ASSERT_EQ(values.rows(), 4);
      double most = 0;
      for (Index l = 0; l < 4; ++l) most = std::max(most, values(l, 3));
      EXPECT_GT(most, 0);
      EXPECT_EQ(model->summary().gap, most);
      for (Index l = 0; l < 4; ++l) {
        EXPECT_LE(values(l, 2), values(l, 1));
        EXPECT_EQ(values(l, 5), 1);
      }
    }
  }
}

// lam is the paper's constant: lambda of a label is labels x lam, and C = rows / lambda.
TEST(Rml, LamIsAnotherScaleOfC) {
  const Dataset data = made_up();
  const auto by_lam = fit("rml(lam=0.6)", data, Context())->predict(view_of(data), Context());
  const auto by_cost = fit("rml(C=50)", data, Context())->predict(view_of(data), Context());
  for (Index i = 0; i < data.rows(); ++i) {
    EXPECT_NEAR(by_lam.scores(i, 0), by_cost.scores(i, 0), 1e-9);
  }
}

TEST(Rml, HammingIsALinearSvm) {
  const Dataset data = made_up();
  rml::Settings settings;
  settings.loss = SetLoss(SetMeasure::hamming);
  settings.tolerance = 1e-8;
  std::vector<Id> rows(120);
  std::iota(rows.begin(), rows.end(), Id{0});
  const double costs[] = {0.1, 2.0};
  const LinearOptions svm{
      .loss = Loss::hinge, .bias = Bias::regularised, .tolerance = 1e-6, .max_iterations = 100000};
  for (Index l = 0; l < 4; ++l) {
    const rml::Cells cells = rml::observed_cells(data.y, l, rows);
    std::vector<std::int8_t> sign(120);
    for (std::size_t i = 0; i < 120; ++i) sign[i] = cells.truth[i] != 0 ? 1 : -1;
    for (const bool sparse : {false, true}) {  // the bundle, and the solver of SVMs
      const Features x = sparse ? Features(to_sparse(data.x)) : data.x;
      rml::train_column(
          x, cells, l, settings, costs, Context(), [&](std::size_t k, const rml::Scorer& scorer) {
            const std::vector<double> cost(120, costs[k]);
            const LinearResult other = solve_linear(data.x, sign, cost, svm, Context());
            EXPECT_NEAR(other.certificate.objective / (costs[k] * 120), scorer.objective,
                        1e-6 * scorer.objective);
            std::vector<double> w = scorer.w;
            for (double& v : w) v *= 120;
            EXPECT_NEAR(
                tests::reference::linear_objective(data.x, sign, cost, svm, w, 120 * scorer.b),
                other.certificate.objective, 1e-6 * other.certificate.objective);
          });
    }
  }
}

TEST(Rml, ChoosesCAndShowsWhatWasTried) {
  const Dataset data = made_up();
  const auto results = fit("rml", data, Context())->results();
  const Result& tried = find_result(results, "cost_search");
  const Result& by_label = find_result(results, "cost_search_labels");
  ASSERT_EQ(tried.values.rows(), 6);
  EXPECT_EQ(tried.row_names.front(), "C=0.01");
  Index best = 0;
  for (Index c = 0; c < 6; ++c) {
    double mean = 0;
    for (Index l = 0; l < 4; ++l) mean += by_label.values(c, l) / 4;
    EXPECT_NEAR(mean, tried.values(c, 0), 1e-12);
    if (tried.values(c, 0) > tried.values(best, 0)) best = c;
  }
  MatrixView certificate = find_result(results, "certificate").values;
  EXPECT_DOUBLE_EQ(certificate(0, 0), std::pow(10.0, static_cast<double>(best) - 2));
  const auto each = fit("rml(per_label_C=true)", data, Context())->results();
  for (Index l = 0; l < 4; ++l) {
    const double cost = find_result(each, "certificate").values(l, 0);
    const auto chosen = static_cast<Index>(std::lround(std::log10(cost))) + 2;
    for (Index c = 0; c < 6; ++c) EXPECT_GE(by_label.values(chosen, l), by_label.values(c, l));
  }
}

// With cut=held_out a C is judged by what its scores are worth after their cuts. The reference
// trains the scorers of each fold one after the other and cuts by the scores of the other folds.
TEST(Rml, ChoosesCByWhatItsScoresAreWorthAfterTheirCuts) {
  const Dataset data = made_up();
  const Context ctx(1, 3);
  for (const SetMeasure measure : {SetMeasure::fbeta, SetMeasure::hamming}) {
    rml::Settings settings;
    settings.loss = SetLoss(measure, 2);
    settings.tolerance = 1e-2;
    settings.max_iterations = 200;
    const auto found = rml::search_costs(data.x, data.y, settings, 3, true, ctx);
    const auto at_zero = rml::search_costs(data.x, data.y, settings, 3, false, ctx);
    const auto folds = k_folds(data.y, {.folds = 3}, ctx);
    const Index n = data.x.rows(), labels = data.y.count();
    std::vector<Matrix> scores(found.costs.size(), Matrix(n, labels));
    for (const Fold& fold : folds) {
      for (Index l = 0; l < labels; ++l) {
        rml::train_column(data.x, rml::observed_cells(data.y, l, fold.train), l, settings,
                          found.costs, ctx, [&](std::size_t c, const rml::Scorer& scorer) {
                            const auto column = rml::column_scores(data.x, fold.test, scorer);
                            for (std::size_t k = 0; k < column.size(); ++k)
                              scores[c](fold.test[k], l) = column[k];
                          });
      }
    }
    bool differs = false;
    for (std::size_t c = 0; c < scores.size(); ++c) {
      for (Index l = 0; l < labels; ++l) {
        double tp = 0, selected = 0, positives = 0, right = 0;
        for (const Fold& fold : folds) {
          Matrix others(count_of(fold.train), labels);
          for (Index k = 0; k < others.rows(); ++k) {
            for (Index j = 0; j < labels; ++j)
              others(k, j) = scores[c](fold.train[static_cast<std::size_t>(k)], j);
          }
          const auto cuts =
              rml::held_out_cuts(others, take_rows(data.y, fold.train), settings, ctx);
          for (const Id i : fold.test) {
            const bool truth = data.y.cell(i, l) == Cell::positive;
            const bool yes = scores[c](i, l) - cuts[static_cast<std::size_t>(l)] >= 0;
            tp += truth && yes ? 1 : 0;
            selected += yes ? 1 : 0;
            positives += truth ? 1 : 0;
            right += truth == yes ? 1 : 0;
          }
        }
        const double value = measure == SetMeasure::hamming ? right / static_cast<double>(n)
                                                            : 5 * tp / (4 * positives + selected);
        const auto row = static_cast<Index>(c);
        EXPECT_NEAR(found.value(row, l), value, 1e-12) << "C " << found.costs[c] << " label " << l;
        differs = differs || std::abs(found.value(row, l) - at_zero.value(row, l)) > 1e-9;
      }
    }
    EXPECT_TRUE(differs) << "no cut moved anything";
  }
}

TEST(Rml, CrossValidationCountsHeldOutRows) {
  // The label is the sign of the only feature: a C of 1 or more separates it, and every held-out
  // row is right; for a small C the constant wins and every row is selected.
  Matrix x(20, 1);
  std::vector<std::vector<Id>> positives(20);
  for (Index i = 0; i < 20; ++i) {
    x(i, 0) = i < 8 ? 1 : -1;
    if (i < 8) positives[at(i)] = {0};
  }
  const Features features = x;
  const auto search =
      rml::search_costs(features, Labels(2, positives), rml::Settings{}, 4, false, Context());
  // Label 1 has no row and is left out.
  EXPECT_NEAR(search.mean[0], 16.0 / 28, 1e-12);
  for (std::size_t c = 2; c < 6; ++c) EXPECT_EQ(search.mean[c], 1);
  EXPECT_TRUE(std::isnan(search.value(0, 1)));
  EXPECT_EQ(search.best(), 1);
}

TEST(Rml, MissingCellsLeaveTheProblem) {
  const Dataset data = made_up(60, 1);
  // These rows and 30 more with missing cells and nonsensical features.
  Matrix x(90, 8, 1e3);
  std::vector<std::vector<Id>> positives(90), missing(90);
  for (Index i = 0; i < 90; ++i) {
    if (i >= 60) {
      missing[at(i)] = {0};
      continue;
    }
    for (Index j = 0; j < 8; ++j) x(i, j) = data.x.at(i, j);
    const auto row = data.y.row(i);
    positives[at(i)].assign(row.begin(), row.end());
  }
  Dataset holes = data;
  holes.x = x;
  holes.y = Labels(1, positives, missing);
  const auto a = fit("rml(C=1)", data, Context())->predict(view_of(data), Context());
  const auto b = fit("rml(C=1)", holes, Context())->predict(view_of(data), Context());
  EXPECT_EQ(a.scores, b.scores);
}

Dataset hopeless() {
  Dataset data;
  data.x = Matrix(6, 2, std::vector<double>{1, 2, 1, 2, 3, 1, 3, 1, 0, 1, 0, 1});
  data.y = Labels(1, {{0}, {}, {0}, {}, {}, {}});
  data.label_names = {"a"};
  return data;
}

TEST(Rml, TieRule) {
  const Dataset data = hopeless();
  const auto predicted = [&](const std::string& spec) {
    return decide(fit(spec, data, Context())->predict(view_of(data), Context())).positives();
  };
  EXPECT_EQ(predicted("rml(C=1)"), 6);
  EXPECT_EQ(predicted("rml(C=1, tie=none)"), 0);
  EXPECT_EQ(predicted("rml(C=1, measure=recall)"), 6);
  EXPECT_EQ(predicted("rml(C=1, measure=precision)"), 0);
  EXPECT_EQ(predicted("rml(C=1, measure=precision, tie=all)"), 6);
  EXPECT_EQ(find_result(fit("rml(C=1)", data, Context())->results(), "certificate").values(0, 6),
            1);
}

TEST(Rml, FallbackServesDegenerateLabels) {
  const Dataset data = hopeless();
  const auto model = fit("rml(C=1, fallback=hamming)", data, Context());
  EXPECT_EQ(find_result(model->results(), "certificate").values(0, 6), 1);
  const auto prediction = model->predict(view_of(data), Context());
  const double plain =
      macro_f1(data, fit("rml(C=1)", data, Context())->predict(view_of(data), Context()));
  EXPECT_GT(macro_f1(data, prediction), plain);
}

// The labels of 200 rows that one feature in two knows something about, and rarely enough for the
// convex optimum of the second to be 0.
Dataset noisy() {
  Dataset data;
  Matrix x(200, 2);
  std::vector<std::vector<Id>> positives(200);
  Random rng(8, "noisy");
  for (Index i = 0; i < 200; ++i) {
    x(i, 0) = rng.normal();
    x(i, 1) = rng.normal();
    if (x(i, 0) + 0.3 * rng.normal() > 0.4) positives[at(i)].push_back(0);
    if (rng.chance(x(i, 1) > 0 ? 0.4 : 0.1)) positives[at(i)].push_back(1);
  }
  data.x = x;
  data.y = Labels(2, positives);
  data.label_names = {"clear", "noisy"};
  return data;
}

TEST(Rml, TheTighterBoundGivesScorersToNoisyLabels) {
  const Dataset data = noisy();
  const auto convex = fit("rml(C=10)", data, Context());
  EXPECT_EQ(find_result(convex->results(), "certificate").values(1, 6), 1);
  const auto ramp = fit("rml(C=10, bound=ramp)", data, Context());
  EXPECT_EQ(find_result(ramp->results(), "certificate").values(1, 6), 0);
  const auto before = convex->predict(view_of(data), Context());
  const auto after = ramp->predict(view_of(data), Context());
  EXPECT_EQ(decide(before).column(1).size(), 200u);
  EXPECT_LT(decide(after).column(1).size(), 150u);
  EXPECT_GT(macro_f1(data, after), macro_f1(data, before) + 0.02);
  EXPECT_LT(hamming_loss(data, after), hamming_loss(data, before) - 0.1);
}

TEST(Rml, ABalancedMachineServesDegenerateLabels) {
  const Dataset data = noisy();
  const auto model = fit("rml(C=10, fallback=balanced, tolerance=1e-6)", data, Context());
  EXPECT_EQ(find_result(model->results(), "certificate").values(1, 6), 1);
  const Matrix scores = model->predict(view_of(data), Context()).scores;
  const Matrix plain =
      fit("rml(C=10, tolerance=1e-6)", data, Context())->predict(view_of(data), Context()).scores;
  // The machine by another solver, with the costs given row by row.
  const auto ones = data.y.column(1);
  const auto copies = static_cast<double>((200 - ones.size()) / ones.size());
  std::vector<std::int8_t> sign(200, -1);
  std::vector<double> cost(200, 10);
  for (const Id i : ones) {
    sign[at(i)] = 1;
    cost[at(i)] = 10 * copies;
  }
  ASSERT_GT(copies, 1);
  const LinearResult other = solve_linear(
      data.x, sign, cost,
      {.loss = Loss::hinge, .bias = Bias::regularised, .tolerance = 1e-8, .max_iterations = 100000},
      Context());
  const double rows = 200 + (copies - 1) * static_cast<double>(ones.size());
  for (Index i = 0; i < 200; ++i) {
    EXPECT_EQ(scores(i, 0), plain(i, 0)) << "a label with a scorer keeps it";
    const double expected = other.w[0] * data.x.at(i, 0) + other.w[1] * data.x.at(i, 1) + other.b;
    EXPECT_NEAR(scores(i, 1) * rows, expected, 1e-2);
  }
  for (const char* more : {", kernel=rbf", ", features=labels"}) {
    const auto same =
        fit("rml(C=0.1, fallback=balanced" + std::string(more) + ")", data, Context());
    EXPECT_LT(decide(same->predict(view_of(data), Context())).column(1).size(), 200u) << more;
  }
}

TEST(Rml, StepsOfTheTighterBoundNeverGoUp) {
  const Dataset data = made_up(100, 4);
  for (const char* more : {"", ", measure=hamming", ", kernel=rbf", ", features=labels",
                           ", features=labels, kernel=rbf", ", cut=held_out, fallback=hamming",
                           ", measure=fbeta, beta=0.3, per_label_C=true, folds=2"}) {
    const std::string searched =
        std::string(more).find("per_label") == std::string::npos ? ", C=5" : "";
    const auto model = fit("rml(bound=ramp" + searched + more + ")", data, Context(2));
    const auto results = model->results();
    MatrixView steps = find_result(results, "steps").values;
    MatrixView certificate = find_result(results, "certificate").values;
    ASSERT_EQ(steps.rows(), 4) << more;
    for (Index l = 0; l < 4; ++l) {
      double last = steps(l, 0);
      for (Index k = 1; k < steps.cols() && !std::isnan(steps(l, k)); ++k) {
        EXPECT_LE(steps(l, k), last + 1e-9) << more;
        last = steps(l, k);
      }
      EXPECT_EQ(certificate(l, 1), last) << more;
      EXPECT_TRUE(std::isnan(certificate(l, 2))) << "there is no lower bound";
      EXPECT_EQ(certificate(l, 5), 1) << more;
    }
    EXPECT_TRUE(model->summary().converged) << more;
    EXPECT_TRUE(std::isnan(model->summary().gap)) << more;
  }
}

TEST(Rml, OtherLabelsAsFeatures) {
  // Rows lie on a circle. Labels 0 and 1 are half-planes; label 2 is "both or neither", which no
  // line separates, but the scores of the others help.
  Dataset data;
  Matrix x(200, 2);
  std::vector<std::vector<Id>> positives(200);
  Random rng(4, "circle");
  for (Index i = 0; i < 200; ++i) {
    const double angle = rng.uniform(0, 6.283185307179586);
    x(i, 0) = std::cos(angle);
    x(i, 1) = std::sin(angle);
    auto& row = positives[at(i)];
    if (x(i, 0) > 0) row.push_back(0);
    if (x(i, 1) > 0.2) row.push_back(1);
    if (x(i, 0) > 0 && x(i, 1) > 0.2) row.push_back(2);
  }
  data.x = x;
  data.y = Labels(3, positives);
  data.label_names = {"right", "top", "both"};
  const auto model = fit("rml(C=10, features=labels)", data, Context());
  const auto results = model->results();
  EXPECT_EQ(find_result(results, "first_certificate").values.rows(), 3);
  MatrixView certificate = find_result(results, "certificate").values;
  MatrixView first = find_result(results, "first_certificate").values;
  for (Index l = 0; l < 3; ++l) EXPECT_LE(certificate(l, 2), first(l, 1) + 1e-9);
  EXPECT_GT(macro_f1(data, model->predict(view_of(data), Context())), 0.9);
}

// A label that no training row has is answered "no" by a constant.
TEST(Rml, OtherLabelsAsFeaturesIgnoreLabelsWithoutPositives) {
  const Dataset data = made_up(123, 3);
  Dataset more = data;
  std::vector<std::vector<Id>> positives;
  for (Index i = 0; i < data.rows(); ++i) {
    const auto row = data.y.row(i);
    positives.emplace_back(row.begin(), row.end());
  }
  more.y = Labels(5, positives);
  more.label_names.insert(more.label_names.end(), {"never", "neither"});
  for (const char* kernel : {"", ", kernel=rbf"}) {
    const std::string spec = "rml(C=1, features=labels" + std::string(kernel) + ")";
    const auto alone = fit(spec, data, Context());
    const auto model = fit(spec, more, Context());
    EXPECT_TRUE(model->summary().converged) << spec;
    EXPECT_NEAR(macro_f1(data, alone->predict(view_of(data), Context())) * 3 / 5,
                macro_f1(more, model->predict(view_of(more), Context())), 0.02)
        << spec;
  }
}

// A huge column keeps the scorer at 0 for many iterations, which says nothing about other scorers.
TEST(Rml, AScorerThatIsNotFinishedIsNotCalledTheBest) {
  Dataset data = made_up();
  Matrix huge(data.rows(), 1);
  for (Index i = 0; i < data.rows(); ++i) huge(i, 0) = i % 2 == 0 ? 1e14 : -1e14;
  data.x = append_columns(data.x, huge);
  const auto model = fit("rml(C=1, max_iterations=50)", data, Context());
  const auto results = model->results();
  MatrixView certificate = find_result(results, "certificate").values;
  ASSERT_FALSE(model->summary().converged);
  for (Index l = 0; l < 4; ++l) {
    EXPECT_TRUE(certificate(l, 5) == 1 || certificate(l, 6) == 0);
  }
  const auto scores = model->predict(view_of(data), Context()).scores;
  EXPECT_EQ(scores(0, 0), std::numeric_limits<double>::min()) << "a scorer that is not 0";
  for (const std::string& remark : model->summary().remarks) {
    EXPECT_EQ(remark.find("better than 0"), std::string::npos) << remark;
  }
}

TEST(Rml, ALinearKernelIsTheLinearScorer) {
  const Dataset data = made_up(60, 2);
  std::vector<Id> rows(60);
  std::iota(rows.begin(), rows.end(), Id{0});
  const KernelMatrix values({.kind = KernelKind::linear}, data.x, KernelStorage::f64, Context());
  const double costs[] = {0.5, 20};
  for (const SetMeasure measure : {SetMeasure::fbeta, SetMeasure::hamming}) {
    rml::Settings settings;
    settings.loss = SetLoss(measure);
    settings.tolerance = 1e-8;
    // A part of the rows, as in a fold.
    const rml::Cells cells = rml::observed_cells(data.y, 0, std::span(rows).first(45));
    std::vector<rml::Scorer> plain, kernel;
    rml::train_column(data.x, cells, 0, settings, costs, Context(),
                      [&](std::size_t, rml::Scorer s) { plain.push_back(std::move(s)); });
    rml::train_column(rml::Inputs(values), cells, 0, settings, costs, Context(),
                      [&](std::size_t, rml::Scorer s) { kernel.push_back(std::move(s)); });
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(plain[k].objective, kernel[k].objective, 1e-7);
      const auto a = rml::column_scores(data.x, rows, plain[k]);
      const auto b = rml::column_scores(rml::Inputs(values), rows, kernel[k]);
      for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << i;
    }
  }
}

// Label 0: inside a circle; label 1: outside. No line tells them apart.
Dataset circle(Index rows) {
  Dataset data;
  Matrix x(rows, 2);
  std::vector<std::vector<Id>> positives(at(rows));
  Random rng(6, "circle");
  for (Index i = 0; i < rows; ++i) {
    x(i, 0) = rng.uniform(-1, 1);
    x(i, 1) = rng.uniform(-1, 1);
    const bool inside = x(i, 0) * x(i, 0) + x(i, 1) * x(i, 1) < 0.5;
    positives[at(i)] = {inside ? 0 : 1};
  }
  data.x = x;
  data.y = Labels(2, positives);
  data.label_names = {"inside", "outside"};
  return data;
}

TEST(Rml, KernelsDrawCircles) {
  const Dataset data = circle(300);
  std::vector<Id> first(200), rest(100);
  std::iota(first.begin(), first.end(), Id{0});
  std::iota(rest.begin(), rest.end(), Id{200});
  const Dataset train = take_rows(data, first), test = take_rows(data, rest);
  const auto f1 = [&](const std::string& spec) {
    return macro_f1(test, fit(spec, train, Context(2))->predict(view_of(test), Context(2)));
  };
  EXPECT_LT(f1("rml(C=10)"), 0.8);
  EXPECT_GT(f1("rml(kernel=rbf, C=100)"), 0.93);
  EXPECT_GT(f1("rml(kernel=polynomial, degree=2, C=100)"), 0.93);
  // Nothing is stored: slower, with equal results up to rounding.
  EXPECT_GT(f1("rml(kernel=rbf, C=100, tolerance=0.1, memory=0)"), 0.9);
}

TEST(Rml, PrecomputedEqualsTheKernelItWasComputedBy) {
  const Dataset data = circle(60);
  const KernelMatrix values({.kind = KernelKind::rbf, .gamma = 2}, data.x, KernelStorage::f64,
                            Context());
  Dataset given = data;
  Matrix k(60, 60);
  values.copy_rows(0, blas::block(k));
  given.x = k;
  std::vector<Id> part(40);
  std::iota(part.begin(), part.end(), Id{10});
  View some = view_of(data), some_given = view_of(given);
  some.all = some_given.all = false;
  some.rows = some_given.rows = part;
  const auto a =
      fit_learner(CompleteSpec(parse_spec("rml(kernel=rbf, width=2, C=10)")), some, Context());
  const auto b =
      fit_learner(CompleteSpec(parse_spec("rml(kernel=precomputed, C=10)")), some_given, Context());
  const Matrix one = a->predict(view_of(data), Context()).scores;
  const Matrix two = b->predict(view_of(given), Context()).scores;
  for (Index i = 0; i < 60; ++i) EXPECT_NEAR(one(i, 0), two(i, 0), 1e-9);
}

// A linear kernel with additional scores must equal the linear learner with the same scores.
TEST(Rml, LabelScoresBesideAKernel) {
  const Dataset data = made_up(60, 3);
  Dataset given = data;
  Matrix products(60, 60);
  const FixedMatrix x = to_dense(data.x);
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 60; ++j) products(i, j) = blas::dot(x.row(i), x.row(j));
  }
  given.x = std::move(products);
  const std::string rest = "features=labels, C=10, tolerance=1e-8)";
  const Matrix one = fit("rml(" + rest, data, Context())->predict(view_of(data), Context()).scores;
  const auto model = fit("rml(kernel=precomputed, " + rest, given, Context(2));
  const Matrix two = model->predict(view_of(given), Context()).scores;
  double largest = 0;
  for (const double v : one.values()) largest = std::max(largest, std::abs(v));
  for (Index i = 0; i < 60; ++i) {
    for (Index l = 0; l < data.labels(); ++l) EXPECT_NEAR(one(i, l), two(i, l), 1e-3 * largest);
  }
  const Matrix plain = fit("rml(kernel=precomputed, C=10, tolerance=1e-8)", given, Context())
                           ->predict(view_of(given), Context())
                           .scores;
  EXPECT_NE(plain(0, 0), two(0, 0));  // the scores of others do something
}

TEST(Rml, RefusesContradictions) {
  const Dataset data = made_up(20, 2);
  for (const char* spec :
       {"rml(C=1, lam=1)", "rml(beta=2)", "rml(C=1, per_label_C=true)", "rml(C=0)",
        "rml(measure=fbeta, beta=-1)", "rml(degree=2)", "rml(kernel=precomputed)"}) {
    EXPECT_THROW(fit(spec, data, Context()), Error) << spec;
  }
}

TEST(Rml, OneRowAndLabelsOfOneKind) {
  Dataset data;
  data.x = Matrix(1, 1, std::vector<double>{2});
  data.y = Labels(2, {{0}});
  data.label_names = {"a", "b"};
  const auto prediction = fit("rml", data, Context())->predict(view_of(data), Context());
  EXPECT_GT(prediction.scores(0, 0), 0);
  EXPECT_LT(prediction.scores(0, 1), 0);
}

// Published: 0.2252 (Hamming loss, emotions). The features need a common scale.
TEST(Rml, EmotionsHammingLoss) {
  const std::string folder = places::real_data() + "/emotions/emotions-";
  if (!std::filesystem::exists(folder + "train.arff")) GTEST_SKIP() << "no data in " << folder;
  const ReadOptions options{.label_xml = places::real_data() + "/emotions/emotions.xml"};
  Dataset train = read_dataset(folder + "train.arff", options);
  Dataset test = read_dataset(folder + "test.arff", options);
  const Standardiser scale(train.x);
  train.x = scale.apply(train.x);
  test.x = scale.apply(test.x);
  const Context ctx(2);
  const auto model = fit("rml(measure=hamming)", train, ctx);
  EXPECT_LE(model->summary().gap, 1e-3);
  EXPECT_LE(hamming_loss(test, model->predict(view_of(test), ctx)), 0.2252);
}

// Published: 0.440 (macro-F1, yeast).
TEST(Rml, YeastMacroF1) {
  const std::string folder = places::real_data() + "/yeast/yeast";
  if (!std::filesystem::exists(folder + ".xml")) GTEST_SKIP() << "no data in " << folder;
  const ReadOptions options{.label_xml = folder + ".xml"};
  const Dataset train = read_dataset(folder + "-train.arff.gz", options);
  const Dataset test = read_dataset(folder + "-test.arff", options);
  const Context ctx(2);
  const auto model = fit("rml(C=1)", train, ctx);  // what C=auto chooses here
  EXPECT_LE(model->summary().gap, 1e-3);
  EXPECT_GE(macro_f1(test, model->predict(view_of(test), ctx)), 0.440);
}

TEST(Rml, TheBestCostsByHand) {
  const double none = std::nan("");
  const rml::CostSearch search{
      .costs = {0.1, 1, 10},
      .mean = {0.4, 0.6, 0.6},
      .value = Matrix(3, 3, std::vector<double>{0.2, none, 0.6, 0.9, none, 0.6, 0.9, none, 0.6})};
  EXPECT_EQ(search.best(), 1);  // the smaller of two that are as good
  EXPECT_EQ(search.best_by_label(), (std::vector<double>{1, 1, 0.1}));
}

// The cut of every label against models of the same folds, one by one.
TEST(Rml, CutsAreThoseOfHeldOutScores) {
  Dataset data = generate(
      "linear",
      [] {
        GenerateOptions options = find_generator("linear").defaults;
        options.rows = 80;
        options.features = 4;
        options.labels = 3;
        options.cardinality = 0.7;
        return options;
      }(),
      Context(1, 3));
  const Context ctx(1, 4);
  for (const std::string words :
       {"", ", kernel=rbf, width=2", ", fallback=hamming", ", measure=hamming"}) {
    const std::string plain = "rml(C=5, tolerance=1e-6" + words;
    const auto cut =
        fit_learner(CompleteSpec(parse_spec(plain + ", cut=held_out)")), view_of(data), ctx);
    const auto zero = fit_learner(CompleteSpec(parse_spec(plain + ")")), view_of(data), ctx);
    Matrix held(80, 3);
    for (const Fold& fold : k_folds(data.y, {.folds = 5}, ctx)) {
      const Dataset seen = take_rows(data, fold.train), unseen = take_rows(data, fold.test);
      const Matrix scores = fit_learner(CompleteSpec(parse_spec(plain + ")")), view_of(seen), ctx)
                                ->predict(view_of(unseen), ctx)
                                .scores;
      for (std::size_t k = 0; k < fold.test.size(); ++k) {
        for (Index l = 0; l < 3; ++l) held(fold.test[k], l) = scores(static_cast<Index>(k), l);
      }
    }
    const auto right = [&](Index l, double above) {
      double out = 0;
      for (Index i = 0; i < 80; ++i)
        out += (held(i, l) > above) == (data.y.cell(i, l) == Cell::positive) ? 1 : 0;
      return out;
    };
    // The rule of threshold(cut=macro_f), on scores of rows that the scorer has not seen.
    const auto shrunk = resample::learn_thresholds(
        held, data.y, {.method = resample::CutMethod::macro_f, .cut = 0, .shrink = 10}, ctx);
    const Matrix with = cut->predict(view_of(data), ctx).scores;
    const Matrix without = zero->predict(view_of(data), ctx).scores;
    for (Index l = 0; l < 3; ++l) {
      const double moved = without(0, l) - with(0, l);
      for (Index i = 1; i < 80; ++i) EXPECT_NEAR(without(i, l) - with(i, l), moved, 1e-9);
      if (words == ", measure=hamming") {
        double best = right(l, 0);
        for (Index i = 0; i < 80; ++i) best = std::max(best, right(l, held(i, l) - 1e-12));
        EXPECT_EQ(right(l, moved), best) << plain << " label " << l;
      } else {
        EXPECT_NEAR(moved, shrunk.cut[static_cast<std::size_t>(l)], 1e-9)
            << plain << " label " << l;
      }
    }
  }
  EXPECT_THROW(fit_learner(CompleteSpec(parse_spec("rml(measure=recall, cut=held_out)")),
                           view_of(data), ctx),
               Error);
}

}  // namespace
}  // namespace mulberry::learners
