#include <algorithm>

#include "mulberry/api/translate.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry {

using api::Access;
using api::translated;

namespace api {

Model Access::make(evaluate::TrainedModel value) {
  const auto state = std::make_shared<ModelState>();
  state->learner = value.spec.text();
  state->trained = std::move(value);
  return Model(state);
}

data::PreprocessOptions preprocess_options(const TrainOptions& given) {
  core::Spec spec("preprocessing");
  spec.set("impute", given.impute);
  spec.set("scale", given.scale);
  spec.set("tfidf", std::string(given.tfidf ? "true" : "false"));
  spec.set("drop_constant", std::string(given.drop_constant ? "true" : "false"));
  return core::read_params<data::PreprocessOptions>(spec);
}

namespace {

Prediction predict(const evaluate::TrainedModel& trained, const data::Dataset& data,
                   const Context& context) {
  PredictionState out;
  out.prediction = trained.predict(data, run_context(context));
  out.decided = trained.decide(out.prediction);
  out.sets = trained.sets;
  out.rules = trained.rules;
  out.propensities = trained.propensities;
  return Access::make(std::move(out));
}

template <class Rows>
Prediction predict_rows(const evaluate::TrainedModel& trained, const Rows& rows,
                        const Context& context) {
  data::Dataset data;
  data.x = borrow_rows(rows, no_owner());
  data.has_labels = false;
  return predict(trained, data, context);
}

template <class T>
void require_room(std::span<T> out, const Prediction& prediction) {
  const std::int64_t needed = prediction.rows() * prediction.label_count();
  if (static_cast<std::int64_t>(out.size()) == needed) return;
  throw Error(ErrorCode::usage, "expected room for " + std::to_string(needed) +
                                    " numbers, rows times labels, got " +
                                    std::to_string(out.size()));
}

}  // namespace
}  // namespace api

Prediction::Prediction(std::shared_ptr<const void> state) : state_(std::move(state)) {}

std::int64_t Prediction::rows() const { return Access::of(*this).decided.rows(); }
std::int64_t Prediction::label_count() const { return Access::of(*this).decided.count(); }

Scale Prediction::scale() const {
  switch (Access::of(*this).prediction.scale) {
    case model::Scale::margin:
      return Scale::margin;
    case model::Scale::probability:
      return Scale::probability;
    case model::Scale::votes:
      break;
  }
  return Scale::votes;
}

std::span<const double> Prediction::scores() const {
  const core::Matrix& scores = Access::of(*this).prediction.scores;
  return {scores.data(), core::at(scores.size())};
}

std::span<const double> Prediction::probabilities() const {
  if (scale() != Scale::probability) {
    throw Error(ErrorCode::unsupported,
                "expected a model that predicts probabilities, found one with other scores",
                "Train calibrated(base=...) around the learner");
  }
  return scores();
}

Labels Prediction::decisions() const { return Access::part(*this, Access::of(*this).decided); }

void copy_scores(const Prediction& prediction, std::span<double> out) {
  api::require_room(out, prediction);
  std::ranges::copy(prediction.scores(), out.begin());
}

void copy_probabilities(const Prediction& prediction, std::span<double> out) {
  api::require_room(out, prediction);
  std::ranges::copy(prediction.probabilities(), out.begin());
}

void copy_decisions(const Prediction& prediction, std::span<std::int8_t> out) {
  prediction.decisions().copy_cells(out);
}

Model::Model(std::shared_ptr<void> state) : state_(std::move(state)) {}

Model Model::load(const std::string& path) {
  return translated([&] { return Access::make(evaluate::TrainedModel::load(path)); });
}

void Model::save(const std::string& path) const {
  translated([&] { Access::of(*this).trained.save(path); });
}

const std::string& Model::learner() const { return Access::of(*this).learner; }
std::int64_t Model::columns() const { return Access::of(*this).trained.columns; }
std::int64_t Model::label_count() const { return static_cast<std::int64_t>(label_names().size()); }
const std::vector<std::string>& Model::feature_names() const {
  return Access::of(*this).trained.feature_names;
}
const std::vector<std::string>& Model::label_names() const {
  return Access::of(*this).trained.label_names;
}
std::vector<LabelSet> Model::label_sets() const {
  return api::label_sets(Access::of(*this).trained.sets);
}
LabelRules Model::label_rules() const {
  return api::label_rules(Access::of(*this).trained.rules, label_names());
}

ModelSummary Model::summary() const {
  const evaluate::TrainedModel& trained = Access::of(*this).trained;
  return {.converged = trained.summary.converged,
          .interrupted = trained.summary.interrupted,
          .objective = trained.summary.objective,
          .gap = trained.summary.gap,
          .rounds = trained.summary.rounds,
          .rows = trained.rows,
          .seconds = trained.seconds};
}

std::vector<ModelTable> Model::tables() const {
  return translated([&] {
    const evaluate::TrainedModel& trained = Access::of(*this).trained;
    std::vector<ModelTable> out;
    for (const model::Result& result : trained.results) {
      const core::Matrix& values = result.values;
      out.push_back(
          {.id = result.id,
           .sentence = result.sentence,
           .row_names = trained.names_along(result.rows, result.row_names, values.rows(), 0),
           .column_names =
               trained.names_along(result.columns, result.column_names, values.cols(), 0),
           .values = {values.data(), values.data() + values.size()}});
    }
    return out;
  });
}

Dataset Model::read(const std::string& path, ReadOptions options) const {
  return translated([&] {
    options.labels_optional = true;
    const evaluate::TrainedModel& trained = Access::of(*this).trained;
    return Access::make(data::read_dataset(path, trained.reading(api::read_options(options))));
  });
}

Prediction Model::predict(const Dataset& data, const Context& context) const {
  return translated(
      [&] { return api::predict(Access::of(*this).trained, Access::of(data), context); });
}

Prediction Model::predict(const DenseRows& rows, const Context& context) const {
  return translated([&] {
    const bool gaps = rows.stride != 0 && rows.stride != rows.cols;
    if (!gaps) return api::predict_rows(Access::of(*this).trained, rows, context);
    const Features copied = Features::copy(rows);
    return api::predict_rows(Access::of(*this).trained, copied.dense(), context);
  });
}

Prediction Model::predict(const SparseRows& rows, const Context& context) const {
  return translated([&] { return api::predict_rows(Access::of(*this).trained, rows, context); });
}

Model train(std::string_view learner, const Dataset& data, const TrainOptions& options,
            const Context& context) {
  return translated([&] {
    evaluate::TrainOptions given{.preprocess = api::preprocess_options(options)};
    if (options.init != nullptr) given.init = &Access::of(*options.init).trained;
    return Access::make(evaluate::train(model::CompleteSpec(core::parse_spec(learner)),
                                        Access::of(data), given, api::run_context(context)));
  });
}

}  // namespace mulberry
