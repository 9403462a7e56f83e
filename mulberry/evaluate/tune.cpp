#include "mulberry/evaluate/tune.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/text/text_step.hpp"
#include "mulberry/evaluate/cell_store.hpp"

namespace mulberry::evaluate {
namespace {

using Json = nlohmann::ordered_json;

constexpr double k_eta = 3;         // a rung has this many times fewer trials and more rows
constexpr Index k_more_draws = 4;   // at most, if combinations turn out to be impossible
constexpr Index k_least_rows = 30;  // per fold: with fewer rows, good parameters win by luck

// How trials are judged: intervals are only for the honest figure.
EvaluateOptions options_for(const TuneOptions& options) {
  EvaluateOptions out = options.evaluate;
  out.measures = {options.measure};
  out.bootstrap = 0;
  return out;
}

// A search on some of the rows: these rows of the whole, the data, and the options with the groups
// of these rows.
struct Part {
  std::vector<Id> rows;  // empty: all
  std::shared_ptr<const Dataset> data;
  TuneOptions options;
};

TrialOutcome outcome_of(const Spec& spec, const Dataset& data, const std::string& identity,
                        const Fold& fold, const EvaluateOptions& options, const Context& ctx) {
  TrialOutcome out;
  try {
    out.split = stored_split(CompleteSpec(spec), data, identity, fold, options, ctx);
    if (out.split.values.empty()) {
      out.failure = options.only_stored
                        ? "not finished"
                        : options.measures[0] + " does not apply to what the learner predicts";
    }
  } catch (const Error& error) {
    out.failure = error.what();
    out.impossible = error.code() == Code::parameter;
  }
  return out;
}

// Trials and folds run in parallel, each on one thread. A trial that fails says why and does not
// stop the others.
std::vector<TrialOutcome> judge_here(const TrialBatch& batch, const Dataset& data,
                                     const EvaluateOptions& options, const Context& ctx) {
  const std::size_t each = batch.folds.size();
  std::vector<TrialOutcome> out(batch.specs.size() * each);
  const Context inner = ctx.quiet().serial();
  const std::string identity = options.store != nullptr ? data_identity(data) : "";
  std::atomic<Index> done = 0;
  parallel_for(ctx, count_of(out), [&](Index task) {
    const auto k = at(task);
    out[k] =
        outcome_of(batch.specs[k / each], data, identity, batch.folds[k % each], options, inner);
    ctx.step(static_cast<double>(++done) / static_cast<double>(out.size()));
  });
  return out;
}

// The named measure of every spec on every fold.
std::vector<Trial> judge(const std::vector<Spec>& specs, const Part& part,
                         const std::vector<Fold>& folds, double share, const Context& ctx) {
  const std::size_t each = folds.size();
  const TrialBatch batch{.specs = specs, .rows = part.rows, .folds = folds};
  const std::vector<TrialOutcome> outcomes =
      part.options.judge ? part.options.judge(batch)
                         : judge_here(batch, *part.data, options_for(part.options), ctx);
  MULBERRY_ASSERT(outcomes.size() == specs.size() * each);
  std::vector<Trial> out;
  for (std::size_t t = 0; t < specs.size(); ++t) {
    Trial& trial = out.emplace_back();
    trial.spec = specs[t];
    trial.share = share;
    std::vector<double> values;
    for (std::size_t f = 0; f < each; ++f) {
      const TrialOutcome& outcome = outcomes[t * each + f];
      const SplitResult& split = outcome.split;
      if (trial.failure.empty()) trial.failure = outcome.failure;
      trial.impossible = trial.impossible || outcome.impossible;
      values.push_back(split.values.empty() ? std::nan("") : split.values[0].value);
      trial.fit_seconds += split.fit_seconds / static_cast<double>(each);
    }
    trial.estimate = summarise(std::move(values));
    if (!trial.failure.empty()) trial.estimate.mean = std::nan("");
  }
  return out;
}

// Trial numbers from best to worst; trials without a value last, equals in the order tried.
std::vector<std::size_t> ranked(const std::vector<Trial>& trials, bool higher) {
  std::vector<std::size_t> out(trials.size());
  std::iota(out.begin(), out.end(), 0U);
  std::sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    const double va = trials[a].estimate.mean, vb = trials[b].estimate.mean;
    if (std::isfinite(va) != std::isfinite(vb)) return std::isfinite(va);
    if (!std::isfinite(va)) return a < b;
    if (va == vb) return a < b;
    return higher ? va > vb : va < vb;
  });
  return out;
}

