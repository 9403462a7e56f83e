#include "mulberry/evaluate/cross_validate.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "mulberry/compare/verdicts.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/evaluate/fold_parts.hpp"
#include "mulberry/evaluate/resources.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/math/statistics/summaries.hpp"
#include "mulberry/measures/ranking.hpp"

namespace mulberry::evaluate {
namespace {

using Json = nlohmann::ordered_json;
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

double seconds_now(bool cpu) { return cpu ? thread_cpu_seconds() : wall_seconds(); }

std::string plural(Index count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::vector<std::string> wanted_measures(const EvaluateOptions& options) {
  return options.measures.empty() ? usual_measures() : options.measures;
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
    out.insert(out.end(), static_cast<std::size_t>(count), static_cast<Id>(next));
    ++next;
  }
  return out;
}

// The interval of the mean over splits, from its resamples.
void add_interval(Estimate& estimate, std::span<const SplitResult> splits, Index column,
                  Index resamples, double level) {
  std::vector<double> means;
  for (Index b = 0; b < resamples; ++b) {
    double total = 0, count = 0;
    for (const SplitResult& split : splits) {
      const double v = split.resampled(b, column);
      if (!std::isfinite(v)) continue;
      total += v;
      count += 1;
    }
    if (count > 0) means.push_back(total / count);
  }
  if (means.empty()) return;
  std::sort(means.begin(), means.end());
  estimate.low = sorted_quantile(means, (1 - level) / 2);
  estimate.high = sorted_quantile(means, (1 + level) / 2);
}

// Checks every learner and measure before any of them costs time.
void require_applicable(std::span<const CompleteSpec> specs, const Dataset& data,
                        const std::vector<std::string>& measures, const EvaluateOptions& options) {
  bool probabilities = false;
  for (const CompleteSpec& spec : specs) {
    check_learner(spec, view_of(data), options.preprocess.impute != Impute::none);
    probabilities = probabilities || spec.tags().probabilities;
  }
  if (specs.empty()) {
    throw Error(Code::usage, "expected at least one learner, found none",
                "`mulberry list` shows all of them");
  }
  rules_of(options.measure);
  for (const std::string& name : measures) {
    const Needs needs = measure_info(name).needs;
    if (options.measures.empty()) continue;
    if (needs == Needs::probabilities && !probabilities) {
      throw Error(Code::unsupported,
                  name + " needs probabilities, and none of the learners gives any",
                  "Wrap a learner: calibrated(base=" + specs[0].given().text() + ")");
    }
    if (needs == Needs::sets && data.sets.empty()) {
      throw Error(Code::unsupported, name + " needs data with exclusive label sets",
                  "Declare them with " + mention("label_sets"));
    }
  }
}

bool belongs(const std::string& value, const std::string& measure) {
  return value == measure || value.starts_with(measure + ":");
}

const MeasureValue* find_value(const SplitResult& split, const std::string& name, Index& column) {
  for (std::size_t k = 0; k < split.values.size(); ++k) {
    if (split.values[k].name != name) continue;
    column = static_cast<Index>(k);
    return &split.values[k];
  }
  return nullptr;
}

Json estimate_json(const Estimate& e, bool interval) {
  Json out = {{"mean", number_or_null<Json>(e.mean)},
              {"deviation", number_or_null<Json>(e.deviation)}};
  if (interval) {
    out["low"] = number_or_null<Json>(e.low);
    out["high"] = number_or_null<Json>(e.high);
  }
  Json values = Json::array();
  for (const double v : e.values) values.push_back(number_or_null<Json>(v));
  out["values"] = std::move(values);
  return out;
}

}  // namespace

std::vector<std::string> usual_measures() {
  return {"hamming_loss", "subset_accuracy", "example_f1",      "micro_f1",
          "macro_f1",     "ranking_loss",    "one_error",       "average_precision",
          "macro_auc",    "set_accuracy",    "set_accuracy_all"};
}

Estimate summarise(std::vector<double> values) {
  double total = 0, count = 0;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    total += v;
    count += 1;
  }
  Estimate out{.mean = count > 0 ? total / count : k_nan,
               .deviation = k_nan,
               .low = k_nan,
               .high = k_nan,
               .values = std::move(values)};
  if (count > 1) {
    double squares = 0;
    for (const double v : out.values) {
      if (std::isfinite(v)) squares += (v - out.mean) * (v - out.mean);
    }
    out.deviation = std::sqrt(squares / (count - 1));
  }
  return out;
}

