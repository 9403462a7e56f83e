#include "mulberry/evaluate/cross_validate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "mulberry/core/error.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/evaluate/resources.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "tests/support/sanitized.hpp"

namespace mulberry::evaluate {
namespace {

const double k_nan = std::nan("");

Dataset small_data(Index rows = 120) {
  return generate("linear", {.rows = rows, .features = 6, .labels = 4}, Context(1, 5));
}

EvaluateOptions three_folds() {
  EvaluateOptions out;
  out.split.folds = 3;
  return out;
}

// The slow form: split, train on one part, measure on the other.
std::vector<double> slow_values(const Spec& spec, const Dataset& data, const std::string& name,
                                const EvaluateOptions& options, const Context& ctx) {
  std::vector<double> out;
  for (const Fold& fold : k_folds(data.y, options.split, ctx)) {
    const TrainedModel model = train(CompleteSpec(spec), take_rows(data, fold.train),
                                     {.preprocess = options.preprocess}, ctx);
    const Dataset test = take_rows(data, fold.test);
    const Prediction prediction = model.predict(test, ctx);
    const Labels decided = model.decide(prediction);
    out.push_back(
        measure(name, test.y, {.scores = &prediction.scores, .decided = &decided}, {}, ctx).value);
  }
  return out;
}

TEST(CrossValidate, EqualsTheSlowLoop) {
  const Dataset data = small_data();
  EvaluateOptions options = three_folds();
  options.preprocess.scale = FeatureScale::standardise;
  const Context ctx(1, 3);
  const std::vector<CompleteSpec> specs = {"br_logistic",
                                           CompleteSpec(parse_spec("br_svm(C=0.1)"))};
  const Comparison result = cross_validate(specs, data, options, ctx);
  ASSERT_EQ(result.learners.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t m = 0; m < result.measures.size(); ++m) {
      const auto expected = slow_values(specs[k], data, result.measures[m], options, ctx);
      EXPECT_EQ(result.learners[k].estimates[m].values, expected) << result.measures[m];
    }
  }
  EXPECT_EQ(result.learners[1].name, "br_svm(C=0.1)");
  EXPECT_EQ(result.learners[1].spec.id, "br");
  EXPECT_EQ(result.splits, "3 folds, stratified by label");
}

TEST(CrossValidate, SameValuesForAnyNumberOfThreads) {
  const Dataset data = small_data();
  EvaluateOptions options = three_folds();
  options.bootstrap = 20;
  const std::vector<CompleteSpec> specs = {"br_logistic"};
  const Comparison one = cross_validate(specs, data, options, Context(1, 1));
  for (const int threads : {2, 8}) {  // 8 is more than there are folds: the other way to run them
    const Comparison many = cross_validate(specs, data, options, Context(threads, 1));
    EXPECT_EQ(many.clock, threads == 2 ? "cpu" : "wall");
    for (std::size_t m = 0; m < one.measures.size(); ++m) {
      const Estimate &a = one.learners[0].estimates[m], &b = many.learners[0].estimates[m];
      EXPECT_EQ(a.values, b.values);
      EXPECT_EQ(a.low, b.low);
      EXPECT_EQ(a.high, b.high);
    }
  }
}

TEST(CrossValidate, HoldOutsAreRepeated) {
  EvaluateOptions options;
  options.holdout = true;
  options.split.holdout = 0.25;
  options.split.repeats = 4;
  options.split.method = SplitMethod::random;
  options.measures = {"hamming_loss"};
  const std::vector<CompleteSpec> specs = {"br"};
  const Comparison result = cross_validate(specs, small_data(), options, Context());
  EXPECT_EQ(result.learners[0].estimates[0].values.size(), 4U);
  EXPECT_EQ(result.splits, "4 hold-outs of 25%");
}

TEST(CrossValidate, SummaryByHand) {
  const Estimate e = summarise({1, 2, k_nan, 6});
  EXPECT_DOUBLE_EQ(e.mean, 3);
  EXPECT_DOUBLE_EQ(e.deviation, std::sqrt((4 + 1 + 9) / 2.0));
  EXPECT_TRUE(std::isnan(summarise({5}).deviation));
  EXPECT_TRUE(std::isnan(summarise({k_nan}).mean));
}

TEST(CrossValidate, BestKnowsTheDirection) {
  Comparison c;
  c.measures = {"hamming_loss", "micro_f1", "log_loss"};
  c.higher_is_better = {false, true, false};
  for (const double v : {0.4, 0.2, 0.2}) {
    c.learners.emplace_back().estimates = {summarise({v}), summarise({v}), summarise({k_nan})};
  }
  EXPECT_EQ(c.best(0), 1);  // the first of equals
  EXPECT_EQ(c.best(1), 0);
  EXPECT_EQ(c.best(2), -1);
  EXPECT_FALSE(c.is_best(0, 0));
  EXPECT_TRUE(c.is_best(0, 1));
  EXPECT_TRUE(c.is_best(0, 2));  // all of equals
  EXPECT_FALSE(c.is_best(2, 0));
}

// Errors of cells are nearly independent here, so theory says how wide the interval is.
TEST(CrossValidate, IntervalHasTheRightWidth) {
  const Dataset data = small_data(400);
  EvaluateOptions options = three_folds();
  options.measures = {"subset_accuracy"};
  options.bootstrap = 400;
  const std::vector<CompleteSpec> specs = {"br_logistic"};
  const Comparison result = cross_validate(specs, data, options, Context());
  const Estimate& e = result.learners[0].estimates[0];
  const double expected = 2 * 1.96 * std::sqrt(e.mean * (1 - e.mean) / 400);
  EXPECT_LT(e.low, e.mean);
  EXPECT_GT(e.high, e.mean);
  EXPECT_NEAR(e.high - e.low, expected, 0.2 * expected);
}

// Rows that several hold-outs test are one observation, however often they are tested.
TEST(CrossValidate, RepeatsDoNotNarrowTheIntervalForNothing) {
  const Dataset data = small_data(200);
  EvaluateOptions options;
  options.holdout = true;
  options.split.holdout = 0.9;
  options.measures = {"hamming_loss"};
  options.bootstrap = 200;
  const auto width = [&](Index repeats) {
    options.split.repeats = repeats;
    const std::vector<CompleteSpec> specs = {
        CompleteSpec(parse_spec("br(base=prior)"))};  // gives a row the same answer every time
    const Comparison result = cross_validate(specs, data, options, Context());
    return result.learners[0].estimates[0].high - result.learners[0].estimates[0].low;
  };
  EXPECT_GT(width(9), 0.7 * width(1));
}

TEST(CrossValidate, ALearnerWithoutProbabilitiesHasNoLogLoss) {
  EvaluateOptions options = three_folds();
  options.measures = {"micro_f1", "log_loss"};
  const std::vector<CompleteSpec> specs = {"br_svm", "br_logistic"};
  const Comparison result = cross_validate(specs, small_data(), options, Context());
  ASSERT_EQ(result.measures, options.measures);
  EXPECT_TRUE(std::isnan(result.learners[0].estimates[1].mean));
  EXPECT_TRUE(std::isfinite(result.learners[1].estimates[1].mean));
  EXPECT_EQ(result.best(1), 1);
}

TEST(CrossValidate, MistakesAreToldBeforeTraining) {
  const Dataset data = small_data();
  EvaluateOptions options = three_folds();
  const auto code = [&](const std::vector<CompleteSpec>& specs) -> std::optional<Code> {
    try {
      cross_validate(specs, data, options, Context());
    } catch (const Error& error) {
      return error.code();
    }
    return std::nullopt;
  };
  EXPECT_THROW(code({"br_logistic", "no_such_learner"}), Error) << "not even a list of learners";
  EXPECT_EQ(code({}), Code::usage);
  options.measures = {"log_loss"};
  EXPECT_EQ(code({"br_svm"}), Code::unsupported);
  options.measures = {"set_accuracy"};
  EXPECT_EQ(code({"br_svm"}), Code::unsupported);
  options.measures = {"micro_f2"};
  EXPECT_TRUE(code({"br_svm"}));
}

// A linear kernel given by its values must equal the linear learner.
TEST(CrossValidate, PrecomputedKernelsUseTheColumnsOfTheTrainingRows) {
  const Dataset data = small_data();
  Dataset values = data;
  Matrix products(data.rows(), data.rows());
  const FixedMatrix x = to_dense(data.x);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      for (Index k = 0; k < x.cols(); ++k) products(i, j) += x(i, k) * x(j, k);
    }
  }
  values.x = Features(std::move(products));
  values.feature_names.clear();
  EvaluateOptions options = three_folds();
  options.measures = {"ranking_loss"};
  const std::string rest = "C=1, tolerance=1e-6)";
  const std::vector<CompleteSpec> plain = {CompleteSpec(parse_spec("rml(" + rest))},
                                  kernel = {
                                      CompleteSpec(parse_spec("rml(kernel=precomputed, " + rest))};
  const auto value = [&](const std::vector<CompleteSpec>& specs, const Dataset& on) {
    return cross_validate(specs, on, options, Context()).learners[0].estimates[0].mean;
  };
  EXPECT_NEAR(value(plain, data), value(kernel, values), 1e-3);
}

