#include "mulberry/api/translate.hpp"

namespace mulberry {

using api::Access;
using api::translated;

namespace {

// The number of a word among those allowed.
template <class Choice>
Choice choose(std::string_view option, const std::string& word,
              const std::vector<std::string>& words) {
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == word) return static_cast<Choice>(k);
  }
  throw core::Error(core::Code::parameter, std::string(option) + " must be one of " +
                                               core::join(words, ", ") + ", got " +
                                               core::in_quotes(word));
}

evaluate::EvaluateOptions splitting(const SplitOptions& given) {
  evaluate::EvaluateOptions out;
  out.split.method = choose<resample::SplitMethod>("method", given.method,
                                                   {"random", "stratified", "stratified_pairs"});
  out.split.folds = given.folds;
  out.split.repeats = given.repeats;
  out.split.groups = given.groups;
  out.holdout = given.holdout > 0;
  if (out.holdout) out.split.holdout = given.holdout;
  return out;
}

evaluate::EvaluateOptions evaluating(const CrossValidateOptions& given) {
  if (given.train.init != nullptr) {
    throw core::Error(core::Code::usage,
                      "expected training from the start in each split, got a model to continue");
  }
  evaluate::EvaluateOptions out = splitting(given.splits);
  out.measures = given.measures;
  out.measure = api::measure_options(given.measure);
  out.preprocess = api::preprocess_options(given.train);
  out.bootstrap = given.bootstrap;
  out.level = given.level;
  return out;
}

Estimate plain(const evaluate::Estimate& estimate) {
  return {.mean = estimate.mean,
          .deviation = estimate.deviation,
          .low = estimate.low,
          .high = estimate.high,
          .values = estimate.values};
}

}  // namespace

std::vector<Split> make_splits(const Labels& labels, const SplitOptions& options,
                               const Context& context) {
  return translated([&] {
    std::vector<Split> out;
    for (auto& fold :
         evaluate::make_splits(Access::of(labels), splitting(options), api::run_context(context))) {
      out.push_back({.train = std::move(fold.train), .test = std::move(fold.test)});
    }
    return out;
  });
}

Comparison cross_validate(const std::vector<std::string>& learners, const Dataset& data,
                          const CrossValidateOptions& options, const Context& context) {
  return translated([&] {
    std::vector<model::CompleteSpec> specs;
    for (const std::string& text : learners) specs.emplace_back(core::parse_spec(text));
    const evaluate::Comparison found = evaluate::cross_validate(
        specs, Access::of(data), evaluating(options), api::run_context(context));
    Comparison out{.splits = found.splits,
                   .measures = found.measures,
                   .higher_is_better = found.higher_is_better,
                   .json = found.json()};
    for (std::size_t k = 0; k < found.learners.size(); ++k) {
      const evaluate::LearnerResult& from = found.learners[k];
      LearnerResult to{.name = learners[k],
                       .learner = from.spec.text(),
                       .fit_seconds = plain(from.fit_seconds),
                       .predict_seconds = plain(from.predict_seconds),
                       .unconverged = from.unconverged};
      for (const auto& estimate : from.estimates) to.estimates.push_back(plain(estimate));
      out.learners.push_back(std::move(to));
    }
    return out;
  });
}

TuneResult tune(std::string_view learner, const Dataset& data, const TuneOptions& options,
                const Context& context) {
  return translated([&] {
    const core::Spec spec = core::parse_spec(learner);
    evaluate::TuneOptions given;
    given.measure = options.measure;
    given.search =
        choose<evaluate::Search>("search", options.search, {"grid", "random", "halving"});
    if (!options.grid.empty()) given.axes = evaluate::parse_grid(options.grid, spec);
    given.trials = options.trials;
    given.grid_points = options.grid_points;
    given.outer = options.outer;
    given.evaluate = evaluating(options.evaluate);
    const evaluate::TuneResult found = evaluate::tune(model::CompleteSpec(spec), Access::of(data),
                                                      given, api::run_context(context));
    TuneResult out{.best_trial = found.best, .json = found.json()};
    for (const evaluate::Trial& trial : found.trials) {
      out.trials.push_back({.learner = trial.spec.text(),
                            .estimate = plain(trial.estimate),
                            .share = trial.share,
                            .failure = trial.failure});
    }
    out.best = out.trials.at(found.best).learner;
    if (found.outer) out.outer = plain(*found.outer);
    return out;
  });
}

}  // namespace mulberry
