#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/math/kernels/kernel_matrix.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/learner.hpp"
#include "mulberry/resample/split.hpp"
#include "tests/support/libsvm.hpp"

namespace mulberry::learners {
using namespace tests;
namespace {

Dataset make_data(Index rows, std::uint64_t seed = 1) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = 5;
  options.labels = 3;
  options.cardinality = 1.2;
  return generate("linear", options, Context(1, seed));
}

Matrix scores(const std::string& spec, const View& train, const View& test,
              const Context& ctx = Context(2)) {
  return fit_learner(CompleteSpec(parse_spec(spec)), train, ctx)->predict(test, ctx).scores;
}
Matrix scores(const std::string& spec, const Dataset& data) {
  return scores(spec, view_of(data), view_of(data));
}

double largest_difference(MatrixView a, MatrixView b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  double out = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index l = 0; l < a.cols(); ++l) out = std::max(out, std::abs(a(i, l) - b(i, l)));
  }
  return out;
}

double rbf(std::span<const double> x, std::span<const double> y, double gamma) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return std::exp(-gamma * sum);
}

Matrix kernel_of(MatrixView a, MatrixView b, double gamma) {
  Matrix out(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.rows(); ++j) out(i, j) = rbf(a.row(i), b.row(j), gamma);
  }
  return out;
}

TEST(Svm, EveryLabelAgreesWithLibsvm) {
  const Dataset train = make_data(160), test = make_data(50, 2);
  const Matrix ours = scores("svm(C=3, width=0.4, tolerance=1e-5)", view_of(train), view_of(test));
  const FixedMatrix x = to_dense(train.x), z = to_dense(test.x);
  const Matrix k = kernel_of(z, x, 0.4);
  const KernelMatrix values({.kind = KernelKind::rbf, .gamma = 0.4}, train.x, KernelStorage::f32,
                            Context());
  reference::Libsvm peer(values.floats());
  for (Index l = 0; l < 3; ++l) {
    std::vector<std::int8_t> y(160, -1);
    for (const Id i : train.y.column(l)) y[at(i)] = 1;
    const auto fitted = peer.solve(y, 3, 1, 1e-5);
    for (Index i = 0; i < 50; ++i) {
      double expected = fitted.bias;
      for (Index j = 0; j < 160; ++j) expected += fitted.c[at(j)] * k(i, j);
      EXPECT_NEAR(ours(i, l), expected, 1e-3);
    }
  }
}

TEST(Svm, KernelsGivenOrComputedWithinAnyMemory) {
  const Dataset data = make_data(90);
  const Matrix expected = scores("svm(width=0.4, tolerance=1e-5)", data);
  EXPECT_LT(largest_difference(scores("svm(width=0.4, tolerance=1e-5, memory=0)", data), expected),
            1e-3);
  Dataset given = data;
  const FixedMatrix x = to_dense(data.x);
  given.x = kernel_of(x, x, 0.4);
  EXPECT_LT(largest_difference(scores("svm(kernel=precomputed, tolerance=1e-5)", given), expected),
            1e-3);
}

TEST(Svm, MissingCellsLeaveTheProblem) {
  const Dataset data = make_data(120);
  std::vector<std::vector<Id>> positives, missing;
  std::vector<Id> known;
  for (Index i = 0; i < 120; ++i) {
    auto& row = positives.emplace_back(data.y.row(i).begin(), data.y.row(i).end());
    missing.emplace_back();
    if (i % 4 != 0) {
      known.push_back(static_cast<Id>(i));
      continue;
    }
    std::erase(row, Id{1});
    missing.back().push_back(1);
  }
  Dataset holes = data;
  holes.y = Labels(3, positives, missing);
  const std::string spec = "svm(C=2, width=0.4, tolerance=1e-6)";
  const Matrix complete = scores(spec, data), partial = scores(spec, holes);
  const Dataset rest = take_rows(data, known);
  const Matrix alone = scores(spec, view_of(rest), view_of(data));
  for (Index i = 0; i < 120; ++i) {
    EXPECT_NEAR(partial(i, 0), complete(i, 0), 1e-12);
    EXPECT_NEAR(partial(i, 1), alone(i, 1), 1e-4);
  }
}

TEST(Svm, WeightsAreRepeatedRows) {
  Dataset weighted = make_data(60);
  std::vector<Id> repeated;
  for (Index i = 0; i < 60; ++i) {
    const Index times = i % 3;
    weighted.weights.push_back(static_cast<double>(times));
    repeated.insert(repeated.end(), at(times), static_cast<Id>(i));
  }
  const std::string spec = "svm(C=1, width=0.4, tolerance=1e-6)";
  const Dataset plain = make_data(60), copies = take_rows(plain, repeated);
  EXPECT_LT(largest_difference(scores(spec, view_of(weighted), view_of(plain)),
                               scores(spec, view_of(copies), view_of(plain))),
            1e-3);
}

