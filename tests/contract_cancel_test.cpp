// Every learner can be stopped, before it starts and in the middle, and tells how far it is.
#include <stop_token>

#include "tests/contract.hpp"

namespace mulberry::tests::contract {
namespace {

// Trains until stopped; a learner either throws or, if it is an anytime learner, returns its best
// model so far and reports that it was interrupted.
void expect_stops(const std::string& learner, const Context& ctx, const Dataset& data) {
  try {
    const TrainedModel model = train(CompleteSpec(parse_spec(learner)), data, {}, ctx);
    EXPECT_TRUE(tags_of(learner).anytime) << "only an anytime learner may return a model";
    EXPECT_TRUE(model.summary.interrupted && !model.summary.converged);
    const Prediction prediction = model.predict(data, Context(1));
    EXPECT_EQ(prediction.scores.rows(), data.rows());
  } catch (const Cancelled&) {
    SUCCEED();
  }
}

TEST_P(Contract, StopsBeforeItStarts) {
  std::stop_source source;
  source.request_stop();
  for (const int threads : {1, 2}) {
    expect_stops(GetParam(), Context(threads).with_stop(source.get_token()),
                 small_data(GetParam()));
  }
}

TEST_P(Contract, StopsAtItsFirstReportOfProgress) {
  const Dataset data = small_data(GetParam(), 120);
  std::stop_source source;
  bool asked = false;
  const Context ctx =
      Context(1).with_stop(source.get_token()).with_progress([&](double fraction, double) {
        if (fraction >= 1) return;
        asked = true;
        source.request_stop();
      });
  try {
    const TrainedModel model = train(CompleteSpec(parse_spec(GetParam())), data, {}, ctx);
    // Without a report before its end a learner cannot have been asked to stop.
    if (asked) {
      EXPECT_TRUE(tags_of(GetParam()).anytime && model.summary.interrupted);
    }
  } catch (const Cancelled&) {
    EXPECT_TRUE(asked);
  }
}

// Later, when an anytime learner has something to give back.
TEST_P(Contract, StopsHalfWay) {
  const Dataset data = small_data(GetParam(), 120);
  std::stop_source source;
  const Context ctx =
      Context(1).with_stop(source.get_token()).with_progress([&](double fraction, double) {
        if (fraction > 0.4 && fraction < 0.9) source.request_stop();
      });
  try {
    const TrainedModel model = train(CompleteSpec(parse_spec(GetParam())), data, {}, ctx);
    const bool stopped = source.get_token().stop_requested();
    EXPECT_EQ(model.summary.interrupted, stopped);
    if (!stopped) return;
    EXPECT_TRUE(tags_of(GetParam()).anytime);
    EXPECT_FALSE(model.summary.converged);
    EXPECT_EQ(model.predict(data, Context(1)).scores.rows(), data.rows());
  } catch (const Cancelled&) {
    EXPECT_TRUE(source.get_token().stop_requested());
    EXPECT_FALSE(tags_of(GetParam()).anytime) << "it had something to give back";
  }
}

// Searches and folds within a learner take most of its time: they must say how far they are.
TEST(Progress, OfSearchesWithinALearner) {
  for (const char* text :
       {"svm(C=auto)", "svm(probabilities=platt)", "mahr(kappa=auto,folds=3,rounds=10)",
        "rml(C=auto)", "mlr_gl(C=auto,eta=auto)", "mll_le_auto", "calibrated", "threshold",
        "stacking", "rakel", "ecc", "cc", "clr"}) {
    int between = 0;
    const Context ctx = Context(1, 7).with_progress(
        [&](double fraction, double) { between += fraction > 0.1 && fraction < 0.8 ? 1 : 0; });
    train(CompleteSpec(parse_spec(text)), small_data("br", 60), {}, ctx);
    EXPECT_GE(between, 2) << text;
  }
}

TEST_P(Contract, ProgressRisesUpToOne) {
  const Dataset data = small_data(GetParam(), 120);
  double last = 0;
  const Context ctx = Context(1, 7).with_progress([&](double fraction, double) {
    EXPECT_GE(fraction, last);
    EXPECT_LE(fraction, 1 + 1e-9);
    last = fraction;
  });
  train(CompleteSpec(parse_spec(GetParam())), data, {}, ctx);
}

MULBERRY_CONTRACT_OVER_ALL(Contract);

}  // namespace
}  // namespace mulberry::tests::contract
