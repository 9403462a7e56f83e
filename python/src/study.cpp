// Studies: whole comparisons from one file.
#include <optional>

#include "mulberry/report/page/comparison_page.hpp"
#include "mulberry/report/scores_report.hpp"
#include "mulberry/report/study/study_report.hpp"
#include "python/src/binding.hpp"
#include "python/src/run.hpp"

namespace mulberry::python {
namespace {

using namespace report;

// What of a study is run: see study/runner.hpp.
struct StudyRun {
  bool quick = false, collect = false;
  std::vector<std::string> only = {};
  Index shard = 1, shards = 1;
  double budget = 0;
  Index repeats = 0;  // 0: as many as the study says
};

StudyRun run_from(const nb::dict& given) {
  StudyRun out;
  const auto take = [&](const char* name, auto& value) {
    if (given.contains(name)) value = nb::cast<std::decay_t<decltype(value)>>(given[name]);
  };
  take("quick", out.quick);
  take("collect", out.collect);
  take("only", out.only);
  take("shard", out.shard);
  take("shards", out.shards);
  take("budget", out.budget);
  take("repeats", out.repeats);
  return out;
}

// A dict of the results as JSON, text, LaTeX, CSV and a page, and how many cells ran.
nb::dict run_study(const std::string& path, const std::string& work, const nb::dict& options,
                   const std::string& command, double alpha, const std::string& test, int threads,
                   nb::object progress) {
  const StudyRun what = run_from(options);
  Study study = read_study(path, what.quick ? StudySize::quick : StudySize::full);
  if (what.repeats > 0) study = with_repeats(std::move(study), what.repeats);
  std::optional<Plan> plan;
  std::optional<CellStore> store;
  RunCount count;
  run({.threads = threads, .seed = study.protocol.seed, .progress = std::move(progress)},
      [&](const Context& ctx) {
        plan = only(make_plan(study, ctx), what.only);
        store.emplace(work, what.collect ? StoreUse::read : StoreUse::make);
        if (what.collect) return;
        count = run_cells(
            *plan, *store,
            {.shard = what.shard, .shards = what.shards, .budget_minutes = what.budget}, ctx);
      });
  const StudyResults results = collect(*plan, *store);
  const std::vector<Verdicts> verdicts = verdicts_of(
      results, {.alpha = alpha, .test = pair_test_of(test)}, Context(1, study.protocol.seed));
  nb::dict out;
  std::vector<std::pair<Index, std::string>> pending;
  for (const std::size_t c : chosen_cells(*plan, {})) {
    const PlannedCell& cell = plan->cells[c];
    if (!plan->find(*store, cell)) {
      pending.emplace_back(static_cast<Index>(c), plan->name_of(cell));
    }
  }
  out["cells"] = count_of(plan->cells);
  out["pending"] = pending;
  out["json"] = results_json(study, results, verdicts, {.costs = true});
  out["text"] = results_text(results, verdicts, false) + published_text(study, results, false);
  out["latex"] = scores_latex(results.scores, verdicts);
  out["csv"] = scores_rows(results.scores, verdicts).csv();
  out["page"] = page_html(study_page(study, results, verdicts, command));
  out["made"] = count.made;
  out["there"] = count.there;
  out["left"] = count.left;
  return out;
}

}  // namespace

void bind_study(nb::module_& m) {
  m.def("run_study", &run_study, nb::arg("path"), nb::arg("work"), nb::arg("options"),
        nb::arg("command"), nb::arg("alpha") = 0.05, nb::arg("test") = "wilcoxon-holm",
        nb::arg("threads") = 1, nb::arg("progress") = nb::none());
}

}  // namespace mulberry::python