// Some rows of a part.
Part part_of_rows(const Part& whole, std::span<const Id> rows) {
  Part out{{rows.begin(), rows.end()},
           std::make_shared<Dataset>(take_rows(*whole.data, rows)),
           whole.options};
  std::vector<Id>& groups = out.options.evaluate.split.groups;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!whole.rows.empty()) out.rows[k] = whole.rows[at(rows[k])];
    if (!groups.empty()) groups[k] = whole.options.evaluate.split.groups[at(rows[k])];
  }
  if (!groups.empty()) groups.resize(rows.size());
  return out;
}

// A stratified share of the rows.
Part share_of_rows(const Part& whole, double share, const Context& ctx) {
  SplitOptions split = whole.options.evaluate.split;
  split.holdout = share;
  return part_of_rows(whole, hold_out(whole.data->y, split, ctx).test);
}

struct Searched {
  std::vector<Trial> trials = {};
  std::size_t best = 0;
  std::size_t defaults = 0;
  Index impossible = 0;
};

// The possible ones of the specs, judged; the others are replaced by specs of `spare`, as long as
// there are any. If none is possible, all stay, to say why.
std::vector<Trial> judge_possible(std::vector<Spec> specs, std::vector<Spec> spare,
                                  const Part& part, double share, Index& impossible,
                                  const Context& ctx) {
  const std::vector<Fold> folds = make_splits(part.data->y, options_for(part.options), ctx);
  std::vector<Trial> possible, refused;
  for (double from = 0; !specs.empty(); from = 1) {
    std::vector<Trial> judged = judge(specs, part, folds, share, ctx.part(from, 1));
    specs.clear();
    for (Trial& trial : judged) {
      if (trial.impossible && !spare.empty()) {
        specs.push_back(spare.front());
        spare.erase(spare.begin());
      }
      (trial.impossible ? refused : possible).push_back(std::move(trial));
    }
  }
  if (possible.empty()) return refused;
  impossible += count_of(refused);
  return possible;
}

std::size_t place_of(const std::vector<Trial>& trials, const Spec& spec) {
  const auto found = std::ranges::find(trials, spec, &Trial::spec);
  return found == trials.end() ? trials.size() : at(found - trials.begin());
}

Searched search_halving(std::vector<Spec> specs, std::vector<Spec> spare, const Part& whole,
                        bool higher, const Context& ctx) {
  // As many rungs as the trials allow without going below the smallest number of rows.
  const double rows = static_cast<double>(whole.data->rows());
  const double least = static_cast<double>(k_least_rows * whole.options.evaluate.split.folds);
  int rungs = 0;
  while (std::pow(k_eta, rungs + 1) <= static_cast<double>(specs.size()) &&
         rows / std::pow(k_eta, rungs + 1) >= least) {
    ++rungs;
  }
  const Spec first = specs.front();  // the defaults stay to the end
  Searched out;
  for (int rung = rungs; rung >= 0; --rung) {
    const double share = std::pow(k_eta, -rung);
    const auto from = static_cast<double>(rungs - rung) / (rungs + 1);
    const Context part = ctx.part(from, from + 1.0 / (rungs + 1));
    const Part used = rung > 0 ? share_of_rows(whole, share, ctx) : whole;
    const auto judged =
        judge_possible(specs, std::exchange(spare, {}), used, share, out.impossible, part);
    const std::vector<std::size_t> order = ranked(judged, higher);
    if (rung == 0) {
      out.best = out.trials.size() + order[0];
      out.defaults = out.trials.size() + place_of(judged, first);
    }
    const auto keep = static_cast<std::size_t>(
        std::max(1.0, std::ceil(static_cast<double>(specs.size()) / k_eta)));
    std::vector<Spec> next;
    for (std::size_t k = 0; k < std::min(keep, order.size()); ++k) {
      if (judged[order[k]].failure.empty()) next.push_back(judged[order[k]].spec);
    }
    if (std::find(next.begin(), next.end(), first) == next.end()) next.push_back(first);
    out.trials.insert(out.trials.end(), judged.begin(), judged.end());
    if (next.empty()) {
      out.best = out.trials.size() - judged.size() + order[0];
      break;
    }
    specs = std::move(next);
  }
  return out;
}

