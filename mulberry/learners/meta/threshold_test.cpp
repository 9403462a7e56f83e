#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/fitted_learner.hpp"
#include "mulberry/resample/calibration.hpp"
#include "mulberry/resample/split.hpp"
#include "mulberry/resample/thresholds.hpp"

namespace mulberry::learners {
namespace {

Dataset data_of(std::uint64_t seed, Index rows = 200) {
  return generate("linear", {.rows = rows, .features = 6, .labels = 5, .noise = 0.6},
                  Context(1, seed));
}

Prediction predicted(const std::string& text, const Dataset& train, const Dataset& test) {
  const Context ctx(1, 1);
  const auto model = fit_learner(CompleteSpec(parse_spec(text)), view_of(train), ctx);
  return model->predict({.x = &test.x}, ctx);
}

double measured(const std::string& name, const Prediction& prediction, const Dataset& test) {
  const Labels decided = decide(prediction);
  const Outcome outcome{.scores = &prediction.scores,
                        .decided = &decided,
                        .probabilities = prediction.scale == Scale::probability};
  return measure(name, test.y, outcome, {}, Context()).value;
}

TEST(HeldOutScores, EachRowIsScoredByAModelOfTheOthers) {
  const Dataset data = data_of(1, 30);
  const Context ctx(2, 7);
  const Matrix scores = held_out_scores("br_logistic", view_of(data), 3, ctx);
  for (const Fold& fold : k_folds(data.y, {.folds = 3}, ctx.with_seed(8))) {
    const Dataset train = take_rows(data, fold.train), test = take_rows(data, fold.test);
    const Matrix expected =
        fit_learner("br_logistic", view_of(train), ctx)->predict({.x = &test.x}, ctx).scores;
    for (std::size_t k = 0; k < fold.test.size(); ++k) {
      for (Index l = 0; l < 5; ++l) {
        EXPECT_EQ(scores(fold.test[k], l), expected(static_cast<Index>(k), l));
      }
    }
  }
}

TEST(Threshold, FixedCutsWhereItIsTold) {
  const Dataset data = data_of(2), test = data_of(3);
  const Prediction p = predicted("threshold(cut=fixed, value=0.3)", data, test);
  ASSERT_TRUE(p.decided.has_value());
  for (Index i = 0; i < test.rows(); ++i) {
    for (Index l = 0; l < 5; ++l) {
      EXPECT_EQ(p.decided->cell(i, l) == Cell::positive, p.scores(i, l) >= 0.3);
    }
  }
}

TEST(Threshold, FixedByDefaultIsTheBaseItself) {
  const Dataset data = data_of(2), test = data_of(3);
  for (const std::string base : {"br_svm", "br_logistic"}) {
    EXPECT_EQ(decide(predicted("threshold(cut=fixed, base=" + base + ")", data, test)),
              decide(predicted(base, data, test)));
  }
}

TEST(Threshold, TunedCutsAreBetterAtTheirMeasure) {
  const Dataset data = data_of(4, 600), test = take_rows(data, [] {
                                          std::vector<Id> rows;
                                          for (Id i = 400; i < 600; ++i) rows.push_back(i);
                                          return rows;
                                        }());
  std::vector<Id> first;
  for (Id i = 0; i < 400; ++i) first.push_back(i);
  const Dataset train = take_rows(data, first);
  const double plain = measured("macro_f1", predicted("br_logistic", train, test), test);
  EXPECT_GT(measured("macro_f1", predicted("threshold(cut=macro_f)", train, test), test), plain);
  const double micro = measured("micro_f1", predicted("br_logistic", train, test), test);
  EXPECT_GT(measured("micro_f1", predicted("threshold(cut=micro_f)", train, test), test), micro);
}

TEST(Threshold, EveryMethodDecides) {
  const Dataset data = data_of(5, 60);
  for (const char* cut :
       {"fixed", "cardinality", "rcut", "scut", "mcut", "macro_f", "micro_f", "example_f"}) {
    const Prediction p = predicted(std::string("threshold(folds=2, cut=") + cut + ")", data, data);
    ASSERT_TRUE(p.decided.has_value()) << cut;
    EXPECT_EQ(p.decided->rows(), 60);
    EXPECT_GT(p.decided->positives(), 0) << cut;
  }
}

TEST(Threshold, ExampleFNeedsProbabilities) {
  const Dataset data = data_of(6, 40);
  try {
    check_learner(CompleteSpec(parse_spec("threshold(cut=example_f, base=br_svm)")), view_of(data));
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::parameter);
    EXPECT_NE(error.remedy().find("calibrated"), std::string::npos);
  }
  EXPECT_NO_THROW(check_learner(
      CompleteSpec(parse_spec("threshold(cut=example_f, base=calibrated(base=br_svm))")),
      view_of(data)));
}

TEST(Calibrated, GivesProbabilitiesToMargins) {
  const Dataset data = data_of(7, 500), test = data;
  for (const std::string method : {"platt", "isotonic"}) {
    const Prediction p = predicted("calibrated(method=" + method + ")", data, test);
    EXPECT_EQ(p.scale, Scale::probability);
    // Better than the rate of each label, which is the best that ignores the features.
    EXPECT_LT(measured("brier_score", p, test),
              measured("brier_score", predicted("br(base=prior)", data, test), test));
    EXPECT_LT(measured("calibration_error", p, test), 0.06) << method;
  }
}

TEST(Calibrated, KeepsTheOrderOfScores) {
  const Dataset data = data_of(8, 150);
  const Matrix before = predicted("br_svm", data, data).scores;
  const Matrix after = predicted("calibrated(base=br_svm)", data, data).scores;
  for (Index l = 0; l < 5; ++l) {
    for (Index i = 1; i < 150; ++i) {
      if (before(i, l) > before(0, l)) {
        EXPECT_GE(after(i, l), after(0, l));
      }
    }
  }
}

TEST(MetaLearners, WorkWithOneRow) {
  const Dataset data = data_of(9, 1);
  for (const char* text : {"threshold", "threshold(base=br_svm, cut=micro_f)", "calibrated",
                           "calibrated(method=isotonic)"}) {
    EXPECT_EQ(predicted(text, data, data).scores.rows(), 1) << text;
  }
}

TEST(Threshold, CutsAndCurvesAreLearntWithWeights) {
  Dataset data = data_of(9, 80);
  for (Index i = 0; i < 80; ++i) data.weights.push_back(i % 4 == 0 ? 6 : 0.5);
  const Context ctx(1, 7);
  const Matrix scores = held_out_scores("br_logistic", view_of(data), 5, ctx);
  const auto cut = fit_learner("threshold", view_of(data), ctx);
  const auto expected =
      learn_thresholds(scores, data.y, {.method = CutMethod::scut}, ctx, data.weights).cut;
  const auto plain = learn_thresholds(scores, data.y, {.method = CutMethod::scut}, ctx).cut;
  const std::vector<Result> results = cut->results();
  EXPECT_EQ(results.back().id, "cuts");
  for (Index l = 0; l < 5; ++l) {
    EXPECT_EQ(results.back().values(l, 0), expected[at(l)]);
  }
  EXPECT_NE(expected, plain);
  const auto model =
      fit_learner(CompleteSpec(parse_spec("calibrated(base=br_logistic)")), view_of(data), ctx);
  const Matrix margins =
      fit_learner("br_logistic", view_of(data), ctx)->predict(view_of(data), ctx).scores;
  EXPECT_EQ(model->predict(view_of(data), ctx).scores,
            learn_calibration(scores, data.y, CalibrationMethod::platt, ctx, data.weights)
                .apply(margins, ctx));
}

}  // namespace
}  // namespace mulberry::learners
