#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mulberry/data/generate/generate.hpp"
#include "mulberry/math/dense/blas.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::learners {
namespace {

Dataset make_data(Index rows, Index labels, std::uint64_t seed = 1) {
  GenerateOptions options = find_generator("linear").defaults;
  options.rows = rows;
  options.features = 4;
  options.labels = labels;
  options.cardinality = 0.4 * static_cast<double>(labels);
  return generate("linear", options, Context(1, seed));
}

Matrix scores(const std::string& spec, const Dataset& data) {
  const Context ctx(2);
  return fit_learner(CompleteSpec(parse_spec(spec)), view_of(data), ctx)
      ->predict(view_of(data), ctx)
      .scores;
}

// If every row has one of two labels, f_1 - f_2 is an SVM of twice the cost with a penalised
// constant term.
TEST(RankSvm, TwoExclusiveLabelsAreOneSvm) {
  Dataset data = make_data(80, 2);
  std::vector<std::vector<Id>> positives;
  for (Index i = 0; i < 80; ++i) {
    positives.push_back({data.y.cell(i, 0) == Cell::positive ? Id{0} : Id{1}});
  }
  data.y = Labels(2, positives);
  const Matrix ranked = scores("rank_svm(C=0.7, kernel=linear, tolerance=1e-7)", data);
  const Matrix svm = scores("br(base=linear_svm(C=1.4, tolerance=1e-8))", data);
  for (Index i = 0; i < 80; ++i) EXPECT_NEAR(ranked(i, 0) - ranked(i, 1), svm(i, 0), 2e-3);
}

// The objective at the scorers found, from linear weights that explain the scores, compared with
// the scorers moved at random: none is better.
TEST(RankSvm, NothingNearIsBetter) {
  const Dataset data = make_data(60, 5);
  const auto model =
      fit_learner(CompleteSpec(parse_spec("rank_svm(C=3, kernel=linear, tolerance=1e-7)")),
                  view_of(data), Context());
  const double best = model->summary().objective;
  EXPECT_TRUE(model->summary().converged);
  EXPECT_LT(model->summary().gap, 1e-7);
  // The pairs see only differences of scores; weights and constants of least norm add up to 0.
  Dataset probe = data;
  Matrix axes(5, 4);
  for (Index j = 0; j < 4; ++j) axes(j, j) = 1;
  probe.x = axes;
  const Matrix at = model->predict(view_of(probe), Context()).scores;
  Matrix w(5, 4);
  std::vector<double> b(5);
  const auto centred = [&](Index i, Index l) {
    double mean = 0;
    for (Index k = 0; k < 5; ++k) mean += at(i, k) / 5;
    return at(i, l) - mean;
  };
  for (Index l = 0; l < 5; ++l) {
    b[static_cast<std::size_t>(l)] = centred(4, l);
    for (Index j = 0; j < 4; ++j) w(l, j) = centred(j, l) - centred(4, l);
  }
  const auto objective = [&](MatrixView weights, const std::vector<double>& constants) {
    const Matrix f = linear_scores(data.x, weights, constants, Context());
    double out = 0;
    for (const double v : weights.values()) out += v * v / 2;
    for (const double v : constants) out += v * v / 2;
    for (Index i = 0; i < 60; ++i) {
      double sum = 0, pairs = 0;
      for (Index k = 0; k < 5; ++k) {
        for (Index l = 0; l < 5; ++l) {
          if (data.y.cell(i, k) != Cell::positive || data.y.cell(i, l) != Cell::negative) continue;
          sum += std::max(0.0, 1 - f(i, k) + f(i, l));
          ++pairs;
        }
      }
      if (pairs > 0) out += 3 * sum / pairs;
    }
    return out;
  };
  EXPECT_NEAR(objective(w, b), best, 1e-6 * best);
  Random random(1, "directions");
  for (int run = 0; run < 200; ++run) {
    Matrix near = w;
    std::vector<double> constants = b;
    const double size = std::pow(10.0, -random.uniform(0, 4));
    for (Index k = 0; k < near.size(); ++k) near.data()[k] += size * random.normal();
    for (double& v : constants) v += size * random.normal();
    EXPECT_GE(objective(near, constants), best * (1 - 1e-6));
  }
}

TEST(RankSvm, KernelsGivenOrComputed) {
  const Dataset data = make_data(50, 4);
  const FixedMatrix x = to_dense(data.x);
  Matrix k(50, 50);
  blas::syrk(1.0, blas::block(x), blas::Op::plain, 0.0, blas::block(k));
  Dataset given = data;
  given.x = k;
  const Matrix a = scores("rank_svm(kernel=linear, tolerance=1e-7)", data);
  const Matrix b = scores("rank_svm(kernel=precomputed, tolerance=1e-7)", given);
  for (Index i = 0; i < 50; ++i) {
    for (Index l = 0; l < 4; ++l) EXPECT_NEAR(a(i, l), b(i, l), 5e-3);
  }
}

TEST(RankSvm, LearnsWhereToCut) {
  const Dataset all = make_data(600, 4);
  std::vector<Id> first, second;
  for (Id i = 0; i < 600; ++i) (i < 300 ? first : second).push_back(i);
  const Dataset train = take_rows(all, first), test = take_rows(all, second);
  const Context ctx(2);
  const auto model = fit_learner(CompleteSpec(parse_spec("rank_svm(C=10)")), view_of(train), ctx);
  const Labels decided = decide(model->predict(view_of(test), ctx));
  EXPECT_LT(measure("hamming_loss", test.y, {.decided = &decided}, {}, ctx).value, 0.2);
}

TEST(RankSvm, LabelsOfOneClassComeFirstOrLast) {
  Dataset data = make_data(40, 4);
  std::vector<std::vector<Id>> positives;
  for (Index i = 0; i < 40; ++i) {
    auto& row = positives.emplace_back(1, Id{0});
    if (data.y.cell(i, 1) == Cell::positive) row.push_back(1);
    if (data.y.cell(i, 2) == Cell::positive) row.push_back(2);
  }
  data.y = Labels(4, positives);  // always, two with both classes, never
  const Matrix found = scores("rank_svm", data);
  for (Index i = 0; i < 40; ++i) {
    const auto row = found.row(i);
    EXPECT_GT(row[0], 0);
    EXPECT_LT(row[3], 0);
    EXPECT_EQ(std::max_element(row.begin(), row.end()), row.begin());
    EXPECT_EQ(std::min_element(row.begin(), row.end()), row.end() - 1);
  }
}

}  // namespace
}  // namespace mulberry::learners