// The learner as given comes first: the combination that says the same, or one more.
void put_first(std::vector<Spec>& specs, const Spec& spec) {
  const Spec whole = CompleteSpec(spec).spec();
  const auto same = std::ranges::find_if(specs, [&](const Spec& other) {
    try {
      return CompleteSpec(other).spec() == whole;
    } catch (const Error&) {
      return false;  // said later, with the other trials
    }
  });
  if (same == specs.end()) {
    specs.insert(specs.begin(), spec);
  } else {
    std::rotate(specs.begin(), same, same + 1);
  }
}

Searched search(const Spec& spec, const Part& part, bool higher, const Context& ctx) {
  const TuneOptions& options = part.options;
  std::vector<Spec> specs, spare;
  if (options.search == Search::grid) {
    specs = grid_specs(spec, options.axes, options.grid_points, options.trials);
    put_first(specs, spec);
  } else {
    // Draws in excess take the place of combinations that turn out to be impossible.
    specs = random_specs(spec, options.axes, k_more_draws * options.trials, ctx.seed());
    specs.front() = spec;
    const auto wanted = std::min(specs.size(), at(options.trials));
    spare.assign(specs.begin() + static_cast<std::ptrdiff_t>(wanted), specs.end());
    specs.resize(wanted);
  }
  Searched out;
  if (options.search == Search::halving) {
    out = search_halving(specs, std::move(spare), part, higher, ctx);
  } else {
    out.trials = judge_possible(specs, std::move(spare), part, 1.0, out.impossible, ctx);
    out.best = ranked(out.trials, higher)[0];
    out.defaults = place_of(out.trials, specs.front());
  }
  const Trial& winner = out.trials[out.best];
  if (!std::isfinite(winner.estimate.mean)) {
    throw Error(Code::unsupported,
                "none of " + std::to_string(out.trials.size()) + " trials gave a value of " +
                    options.measure,
                winner.failure.empty()
                    ? "Choose another measure: this one is undefined on this data"
                    : winner.failure);
  }
  return out;
}

// Without intervals, which need more than a value.
SplitResult judged_elsewhere(const TuneOptions& options, const Spec& spec, const Fold& fold) {
  const std::vector<TrialOutcome> found =
      options.judge({.specs = {&spec, 1}, .rows = {}, .folds = {&fold, 1}});
  if (!found[0].failure.empty()) throw Error(Code::unsupported, found[0].failure);
  return found[0].split;
}

// The search within each outer fold, its winner judged on the rows that were left out.
void add_honest_figure(TuneResult& result, const Spec& spec, const Part& whole,
                       const Context& ctx) {
  const TuneOptions& options = whole.options;
  EvaluateOptions outside = options_for(options);
  outside.bootstrap = options.evaluate.bootstrap;
  outside.holdout = false;
  outside.split.folds = options.outer;
  outside.split.repeats = 1;
  const std::vector<Fold> folds =
      make_splits(whole.data->y, outside, ctx.with_seed(ctx.seed() + 1));
  const std::string identity = outside.store != nullptr ? data_identity(*whole.data) : "";
  std::vector<SplitResult> splits;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const auto from = static_cast<double>(f) / static_cast<double>(folds.size());
    const Context part = ctx.part(from, from + 1.0 / static_cast<double>(folds.size()));
    const Part inside = part_of_rows(whole, folds[f].train);
    const Searched found = search(spec, inside, result.higher_is_better, part);
    const Spec& winner = result.outer_winners.emplace_back(found.trials[found.best].spec);
    splits.push_back(options.judge ? judged_elsewhere(options, winner, folds[f])
                                   : stored_split(CompleteSpec(winner), *whole.data, identity,
                                                  folds[f], outside, ctx.quiet()));
  }
  result.outer = estimate_of(options.measure, splits, outside);
}

}  // namespace

