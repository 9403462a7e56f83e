#include "mulberry/base/boost/boost_watch.hpp"

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/measures/ranking.hpp"
#include "mulberry/model/prediction.hpp"

namespace mulberry::base {
namespace {

constexpr const char* k_loss = "loss";
constexpr const char* k_other = "Choose another measure, e.g. measure=average_precision";

MeasureOptions measure_options(const BoostOptions& options, const Labels& training) {
  MeasureOptions out;
  out.beta = options.beta;
  out.k = options.k;
  if (options.measure != k_loss && measure_info(options.measure).needs == Needs::propensities) {
    out.propensities = propensities(training);
  }
  return out;
}

}  // namespace

void require_stop_measure(const BoostOptions& options) {
  if (options.measure == k_loss) return;
  const MeasureInfo& info = measure_info(options.measure);
  if (info.needs == Needs::probabilities && options.loss != BoostLoss::logistic) {
    throw Error(Code::parameter,
                "boost: expected a measure of decisions or scores, or with loss=logistic of "
                "probabilities, found " +
                    in_quotes(options.measure) + ", which needs " +
                    std::string(name_of(info.needs)),
                k_other);
  }
  if (options.measure == "set_accuracy") {
    throw Error(Code::parameter,
                "boost: expected a measure with one value, found set_accuracy, which has one per "
                "set",
                "Use measure=set_accuracy_all");
  }
}

BoostWatch::BoostWatch(const BoostData& data, const Labels& training, const BoostOptions& options,
                       const Boost& model, const Context& ctx)
    : data_(data),
      options_(options),
      loss_(model.loss()),
      truth_(data.y, std::span<const double>{}, options.class_weights == ClassWeights::balanced),
      measure_(measure_options(options, training)),
      margins_(model.margins(data.x, ctx)),
      rounds_(model.rounds()) {
  if (options.measure == k_loss) return;
  const Needs needs = measure_info(options.measure).needs;
  const bool sets = needs == Needs::sets && (data.sets == nullptr || data.sets->empty());
  const bool rules = needs == Needs::rules && (data.rules == nullptr || !data.rules->implies());
  if (!sets && !rules) return;
  throw Error(Code::data,
              "boost: measure=" + options.measure + " needs " +
                  (sets ? "exclusive label sets" : "labels that imply others") +
                  ", which this data does not declare",
              k_other);
}

void BoostWatch::follow(const Boost& model, const Context& ctx) {
  model.add_rounds(data_.x, rounds_, margins_, ctx);
  rounds_ = model.rounds();
}

double BoostWatch::value(const Context& ctx) const {
  if (options_.measure == k_loss) return truth_.mean_loss(loss_, margins_, false);
  const bool probabilities = loss_ == BoostLoss::logistic;
  Prediction prediction{.scores = margins_,
                        .scale = probabilities ? Scale::probability : Scale::margin};
  if (probabilities) {
    double* const values = prediction.scores.data();
    for (Index k = 0; k < prediction.scores.size(); ++k) values[k] = sigmoid(values[k]);
  }
  const Labels decided = decide(prediction, data_.sets);
  const Outcome outcome{.scores = &prediction.scores,
                        .decided = &decided,
                        .sets = data_.sets,
                        .rules = data_.rules,
                        .probabilities = probabilities};
  return measures::measure(options_.measure, data_.y, outcome, measure_, ctx).value;
}

bool BoostWatch::is_better(double value, double best) const {
  const bool up = options_.measure != k_loss && measure_info(options_.measure).higher_is_better;
  return up ? value > best : value < best;
}

}  // namespace mulberry::base
