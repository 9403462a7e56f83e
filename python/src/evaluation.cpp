// Tuning, and what the results of several learners on several data sets say.
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/tune.hpp"
#include "mulberry/report/page/comparison_page.hpp"
#include "python/src/convert.hpp"
#include "python/src/run.hpp"
#include "python/src/scores.hpp"
#include "python/src/specs.hpp"

namespace mulberry::python {
namespace {

Search search_of(const std::string& name) {
  if (name == "grid") return Search::grid;
  if (name == "random") return Search::random;
  if (name == "halving") return Search::halving;
  throw Error(Code::parameter,
              "search must be one of grid, random, halving, got " + in_quotes(name));
}

// How trials are judged, here or on a worker.
TuneOptions options_of(const std::string& measure, Index folds) {
  TuneOptions out{.measure = measure};
  out.evaluate.split.folds = folds;
  return out;
}

NumpyVector<Id> array_of(std::span<const Id> rows) {
  return to_numpy(std::vector<Id>(rows.begin(), rows.end()));
}

// (value or None, seconds of training, failure, whether the parameters do not go together)
using Outcome = std::tuple<std::optional<double>, double, std::string, bool>;

// Asks a Python function for the outcomes of a batch of trials: it gets the specs, the rows of the
// data that the folds number (none: all), and the folds. `function` must outlive what is returned,
// which is copied by threads that do not hold the GIL.
TrialJudge judge_with(const nb::object& function, const std::string& measure) {
  if (function.is_none()) return {};
  return [&function, measure](const TrialBatch& batch) {
    const nb::gil_scoped_acquire acquire;
    nb::list specs, folds;
    for (const Spec& spec : batch.specs) specs.append(tuple_of(spec));
    for (const Fold& fold : batch.folds) {
      folds.append(nb::make_tuple(array_of(fold.train), array_of(fold.test)));
    }
    std::vector<TrialOutcome> out;
    for (const nb::handle item : nb::list(function(specs, array_of(batch.rows), folds))) {
      auto [value, seconds, failure, impossible] = nb::cast<Outcome>(item);
      TrialOutcome& outcome = out.emplace_back();
      if (value) outcome.split.values.push_back({.name = measure, .value = *value});
      outcome.split.fit_seconds = seconds;
      outcome.failure = std::move(failure);
      outcome.impossible = impossible;
    }
    return out;
  };
}

// (result as JSON, spec of the winner, page of HTML)
nb::tuple tune_of(nb::handle given, const Dataset& data, const std::string& measure,
                  const std::string& search, const std::string& grid, Index trials, Index folds,
                  Index outer, int threads, std::uint64_t seed, const std::string& data_name,
                  nb::object progress, const nb::object& judge) {
  const Spec spec = spec_of(given);
  TuneOptions options = options_of(measure, folds);
  options.search = search_of(search);
  if (!grid.empty()) options.axes = parse_grid(grid, spec);
  options.trials = trials;
  options.outer = outer;
  options.judge = judge_with(judge, measure);
  TuneResult result;
  run({.threads = threads, .seed = seed, .progress = std::move(progress)},
      [&](const Context& ctx) { result = tune(CompleteSpec(spec), data, options, ctx); });
  return nb::make_tuple(result.json(), tuple_of(complete_spec(result.trials[result.best].spec)),
                        report::page_html(report::tune_page(result, spec.text(), data_name)));
}

// One trial of such a batch on one fold.
nb::tuple judge_trial_of(nb::handle given, const Dataset& data, const Vector<Id>& rows,
                         const Vector<Id>& train, const Vector<Id>& test,
                         const std::string& measure, Index folds, std::uint64_t seed) {
  const Spec spec = spec_of(given);
  const Fold fold{.train = copy_of(train), .test = copy_of(test)};
  TrialOutcome found;
  run({.threads = 1, .seed = seed, .progress = nb::none()}, [&](const Context& ctx) {
    found = judge_trial(spec, data, span_of(rows), fold, options_of(measure, folds), ctx.serial());
  });
  std::optional<double> value;
  if (!found.split.values.empty()) value = found.split.values[0].value;
  return nb::make_tuple(value, found.split.fit_seconds, found.failure, found.impossible);
}

}  // namespace

// A data set: its name, (training rows, test rows) of every split, learners x splits.
using SetResults = std::tuple<std::string, std::vector<std::pair<Index, Index>>, DenseArray>;

Scores scores_of(bool higher_is_better, std::vector<std::string> learners, const nb::list& sets) {
  Scores out{.higher_is_better = higher_is_better, .learners = std::move(learners)};
  for (const nb::handle item : sets) {
    const auto [name, splits, values] = nb::cast<SetResults>(item);
    SetScores set{.name = name};
    for (const auto& [train, test] : splits) set.splits.push_back({train, test});
    const FixedMatrix matrix = matrix_of(values);
    for (Index k = 0; k < matrix.rows(); ++k) {
      const auto row = matrix.row(k);
      set.cells.push_back({CellStatus::measured, {row.begin(), row.end()}});
    }
    out.sets.push_back(std::move(set));
  }
  return out;
}

namespace {

nb::dict judge_of(bool higher_is_better, std::vector<std::string> learners, const nb::list& sets,
                  double alpha, const std::string& test, std::uint64_t seed) {
  const Scores scores = scores_of(higher_is_better, std::move(learners), sets);
  const Verdicts found =
      judge(scores, {.alpha = alpha, .test = pair_test_of(test)}, Context(1, seed));
  nb::dict out;
  out["mean_rank"] = found.mean_rank;
  out["order"] = std::vector<Index>(found.order.begin(), found.order.end());
  out["friedman_p"] = found.friedman.f_p;
  out["friedman_f"] = found.friedman.f;
  out["critical_difference"] = found.critical_difference;
  out["pairs"] = to_numpy(Matrix(found.pairs()));
  out["wins"] = to_numpy(Matrix(found.wins));
  nb::list groups, within;
  for (const auto& [first, last] : found.groups()) groups.append(nb::make_tuple(first, last));
  for (const SetVerdicts& set : found.sets) within.append(nb::make_tuple(set.best, set.p));
  out["groups"] = groups;
  out["sets"] = within;
  return out;
}

}  // namespace

void bind_evaluation(nb::module_& m) {
  m.def("tune", &tune_of, nb::arg("spec"), nb::arg("data"), nb::arg("measure"), nb::arg("search"),
        nb::arg("grid"), nb::arg("trials"), nb::arg("folds"), nb::arg("outer"),
        nb::arg("threads") = 1, nb::arg("seed") = 0, nb::arg("data_name") = "the data",
        nb::arg("progress") = nb::none(), nb::arg("judge") = nb::none());
  m.def("judge_trial", &judge_trial_of, nb::arg("spec"), nb::arg("data"), nb::arg("rows"),
        nb::arg("train"), nb::arg("test"), nb::arg("measure"), nb::arg("folds"), nb::arg("seed"));
  m.def("judge", &judge_of, nb::arg("higher_is_better"), nb::arg("learners"), nb::arg("sets"),
        nb::arg("alpha") = 0.05, nb::arg("test") = "wilcoxon-holm", nb::arg("seed") = 0);
}

}  // namespace mulberry::python
