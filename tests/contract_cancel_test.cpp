// Every learner can be stopped, before it starts and in the middle, and tells how far it is.
#include <stop_token>

#include "tests/contract.hpp"

namespace mulberry::tests::contract {
namespace {

// Trains until stopped; a learner either throws or, if it is an anytime learner, returns its best
// model so far and reports that it was interrupted.
void expect_stops(const std::string& learner, const Context& ctx, const Dataset& data) {
  try {
    const TrainedModel model = train(parse_spec(learner), data, {}, ctx);
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
    const TrainedModel model = train(parse_spec(GetParam()), data, {}, ctx);
    // Without a report before its end a learner cannot have been asked to stop.
    if (asked) {
      EXPECT_TRUE(tags_of(GetParam()).anytime && model.summary.interrupted);
    }
  } catch (const Cancelled&) {
    EXPECT_TRUE(asked);
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
  train(parse_spec(GetParam()), data, {}, ctx);
}

MULBERRY_CONTRACT_OVER_ALL(Contract);

}  // namespace
}  // namespace mulberry::tests::contract
