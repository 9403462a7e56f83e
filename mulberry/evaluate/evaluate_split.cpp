#include "mulberry/evaluate/evaluate_split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/fold_parts.hpp"
#include "mulberry/evaluate/resources.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/measures/ranking.hpp"

namespace mulberry::evaluate {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

double seconds_now(bool cpu) { return cpu ? thread_cpu_seconds() : wall_seconds(); }

std::string plural(Index count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

// How often a row occurs in a bootstrap resample: Poisson with mean 1. The counts depend on the
// resample and the row, so a row that several splits test has the same count in all.
Index poisson_count(double uniform) {
  double probability = std::exp(-1.0), reached = probability;
  Index count = 0;
  while (uniform >= reached && count < 20) {
    ++count;
    probability /= static_cast<double>(count);
    reached += probability;
  }
  return count;
}

std::vector<Id> resample_of(const Fold& fold, Index rows, Index b, const Context& ctx) {
  Random random = ctx.rng("bootstrap", static_cast<std::uint64_t>(b));
  std::vector<Id> out;
  std::size_t next = 0;
  for (Index i = 0; i < rows && next < fold.test.size(); ++i) {
    const Index count = poisson_count(random.uniform());
    if (fold.test[next] != i) continue;
    out.insert(out.end(), at(count), static_cast<Id>(next));
    ++next;
  }
  return out;
}

// The cells of a table of the model, each as a value "reuse_score[sea, boat]".
void add_result(std::vector<MeasureValue>& values, const std::string& id,
                const TrainedModel& model) {
  for (const Result& result : model.results) {
    if (result.id != id) continue;
    const Matrix& table = result.values;
    const auto rows = model.names_along(result.rows, result.row_names, table.rows(), 1);
    const auto columns = model.names_along(result.columns, result.column_names, table.cols(), 1);
    for (Index i = 0; i < table.rows(); ++i) {
      for (Index j = 0; j < table.cols(); ++j) {
        values.push_back(
            {.name = id + "[" + rows[at(i)] + ", " + columns[at(j)] + "]", .value = table(i, j)});
      }
    }
  }
}

// With a value of each F-beta measure for each of `betas` in its place.
std::vector<MeasureValue> at_betas(std::vector<MeasureValue> values, const Labels& truth,
                                   const Outcome& outcome, MeasureOptions measure,
                                   std::span<const double> betas, const Context& ctx) {
  std::vector<MeasureValue> out;
  for (MeasureValue& value : values) {
    if (!depends_on_beta(value.name)) {
      out.push_back(std::move(value));
      continue;
    }
    for (const double beta : betas) {
      measure.beta = beta;
      out.push_back(measures::measure(value.name, truth, outcome, measure, ctx));
      out.back().name = name_at_beta(value.name, beta);
    }
  }
  return out;
}

}  // namespace

bool depends_on_beta(const std::string& measure) { return measure.ends_with("_fbeta"); }

std::string name_at_beta(const std::string& measure, double beta) {
  return measure + ", beta " + shortest(beta);
}

std::vector<std::string> usual_measures() {
  return {"hamming_loss", "subset_accuracy", "example_f1",      "micro_f1",
          "macro_f1",     "ranking_loss",    "one_error",       "average_precision",
          "macro_auc",    "set_accuracy",    "set_accuracy_all"};
}

std::vector<std::string> wanted_measures(const EvaluateOptions& options) {
  return options.measures.empty() ? usual_measures() : options.measures;
}

std::string describe_splits(const EvaluateOptions& options) {
  const SplitOptions& split = options.split;
  std::string out;
  if (options.holdout) {
    const auto percent = static_cast<Index>(std::lround(split.holdout * 100));
    out = plural(split.repeats, "hold-out") + " of " + std::to_string(percent) + "%";
  } else {
    out = plural(split.folds, "fold");
    if (split.repeats > 1) out += ", " + plural(split.repeats, "repeat");
  }
  if (split.method == SplitMethod::stratified) out += ", stratified by label";
  if (split.method == SplitMethod::stratified_pairs) out += ", stratified by pairs of labels";
  if (!split.groups.empty()) out += ", groups kept together";
  return out;
}

std::vector<Fold> make_splits(const Labels& y, const EvaluateOptions& options, const Context& ctx) {
  if (!options.holdout) return k_folds(y, options.split, ctx);
  std::vector<Fold> out;
  for (Index r = 0; r < options.split.repeats; ++r) {
    out.push_back(hold_out(y, options.split, ctx, r));
  }
  return out;
}

Matrix resampled_values(std::span<const std::string> names, const Labels& truth,
                        const Outcome& outcome, const MeasureOptions& measure, const Fold& fold,
                        Index rows, Index resamples, const Context& ctx) {
  const auto values = static_cast<Index>(measure_some(names, truth, outcome, measure, ctx).size());
  Matrix out(resamples, values, k_nan);
  double* cells = out.data();
  parallel_for(ctx, resamples, [&](Index b) {
    const std::vector<Id> drawn = resample_of(fold, rows, b, ctx);
    if (drawn.empty()) return;
    const Labels y = data::take_rows(truth, drawn);
    const Labels decided = data::take_rows(*outcome.decided, drawn);
    const Matrix scores = measures::take_rows(*outcome.scores, drawn);
    Outcome part = outcome;
    part.scores = &scores;
    part.decided = &decided;
    const auto measured = measure_some(names, y, part, measure, ctx);
    MULBERRY_ASSERT(static_cast<Index>(measured.size()) == values);
    for (std::size_t m = 0; m < measured.size(); ++m) {
      cells[b * values + static_cast<Index>(m)] = measured[m].value;
    }
  });
  return out;
}

FoldParts evaluation_parts(const CompleteSpec& spec, const Dataset& data, const Fold& fold,
                           const EvaluateOptions& options, const Context& ctx) {
  FoldParts out = fold_parts(data, fold, spec);
  if (options.flip > 0) {
    out.train.y = flip_labels(out.train.y, options.flip, ctx);
    out.train.sets = {};
  }
  if (options.hide && options.hide->share > 0) {
    out.train.y = hide_labels(out.train.y, *options.hide, ctx, out.train.sets);
    if (options.hide->mode != HideMode::sets) out.train.sets = {};
  }
  return out;
}

SplitResult evaluate_split(const CompleteSpec& spec, const Dataset& data, const Fold& fold,
                           const EvaluateOptions& options, const Context& ctx) {
  return evaluate_parts(spec, data, evaluation_parts(spec, data, fold, options, ctx), fold, options,
                        ctx);
}

SplitResult evaluate_parts(const CompleteSpec& spec, const Dataset& data, const FoldParts& parts,
                           const Fold& fold, const EvaluateOptions& options, const Context& ctx) {
  const bool cpu = ctx.pool() == nullptr;
  SplitResult out;
  const double begin = seconds_now(cpu);
  const TrainedModel model =
      train(spec, parts.train, {.preprocess = options.preprocess, .keeps_origin = false}, ctx);
  ctx.check();  // a learner that was stopped may have returned early
  out.fit_seconds = seconds_now(cpu) - begin;
  out.converged = model.summary.converged;

  const double middle = seconds_now(cpu);
  const Prediction prediction = model.predict(parts.test, ctx);
  const Labels decided = model.decide(prediction);
  out.predict_seconds = seconds_now(cpu) - middle;

  const Outcome outcome{.scores = &prediction.scores,
                        .decided = &decided,
                        .sets = data.sets.empty() ? nullptr : &data.sets,
                        .rules = data.rules.empty() ? nullptr : &data.rules,
                        .probabilities = prediction.scale == Scale::probability};
  MeasureOptions measure = options.measure;
  if (measure.propensities.empty()) measure.propensities = propensities(parts.train.y);
  std::vector<std::string> names = wanted_measures(options);
  std::erase_if(names, [&](const std::string& name) {
    return !applies(measure_info(name), outcome, measure);
  });
  out.values = measure_some(names, parts.test.y, outcome, measure, ctx);
  if (!options.betas.empty()) {
    MULBERRY_ASSERT(options.bootstrap == 0);
    out.values =
        at_betas(std::move(out.values), parts.test.y, outcome, measure, options.betas, ctx);
  }
  if (options.bootstrap > 0) {
    out.resampled = resampled_values(names, parts.test.y, outcome, measure, fold, data.rows(),
                                     options.bootstrap, ctx);
  }
  for (const std::string& id : options.results) add_result(out.values, id, model);
  return out;
}

}  // namespace mulberry::evaluate