Estimate estimate_of(const std::string& name, std::span<const SplitResult> splits,
                     const EvaluateOptions& options) {
  std::vector<double> values;
  Index undefined = 0, column = -1;
  for (const SplitResult& split : splits) {
    const MeasureValue* value = find_value(split, name, column);
    values.push_back(value != nullptr ? value->value : k_nan);
    if (value != nullptr) undefined += value->undefined;
  }
  Estimate out = summarise(std::move(values));
  out.undefined = undefined;
  if (column >= 0 && options.bootstrap > 0) {
    add_interval(out, splits, column, options.bootstrap, options.level);
  }
  return out;
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

SplitResult evaluate_split(const CompleteSpec& spec, const Dataset& data, const Fold& fold,
                           const EvaluateOptions& options, const Context& ctx) {
  const bool cpu = ctx.pool() == nullptr;
  const auto [train_part, test_part] = fold_parts(data, fold, spec);
  SplitResult out;
  const double begin = seconds_now(cpu);
  const TrainedModel model =
      train(spec, train_part, {.preprocess = options.preprocess, .keeps_origin = false}, ctx);
  ctx.check();  // a learner that was stopped may have returned early
  out.fit_seconds = seconds_now(cpu) - begin;
  out.converged = model.summary.converged;

  const double middle = seconds_now(cpu);
  const Prediction prediction = model.predict(test_part, ctx);
  const Labels decided = model.decide(prediction);
  out.predict_seconds = seconds_now(cpu) - middle;

  const Outcome outcome{.scores = &prediction.scores,
                        .decided = &decided,
                        .sets = data.sets.empty() ? nullptr : &data.sets,
                        .probabilities = prediction.scale == Scale::probability};
  MeasureOptions measure = options.measure;
  if (measure.propensities.empty()) measure.propensities = propensities(train_part.y);
  std::vector<std::string> names = wanted_measures(options);
  std::erase_if(names, [&](const std::string& name) {
    return !applies(measure_info(name), outcome, measure);
  });
  out.values = measure_some(names, test_part.y, outcome, measure, ctx);
  if (options.bootstrap > 0) {
    out.resampled = resampled_values(names, test_part.y, outcome, measure, fold, data.rows(),
                                     options.bootstrap, ctx);
  }
  return out;
}

Comparison cross_validate(std::span<const CompleteSpec> specs, const Dataset& data,
                          const EvaluateOptions& options, const Context& ctx) {
  const std::vector<std::string> wanted = wanted_measures(options);
  require_applicable(specs, data, wanted, options);
  const std::vector<Fold> folds = make_splits(data.y, options, ctx);
  const bool side_by_side = static_cast<int>(folds.size()) >= ctx.threads();
  const Context inner = side_by_side ? ctx.quiet().serial() : ctx.quiet();

  Comparison out{.data = data.name,
                 .rows = data.rows(),
                 .labels = data.labels(),
                 .splits = describe_splits(options),
                 .convention = std::string(name_of(options.measure.convention)),
                 .clock = side_by_side ? "cpu" : "wall",
                 .level = options.bootstrap > 0 ? options.level : 0};
  for (const Fold& fold : folds) {
    out.split_rows.push_back({.train = count_of(fold.train), .test = count_of(fold.test)});
  }
  std::vector<std::vector<SplitResult>> results;
  std::atomic<Index> done = 0;
  const auto total = static_cast<double>(specs.size() * folds.size());
  for (std::size_t k = 0; k < specs.size(); ++k) {
    std::vector<SplitResult>& splits = results.emplace_back(folds.size());
    reset_peak_memory();
    parallel_for(ctx, static_cast<Index>(folds.size()), [&](Index f) {
      const auto at = static_cast<std::size_t>(f);
      splits[at] = evaluate_split(specs[k], data, folds[at], options, inner);
      ctx.step(static_cast<double>(++done) / total);
    });
    LearnerResult& learner = out.learners.emplace_back();
    learner.spec = specs[k];
    learner.name = specs[k].given().text();
    learner.peak_memory = peak_memory();
    std::vector<double> fit, predict;
    for (const SplitResult& split : splits) {
      fit.push_back(split.fit_seconds);
      predict.push_back(split.predict_seconds);
      learner.unconverged += split.converged ? 0 : 1;
    }
    learner.fit_seconds = summarise(std::move(fit));
    learner.predict_seconds = summarise(std::move(predict));
  }

  // A measure may give several values (one per label set), and not every learner gives each.
  for (const std::string& name : wanted) {
    for (const auto& splits : results) {
      for (const MeasureValue& value : splits.front().values) {
        if (!belongs(value.name, name) ||
            std::find(out.measures.begin(), out.measures.end(), value.name) != out.measures.end()) {
          continue;
        }
        out.measures.push_back(value.name);
        out.higher_is_better.push_back(value.higher_is_better);
      }
    }
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    for (const std::string& name : out.measures) {
      out.learners[k].estimates.push_back(estimate_of(name, results[k], options));
    }
  }
  return out;
}

Index Comparison::best(std::size_t m) const {
  Index out = -1;
  for (std::size_t k = 0; k < learners.size(); ++k) {
    const double mean = learners[k].estimates[m].mean;
    if (!std::isfinite(mean)) continue;
    const double so_far =
        out < 0 ? k_nan : learners[static_cast<std::size_t>(out)].estimates[m].mean;
    if (out < 0 || (higher_is_better[m] ? mean > so_far : mean < so_far)) {
      out = static_cast<Index>(k);
    }
  }
  return out;
}

Scores Comparison::scores(std::size_t m) const {
  Scores out{.measure = measures[m], .higher_is_better = higher_is_better[m]};
  SetScores& set = out.sets.emplace_back();
  set.name = data;
  set.splits = split_rows;
  for (const LearnerResult& learner : learners) {
    out.learners.push_back(learner.name);
    set.cells.push_back({.status = CellStatus::measured, .values = learner.estimates[m].values});
  }
  return out;
}

std::vector<double> Comparison::p_against_best(std::size_t m) const {
  return judge_set(scores(m).sets.front(), higher_is_better[m]).p;
}

std::string Comparison::json() const {
  Json out = {{"data", data},
              {"rows", rows},
              {"labels", labels},
              {"splits", splits},
              {"convention", convention},
              {"clock", clock},
              {"level", level > 0 ? Json(level) : Json()}};
  Json list = Json::array();
  std::vector<std::vector<double>> p;  // by measure
  for (std::size_t m = 0; m < measures.size(); ++m) p.push_back(p_against_best(m));
  for (std::size_t k = 0; k < learners.size(); ++k) {
    const LearnerResult& learner = learners[k];
    Json measured = Json::object();
    for (std::size_t m = 0; m < measures.size(); ++m) {
      Json estimate = estimate_json(learner.estimates[m], level > 0);
      estimate["undefined"] = learner.estimates[m].undefined;
      estimate["best"] = best(m) == static_cast<Index>(k);
      estimate["p_against_best"] = number_or_null<Json>(p[m][k]);
      measured[measures[m]] = std::move(estimate);
    }
    list.push_back({{"learner", learner.name},
                    {"expression", learner.spec.text()},
                    {"measures", std::move(measured)},
                    {"fit_seconds", estimate_json(learner.fit_seconds, false)},
                    {"predict_seconds", estimate_json(learner.predict_seconds, false)},
                    {"peak_memory_bytes", learner.peak_memory},
                    {"unconverged_splits", learner.unconverged}});
  }
  out["learners"] = std::move(list);
  return json_text(out);
}

}  // namespace mulberry::evaluate