TEST(Svm, PlattIsCalibrationByTheSameFolds) {
  const Dataset data = make_data(150);
  const Matrix ours = scores("svm(C=2, width=0.4, probabilities=platt)", data);
  const Matrix slow =
      scores("calibrated(base=svm(C=2, width=0.4, tolerance=1e-5), method=platt)", data);
  EXPECT_LT(largest_difference(ours, slow), 0.01);
  const Spec spec = complete_spec(parse_spec("svm(probabilities=platt)"));
  EXPECT_TRUE(find_learner("svm").tags_of(spec).probabilities);
}

TEST(Svm, AutoTakesTheBestOfCrossValidation) {
  const Dataset data = make_data(120);
  const Context ctx(2, 3);
  const auto model =
      fit_learner(CompleteSpec(parse_spec("svm(C=auto, width=0.4, measure=hamming_loss, folds=3)")),
                  view_of(data), ctx);
  const auto results = model->results();
  const auto tried = std::find_if(results.begin(), results.end(),
                                  [](const Result& r) { return r.id == "cost_search"; });
  ASSERT_NE(tried, results.end());
  const auto folds = k_folds(data.y, {.folds = 3}, ctx.with_seed(4));
  std::string best;
  double least = 2;
  for (Index c = 0; c < tried->values.rows(); ++c) {
    const std::string cost = tried->row_names[at(c)];
    Matrix margins(120, 3);
    for (const Fold& fold : folds) {
      const Dataset train = take_rows(data, fold.train), test = take_rows(data, fold.test);
      const Matrix part = scores("svm(" + cost + ", width=0.4)", view_of(train), view_of(test));
      for (Index k = 0; k < part.rows(); ++k) {
        for (Index l = 0; l < 3; ++l) {
          margins(fold.test[at(k)], l) = part(k, l);
        }
      }
    }
    const Labels decided = decide({.scores = margins});
    const double loss = measure("hamming_loss", data.y, {.decided = &decided}, {}, ctx).value;
    EXPECT_NEAR(tried->values(c, 0), loss,
                3.5 / 360);  // a few cells, because the search is less accurate
    if (tried->values(c, 0) < least) {
      least = tried->values(c, 0);
      best = cost;
    }
  }
  EXPECT_EQ(model->predict(view_of(data), ctx).scores,
            scores("svm(" + best + ", width=0.4)", view_of(data), view_of(data)));
}

TEST(Svm, OneClassIsAnsweredWithIt) {
  Dataset data = make_data(20);
  std::vector<std::vector<Id>> positives(20), missing(20);
  for (Index i = 0; i < 20; ++i) {
    const auto at = static_cast<std::size_t>(i);
    positives[at] = i % 2 == 0 ? std::vector<Id>{0, 1} : std::vector<Id>{0};
    missing[at] = {2};
  }
  data.y = Labels(4, positives, missing);  // always, both, unknown, never
  const Matrix margins = scores("svm", data),
               probabilities = scores("svm(probabilities=platt)", data);
  for (Index i = 0; i < 20; ++i) {
    EXPECT_EQ(margins(i, 0), 1);
    EXPECT_EQ(margins(i, 2), -1);
    EXPECT_EQ(margins(i, 3), -1);
    EXPECT_EQ(probabilities(i, 0), 1);
    EXPECT_EQ(probabilities(i, 2), 0);
    EXPECT_EQ(probabilities(i, 3), 0);
    EXPECT_GT(probabilities(i, 1), 0);
    EXPECT_LT(probabilities(i, 1), 1);
  }
}

