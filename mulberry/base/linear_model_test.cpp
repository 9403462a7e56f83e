#include "mulberry/base/linear_model.hpp"
#include "mulberry/core/index.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mulberry::base {
namespace {

// Three clusters in the plane, a little noise.
struct Clusters {
  Features x;
  std::vector<Id> y = {};
};

Clusters make_clusters() {
  Random random(9, "linear_model_test");
  Clusters out;
  Matrix x(90, 2);
  for (Index i = 0; i < 90; ++i) {
    const auto c = static_cast<Id>(i % 3);
    x(i, 0) = (c == 0 ? 3.0 : c == 1 ? -3.0 : 0.0) + random.normal();
    x(i, 1) = (c == 2 ? 3.0 : -1.0) + random.normal();
    out.y.push_back(c);
  }
  out.x = Features(std::move(x));
  return out;
}

std::unique_ptr<BaseModel> fit(const std::string& text, const ColumnProblem& problem) {
  const Spec spec = parse_spec(text);
  const BaseLearner& base = find_base(spec.id);
  return base.fit(problem, base.complete(spec), Context());
}

std::unique_ptr<LabelsModel> fit_labels(const std::string& text, const Features& x, const Labels& y,
                                        std::span<const double> weights = {}) {
  const Spec spec = parse_spec(text);
  const BaseLearner& base = find_base(spec.id);
  return base.fit_labels(x, y, weights, base.complete(spec), Context(2));
}

TEST(LinearBase, ThreeClassesAreTold) {
  const Clusters data = make_clusters();
  for (const char* spec : {"linear_svm", "linear_svm(loss=squared)", "logistic"}) {
    const auto model = fit(spec, {data.x, data.y, 4});
    const Matrix scores = model->scores(data.x, Context());
    ASSERT_EQ(scores.cols(), 4);
    int right = 0;
    for (Index i = 0; i < 90; ++i) {
      const auto row = scores.row(i);
      const auto best = std::max_element(row.begin(), row.end()) - row.begin();
      right += best == data.y[at(i)] ? 1 : 0;
      EXPECT_NE(best, 3) << "a class without rows";
      if (std::string(spec) == "logistic") {
        EXPECT_NEAR(row[0] + row[1] + row[2], 1, 1e-12);
        EXPECT_EQ(row[3], 0);
      }
    }
    EXPECT_GE(right, 80) << spec;
  }
}

TEST(LinearBase, OneClassIsAConstant) {
  const Clusters data = make_clusters();
  const std::vector<Id> ones(90, 1), zeros(90, 0);
  EXPECT_EQ(fit("linear_svm", {data.x, ones, 2})->scores(data.x, Context())(5, 0), 1);
  EXPECT_EQ(fit("linear_svm", {data.x, zeros, 2})->scores(data.x, Context())(5, 0), -1);
  EXPECT_EQ(fit("logistic", {data.x, ones, 2})->scores(data.x, Context())(5, 0), 1);
  EXPECT_EQ(fit("logistic", {data.x, zeros, 2})->scores(data.x, Context())(5, 0), 0);
  EXPECT_EQ(fit("logistic", {data.x, ones, 3})->scores(data.x, Context())(5, 1), 1);
  const Labels y(2, std::vector<std::vector<Id>>(90, {1}));
  const Matrix scores = fit_labels("logistic", data.x, y)->scores(data.x, Context());
  EXPECT_EQ(scores(7, 0), 0);
  EXPECT_EQ(scores(7, 1), 1);
}

TEST(LinearBase, LabelsTogetherAreLabelsApart) {
  const Clusters data = make_clusters();
  std::vector<std::vector<Id>> positives;
  for (const Id c : data.y) positives.push_back({c});
  const Labels y(3, positives);
  for (const char* spec :
       {"linear_svm(tolerance=1e-9)", "linear_svm(loss=squared,tolerance=1e-12,bias=none)",
        "logistic(tolerance=1e-9,bias=free)", "logistic(tolerance=1e-9,class_weight=balanced)"}) {
    const Matrix together = fit_labels(spec, data.x, y)->scores(data.x, Context());
    for (Id l = 0; l < 3; ++l) {
      std::vector<Id> target;
      for (const Id c : data.y) target.push_back(c == l ? 1 : 0);
      const Matrix apart = fit(spec, {data.x, target, 2})->scores(data.x, Context());
      for (Index i = 0; i < 90; ++i) EXPECT_NEAR(together(i, l), apart(i, 0), 2e-3) << spec;
    }
  }
}

TEST(LinearBase, MissingCellsAndZeroWeightsAreAbsentRows) {
  const Clusters data = make_clusters();
  std::vector<std::vector<Id>> positives, missing, kept_positives;
  std::vector<Id> kept;
  std::vector<double> weights;
  for (Id i = 0; i < 90; ++i) {
    const bool positive = data.y[at(i)] == 0, hidden = i % 4 == 0;
    positives.push_back(positive && !hidden ? std::vector<Id>{0} : std::vector<Id>{});
    missing.push_back(hidden ? std::vector<Id>{0} : std::vector<Id>{});
    weights.push_back(hidden ? 0.0 : 1.0);
    if (hidden) continue;
    kept.push_back(i);
    kept_positives.push_back(positives.back());
  }
  const char* spec = "logistic(tolerance=1e-10,class_weight=balanced)";
  const Matrix expected = fit_labels(spec, take_rows(data.x, kept), Labels(1, kept_positives))
                              ->scores(data.x, Context());
  const Matrix hidden =
      fit_labels(spec, data.x, Labels(1, positives, missing))->scores(data.x, Context());
  const Matrix weighted =
      fit_labels(spec, data.x, Labels(1, positives), weights)->scores(data.x, Context());
  for (Index i = 0; i < 90; ++i) {
    EXPECT_NEAR(hidden(i, 0), expected(i, 0), 1e-9);
    EXPECT_NEAR(weighted(i, 0), expected(i, 0), 1e-9);
  }
}

TEST(LinearBase, CostsByHand) {
  const LinearParams balanced = {.C = 2, .class_weight = ClassWeight::balanced};
  // Class 0 weighs 3, class 1 weighs 1, so 4 in all and 2 for each.
  EXPECT_EQ(row_costs(std::vector<Id>{0, 0, -1, 0, 1}, 2, {}, balanced),
            (std::vector<double>{2 * 2.0 / 3, 2 * 2.0 / 3, 0, 2 * 2.0 / 3, 4}));
  EXPECT_EQ(row_costs(std::vector<Id>{0, 1}, 2, std::vector<double>{3, 0.5}, {.C = 2}),
            (std::vector<double>{6, 1}));
}

TEST(LinearBase, SummaryIsTheWorstLabel) {
  const Clusters data = make_clusters();
  std::vector<std::vector<Id>> positives;
  for (const Id c : data.y) positives.push_back({c});
  const auto model = fit_labels("linear_svm(tolerance=0.01)", data.x, Labels(3, positives));
  const Summary summary = model->summary();
  EXPECT_TRUE(summary.converged);
  EXPECT_GT(summary.objective, 0);
  EXPECT_GT(summary.gap, 0);
  EXPECT_LE(summary.gap, 0.01);
  EXPECT_GE(summary.rounds, 1);
  const auto results = model->results();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].values.rows(), 3);
  EXPECT_EQ(static_cast<Index>(results[0].column_names.size()), results[0].values.cols());
}

}  // namespace
}  // namespace mulberry::base
