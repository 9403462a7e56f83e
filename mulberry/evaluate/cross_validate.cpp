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
#include "mulberry/evaluate/cell_store.hpp"
#include "mulberry/evaluate/resources.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/math/statistics/summaries.hpp"
#include "mulberry/measures/ranking.hpp"

namespace mulberry::evaluate {
namespace {

using Json = nlohmann::ordered_json;
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

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
    Features outline;
    check_learner(spec, outline_of(data, outline), options.preprocess.impute != Impute::none);
    probabilities = probabilities || spec.tags().probabilities;
  }
  if (specs.empty()) {
    throw Error(Code::usage, "expected at least one learner, found none",
                mention(Action::list) + " shows all of them");
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
    if (needs == Needs::rules && !data.rules.implies()) {
      throw Error(Code::unsupported, name + " needs data with labels that imply others",
                  "Declare them with " + mention("implies", "dog:animal") + " or " +
                      mention("label_paths", "/"));
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

// What the splits needed, also those that an earlier run left in the store.
Index peak_of(std::span<const SplitResult> splits, const EvaluateOptions& options) {
  if (options.store == nullptr) return peak_memory();
  Index out = 0;
  for (const SplitResult& split : splits) out = std::max(out, split.peak_memory);
  return out;
}

}  // namespace

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

Comparison cross_validate(std::span<const CompleteSpec> specs, const Dataset& data,
                          const EvaluateOptions& options, const Context& ctx) {
  const std::vector<std::string> wanted = wanted_measures(options);
  require_applicable(specs, data, wanted, options);
  const std::vector<Fold> folds = make_splits(data.y, options, ctx);
  const std::string identity = options.store != nullptr ? data_identity(data) : "";
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
      const auto split = at(f);
      splits[split] = stored_split(specs[k], data, identity, folds[split], options, inner);
      ctx.step(static_cast<double>(++done) / total);
    });
    LearnerResult& learner = out.learners.emplace_back();
    learner.spec = specs[k];
    learner.name = specs[k].given().text();
    learner.peak_memory = peak_of(splits, options);
    std::vector<double> fit, predict;
    for (const SplitResult& split : splits) {
      if (options.only_stored && split.values.empty()) {
        ++learner.unfinished;
        continue;
      }
      fit.push_back(split.fit_seconds);
      predict.push_back(split.predict_seconds);
      learner.unconverged += split.converged ? 0 : 1;
    }
    learner.fit_seconds = summarise(std::move(fit));
    learner.predict_seconds = summarise(std::move(predict));
  }

  // A measure may give several values (one per label set), and not every learner gives each; with a
  // store, not every split may be there.
  const auto add_measure = [&](const std::string& name, const MeasureValue& value) {
    if (!belongs(value.name, name) ||
        std::find(out.measures.begin(), out.measures.end(), value.name) != out.measures.end()) {
      return;
    }
    out.measures.push_back(value.name);
    out.higher_is_better.push_back(value.higher_is_better);
  };
  for (const std::string& name : wanted) {
    for (const auto& splits : results) {
      for (const SplitResult& split : splits) {
        for (const MeasureValue& value : split.values) add_measure(name, value);
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
    const double so_far = out < 0 ? k_nan : learners[at(out)].estimates[m].mean;
    if (out < 0 || (higher_is_better[m] ? mean > so_far : mean < so_far)) {
      out = static_cast<Index>(k);
    }
  }
  return out;
}

bool Comparison::is_best(std::size_t m, std::size_t learner) const {
  const Index first = best(m);
  return first >= 0 && learners[learner].estimates[m].mean == learners[at(first)].estimates[m].mean;
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
      estimate["best"] = is_best(m, k);
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