TrialOutcome judge_trial(const Spec& spec, const Dataset& data, std::span<const Id> rows,
                         const Fold& fold, const TuneOptions& options, const Context& ctx) {
  const EvaluateOptions evaluate = options_for(options);
  if (rows.empty()) return outcome_of(spec, data, "", fold, evaluate, ctx);
  return outcome_of(spec, take_rows(data, rows), "", fold, evaluate, ctx);
}

TuneResult tune(const CompleteSpec& complete, const Dataset& data, const TuneOptions& given,
                const Context& ctx) {
  const Spec& spec = complete.given();  // what it says is kept, the rest may be searched
  TuneOptions options = given;
  if (options.axes.empty()) options.axes = declared_axes(spec);
  if (options.axes.empty()) {
    throw Error(Code::usage, spec.text() + " leaves no parameter to search",
                "Give values to try, e.g. " + mention("grid", "C=0.1,1,10"));
  }
  Features outline;
  check_learner(complete, outline_of(data, outline),
                options.evaluate.preprocess.impute != Impute::none);
  TuneResult out;
  out.measure = options.measure;
  out.higher_is_better = measure_info(options.measure).higher_is_better;
  out.splits = describe_splits(options.evaluate);
  out.convention = std::string(name_of(options.evaluate.measure.convention));
  for (const SearchAxis& axis : options.axes) out.searched.push_back(axis.name);
  const double own = options.outer > 0 ? 1.0 / static_cast<double>(options.outer + 1) : 1.0;
  const Part whole{{}, {std::shared_ptr<const Dataset>(), &data}, options};
  Searched found = search(spec, whole, out.higher_is_better, ctx.part(0, own));
  out.trials = std::move(found.trials);
  out.best = found.best;
  out.defaults = found.defaults;
  out.impossible = found.impossible;
  if (options.outer > 0) add_honest_figure(out, spec, whole, ctx.part(own, 1));
  return out;
}

std::string TuneResult::json() const {
  Json list = Json::array();
  for (const Trial& trial : trials) {
    list.push_back({{"expression", trial.spec.text()},
                    {"mean", number_or_null<Json>(trial.estimate.mean)},
                    {"deviation", number_or_null<Json>(trial.estimate.deviation)},
                    {"share_of_rows", trial.share},
                    {"fit_seconds", trial.fit_seconds},
                    {"failure", trial.failure.empty() ? Json(nullptr) : Json(trial.failure)}});
  }
  Json out = {{"measure", measure},
              {"higher_is_better", higher_is_better},
              {"splits", splits},
              {"convention", convention},
              {"searched", searched},
              {"best", trials[best].spec.text()},
              {"best_mean", number_or_null<Json>(trials[best].estimate.mean)},
              {"impossible", impossible},
              {"trials", std::move(list)}};
  if (defaults < trials.size()) {
    out["defaults_mean"] = number_or_null<Json>(trials[defaults].estimate.mean);
  }
  if (outer) {
    Json winners = Json::array(), values = Json::array();
    for (const Spec& spec : outer_winners) winners.push_back(spec.text());
    for (const double v : outer->values) values.push_back(number_or_null<Json>(v));
    out["outer"] = {{"mean", number_or_null<Json>(outer->mean)},
                    {"deviation", number_or_null<Json>(outer->deviation)},
                    {"low", number_or_null<Json>(outer->low)},
                    {"high", number_or_null<Json>(outer->high)},
                    {"values", std::move(values)},
                    {"winners", std::move(winners)}};
  }
  return json_text(out);
}

}  // namespace mulberry::evaluate
