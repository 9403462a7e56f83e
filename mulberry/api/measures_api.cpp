#include "mulberry/api/translate.hpp"

namespace mulberry {

using api::Access;
using api::translated;

namespace api {

measures::MeasureOptions measure_options(const MeasureOptions& given) {
  measures::MeasureOptions out{.convention = measures::convention_of(given.convention),
                               .beta = given.beta,
                               .k = given.k,
                               .bins = given.bins,
                               .propensities = given.propensities};
  if (!given.undefined.empty()) out.undefined = measures::undefined_of(given.undefined);
  if (!given.ties.empty()) out.ties = measures::ties_of(given.ties);
  return out;
}

namespace {

std::vector<MeasureValue> measure(const data::Labels& truth, const measures::Outcome& outcome,
                                  const std::vector<std::string>& names,
                                  const measures::MeasureOptions& options, const Context& context) {
  const core::Context ctx = run_context(context);
  const auto values = names.empty() ? measures::measure_all(truth, outcome, options, ctx)
                                    : measures::measure_some(names, truth, outcome, options, ctx);
  std::vector<MeasureValue> out;
  for (const measures::MeasureValue& value : values) {
    out.push_back({.name = value.name,
                   .value = value.value,
                   .undefined = value.undefined,
                   .unobserved = value.unobserved,
                   .reason = value.reason,
                   .higher_is_better = value.higher_is_better});
  }
  return out;
}

std::vector<MeasureValue> measure(const data::Labels& truth, const PredictionState& state,
                                  const std::vector<std::string>& names,
                                  const MeasureOptions& given, const Context& context) {
  measures::MeasureOptions options = measure_options(given);
  if (options.propensities.empty()) options.propensities = state.propensities;
  const measures::Outcome outcome{
      .scores = &state.prediction.scores,
      .decided = &state.decided,
      .sets = state.sets.empty() ? nullptr : &state.sets,
      .rules = state.rules.empty() ? nullptr : &state.rules,
      .probabilities = state.prediction.scale == model::Scale::probability};
  return measure(truth, outcome, names, options, context);
}

}  // namespace
}  // namespace api

std::vector<MeasureInfo> list_measures() {
  std::vector<MeasureInfo> out;
  for (const measures::MeasureInfo& info : measures::measure_table()) {
    out.push_back({.name = std::string(info.name),
                   .sentence = std::string(info.sentence),
                   .needs = std::string(measures::name_of(info.needs)),
                   .higher_is_better = info.higher_is_better,
                   .low = info.low,
                   .high = info.high});
  }
  return out;
}

std::vector<MeasureValue> score(const Labels& truth, const Prediction& prediction,
                                const std::vector<std::string>& names,
                                const MeasureOptions& options, const Context& context) {
  return translated([&] {
    return api::measure(Access::of(truth), Access::of(prediction), names, options, context);
  });
}

std::vector<MeasureValue> score(const Labels& truth, const Outcome& outcome,
                                const std::vector<std::string>& names,
                                const MeasureOptions& options, const Context& context) {
  return translated([&] {
    const data::Labels& y = Access::of(truth);
    core::Matrix scores;
    if (outcome.scores != nullptr) {
      scores = core::Matrix(core::MatrixView(outcome.scores, y.rows(), y.count()));
    }
    const data::LabelSets sets = api::label_sets(outcome.label_sets);
    data::LabelRules rules;
    for (const auto& [label, implied] : outcome.implies) {
      if (label < 0 || implied < 0 || label >= y.count() || implied >= y.count()) {
        throw core::Error(core::Code::usage, "expected labels from 0 to " +
                                                 std::to_string(y.count() - 1) +
                                                 " in Outcome::implies, found others");
      }
      rules.implied.push_back({label, implied});
    }
    const measures::Outcome given{
        .scores = outcome.scores != nullptr ? &scores : nullptr,
        .decided = outcome.decisions != nullptr ? &Access::of(*outcome.decisions) : nullptr,
        .sets = sets.empty() ? nullptr : &sets,
        .rules = rules.empty() ? nullptr : &rules,
        .probabilities = outcome.probabilities};
    return api::measure(y, given, names, api::measure_options(options), context);
  });
}

std::vector<MeasureValue> score(const Model& model, const Dataset& data,
                                const std::vector<std::string>& names,
                                const MeasureOptions& options, const Context& context) {
  return translated([&] {
    const evaluate::TrainedModel& trained = Access::of(model).trained;
    const data::Labels truth =
        evaluate::align_labels(Access::of(data), trained.label_names, trained.sets);
    return api::measure(truth, Access::of(model.predict(data, context)), names, options, context);
  });
}

}  // namespace mulberry
