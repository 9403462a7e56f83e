#include "mulberry/measures/measures.hpp"

#include "mulberry/core/error.hpp"
#include "mulberry/measures/areas.hpp"
#include "mulberry/measures/decisions.hpp"
#include "mulberry/measures/hierarchy.hpp"
#include "mulberry/measures/probability.hpp"
#include "mulberry/measures/ranking.hpp"
#include "mulberry/measures/sets.hpp"

namespace mulberry::measures {
namespace {

using Values = std::vector<MeasureValue>;

void append(Values& to, const RowMeasures& rows) {
  for (const UnitMean& mean : rows.means) to.push_back(mean.result());
  for (const RowRatio& ratio : rows.ratios) to.push_back(ratio.result());
}

void append(Values& to, Values more) {
  for (MeasureValue& value : more) to.push_back(std::move(value));
}

void measure_decisions(const Labels& truth, const Labels& decided, const MeasureOptions& options,
                       const Selection& wanted, const Context& ctx, Values& out) {
  const auto rows = row_counts(truth, decided, ctx);
  append(out, measure_rows(rows, options, wanted));
  append(out, measure_labels(label_counts(truth, decided, ctx), options, wanted));
  append(out, measure_total(total_of(rows), options, wanted));
}

bool wants(const Selection& wanted, Needs needs) {
  for (const MeasureInfo& info : measure_table()) {
    if (info.needs == needs && wanted.has(info.name)) return true;
  }
  return false;
}

bool wants_ranking(const Selection& wanted) {
  return wanted.has_any("ranking_loss", "coverage", "coverage_normalized", "one_error",
                        "average_precision", "instance_auc", "protocol_auc",
                        "protocol_auc_per_image", "precision_at_k", "ndcg_at_k",
                        "propensity_precision_at_k");
}

void measure_scores(const Labels& truth, const Outcome& outcome, const MeasureOptions& options,
                    const Selection& wanted, const Context& ctx, Values& out) {
  const Rules rules = rules_of(options);
  if (wants_ranking(wanted)) {
    const Ranking ranking = measure_ranking(truth, outcome, options, wanted, ctx);
    append(out, ranking.rows);
    if (wanted.has("protocol_auc")) out.push_back(ranking.protocol.micro());
    if (wanted.has("protocol_auc_per_image")) out.push_back(ranking.protocol.per_image());
  }
  if (wanted.has_any("macro_auc", "mean_average_precision")) {
    const auto labels = label_areas(truth, outcome, rules.auc_tie, ctx);
    append(out, measure_areas(labels, rules, wanted));
  }
  if (wanted.has("micro_auc")) out.push_back(pooled_auc(truth, outcome, rules.auc_tie, ctx));
}

// In the order of the given names; the sets of set_accuracy in the order of the sets.
Values in_order(Values values, std::span<const std::string> names) {
  Values out;
  for (const std::string& name : names) {
    for (MeasureValue& value : values) {
      if (value.name.substr(0, value.name.find(':')) == name) out.push_back(value);
    }
  }
  return out;
}

}  // namespace

bool applies(const MeasureInfo& info, const Outcome& outcome, const MeasureOptions& options) {
  switch (info.needs) {
    case Needs::decisions:
      return outcome.decided != nullptr;
    case Needs::scores:
      return outcome.has_scores();
    case Needs::probabilities:
      return outcome.scores != nullptr && outcome.probabilities;
    case Needs::sets:
      return outcome.sets != nullptr && !outcome.sets->empty() &&
             (outcome.decided != nullptr || outcome.has_scores());
    case Needs::rules:
      return outcome.rules != nullptr && outcome.rules->implies() && outcome.decided != nullptr;
    case Needs::propensities:
      break;
  }
  return outcome.has_scores() && !options.propensities.empty();
}

void require_applies(std::string_view name, const Outcome& outcome, const MeasureOptions& options) {
  const MeasureInfo& info = measure_info(name);
  if (applies(info, outcome, options)) return;
  throw Error(Code::unsupported,
              std::string(info.name) + " needs " + std::string(name_of(info.needs)) +
                  ", which this prediction does not have",
              "Choose a measure that fits the prediction, or predict what it needs");
}

Values measure_some(std::span<const std::string> names, const Labels& truth, const Outcome& outcome,
                    const MeasureOptions& options, const Context& ctx) {
  for (const std::string& name : names) require_applies(name, outcome, options);
  require_fitting(truth, outcome, ctx);
  const Selection wanted(std::vector<std::string>(names.begin(), names.end()));
  Values out;
  if (wants(wanted, Needs::decisions)) {
    measure_decisions(truth, *outcome.decided, options, wanted, ctx, out);
  }
  if (outcome.has_scores()) measure_scores(truth, outcome, options, wanted, ctx, out);
  if (wants(wanted, Needs::probabilities)) {
    Probability values = measure_probability(truth, outcome, options.bins, wanted, ctx);
    append(out, values.rows);
    if (wanted.has("calibration_error")) out.push_back(std::move(values.calibration_error));
  }
  if (wants(wanted, Needs::sets)) append(out, measure_sets(truth, outcome, wanted));
  if (wants(wanted, Needs::rules)) append(out, measure_hierarchy(truth, outcome, wanted));
  return in_order(std::move(out), names);
}

Values measure_all(const Labels& truth, const Outcome& outcome, const MeasureOptions& options,
                   const Context& ctx) {
  std::vector<std::string> names;
  for (const MeasureInfo& info : measure_table()) {
    if (applies(info, outcome, options)) names.emplace_back(info.name);
  }
  return measure_some(names, truth, outcome, options, ctx);
}

MeasureValue measure(std::string_view name, const Labels& truth, const Outcome& outcome,
                     const MeasureOptions& options, const Context& ctx) {
  if (name == "set_accuracy") {
    throw Error(Code::parameter,
                "expected a measure with one value, found set_accuracy, which has one per set",
                "Use set_accuracy_all");
  }
  const std::string names[] = {std::string(name)};
  return measure_some(names, truth, outcome, options, ctx).front();
}

}  // namespace mulberry::measures