TEST(CrossValidate, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const std::vector<CompleteSpec> specs = {"br"};
  EXPECT_THROW(
      cross_validate(specs, small_data(), three_folds(), Context().with_stop(stop.get_token())),
      Cancelled);
}

TEST(CrossValidate, JsonHoldsEveryValue) {
  const std::vector<CompleteSpec> specs = {"br", "br_logistic"};
  const Comparison result = cross_validate(specs, small_data(), three_folds(), Context());
  const auto json = nlohmann::json::parse(result.json());
  EXPECT_EQ(json["convention"], "sklearn");
  EXPECT_EQ(json["clock"], "cpu");
  ASSERT_EQ(json["learners"].size(), 2U);
  const auto& f1 = json["learners"][1]["measures"]["micro_f1"];
  EXPECT_EQ(f1["values"].size(), 3U);
  EXPECT_TRUE(f1["best"].get<bool>());
  EXPECT_GE(json["learners"][1]["fit_seconds"]["mean"].get<double>(), 0);
}

TEST(Resources, PeakMemoryGrowsAndIsReset) {
  if (peak_memory() == 0) GTEST_SKIP() << "the system does not say how much memory is in use";
  if (tests::k_sanitized) GTEST_SKIP() << "the sanitizer keeps freed memory for a while";
  const Index before = peak_memory();
  {
    std::vector<char> large(200 << 20, 'x');
    ASSERT_EQ(large[large.size() / 2], 'x');
    EXPECT_GE(peak_memory(), before + (150 << 20));
  }
  reset_peak_memory();
  EXPECT_LE(peak_memory(), before + (100 << 20));
}

}  // namespace
}  // namespace mulberry::evaluate