// The Hamming loss of reverse multi-label learning is the sum of hinges without a bias, in units of
// 1 / rows. With every row x, y mirrored to -x, -y the best bias is 0.
TEST(Svm, EqualsTheHammingScorersOfRml) {
  const Dataset data = make_data(60);
  const FixedMatrix x = to_dense(data.x);
  const Matrix k = kernel_of(x, x, 0.4);
  Dataset plain = data, mirrored = data;
  plain.x = k;
  Matrix both(120, 120);
  std::vector<std::vector<Id>> positives(120);
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 60; ++j) {
      both(i, j) = both(i + 60, j + 60) = k(i, j);
      both(i, j + 60) = both(i + 60, j) = -k(i, j);
    }
    for (Id l = 0; l < 3; ++l) {
      const bool yes = data.y.cell(i, l) == Cell::positive;
      positives[at(yes ? i : i + 60)].push_back(l);
    }
  }
  mirrored.x = both;
  mirrored.y = Labels(3, positives);
  const Matrix rml =
      scores("rml(kernel=precomputed, measure=hamming, bias=none, C=2, tolerance=1e-8)", plain);
  const Matrix svm = scores("svm(kernel=precomputed, C=1, tolerance=1e-7)", mirrored);
  for (Index i = 0; i < 60; ++i) {
    for (Index l = 0; l < 3; ++l) {
      EXPECT_NEAR(60 * rml(i, l), svm(i, l), 2e-3);
      EXPECT_NEAR(svm(i + 60, l), -svm(i, l), 2e-3);
    }
  }
}

TEST(Svm, CertifiesWhatItFound) {
  const Dataset data = make_data(150);
  const auto model =
      fit_learner(CompleteSpec(parse_spec("svm(tolerance=1e-6)")), view_of(data), Context());
  const Summary summary = model->summary();
  EXPECT_TRUE(summary.converged);
  EXPECT_LT(summary.gap, 1e-4);
  EXPECT_GT(summary.rounds, 10);
  const std::vector<Result> results = model->results();
  const Matrix& facts = results.front().values;
  double most = 0, steps = 0;
  for (Index l = 0; l < 3; ++l) {
    steps += facts(l, 6);
    EXPECT_EQ(facts(l, 0), 1);
    EXPECT_GE(facts(l, 1), facts(l, 2) * (1 - 1e-6));  // objective and its bound
    EXPECT_LT(facts(l, 4), 1e-6);
    most = std::max(most, facts(l, 5));
  }
  EXPECT_EQ(static_cast<double>(summary.rounds), steps);
  EXPECT_EQ(results[1].id, "kernel");  // the model keeps support vectors only
  EXPECT_GE(results[1].values(0, 1), most);
  EXPECT_LT(results[1].values(0, 1), 150);
  Dataset histogram = data;
  Matrix x(to_dense(data.x));
  for (Index k = 0; k < x.size(); ++k) x.data()[k] = std::abs(x.data()[k]);
  histogram.x = x;
  const auto other = fit_learner(CompleteSpec(parse_spec("svm(kernel=modified_chi2)")),
                                 view_of(histogram), Context());
  EXPECT_TRUE(other->summary().converged);
  EXPECT_TRUE(std::isnan(other->summary().gap));  // the kernel is not positive: no proof
}

TEST(Svm, RefusesMeasuresItCannotChooseBy) {
  const Dataset data = make_data(20);
  EXPECT_THROW(scores("svm(C=auto, measure=log_loss)", data), Error);
  EXPECT_THROW(scores("svm(C=auto, measure=set_accuracy)", data), Error);
}

// The scale and the cost are those with the best value, in the folds of C=auto.
TEST(Svm, ChoosesTheScaleOfTheKernelAsWell) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = 60;
  options.features = 4;
  options.labels = 6;
  const Dataset data = generate("linear", options, Context(1, 3));
  const auto search_of = [&](const std::string& text) {
    const auto model = fit_learner(CompleteSpec(parse_spec(text)), view_of(data), Context(2, 5));
    Result search, kernel;
    for (const Result& r : model->results()) {
      if (r.id == "cost_search") search = r;
      if (r.id == "kernel") kernel = r;
    }
    return std::pair{search, kernel};
  };
  const auto [all, kernel] = search_of("svm(C=auto, gamma=auto, folds=3)");
  ASSERT_EQ(all.values.rows(), 25);
  Index best = 0;
  for (Index k = 1; k < 25; ++k) {
    if (all.values(k, 0) > all.values(best, 0)) best = k;
  }
  // The costs of one scale are what C=auto finds there.
  const double gamma = kernel.values(0, 0);
  const auto [own, same] = search_of("svm(C=auto, folds=3, gamma=" + shortest(gamma) + ")");
  ASSERT_EQ(own.values.rows(), 5);
  for (Index k = 0; k < 5; ++k) {
    EXPECT_EQ(own.values(k, 0), all.values(best / 5 * 5 + k, 0));
  }
  EXPECT_EQ(same.values(0, 0), gamma);
  EXPECT_NE(all.row_names[at(best)].find("gamma=" + shortest(gamma)), std::string::npos);
  EXPECT_EQ(search_of("svm(C=2, gamma=auto, folds=3)").first.values.rows(), 5);
}

}  // namespace
}  // namespace mulberry::learners
