#include "mulberry/study/runner.hpp"

#include <algorithm>
#include <atomic>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/resources.hpp"
#include "mulberry/study/cell_process.hpp"

namespace mulberry::study {
namespace {

// Which of `names` were asked for; all if none was.
std::vector<bool> asked(const std::vector<std::string>& names,
                        const std::vector<std::string>& only) {
  std::vector<bool> out;
  for (const std::string& name : names) {
    out.push_back(std::find(only.begin(), only.end(), name) != only.end());
  }
  if (std::find(out.begin(), out.end(), true) == out.end()) out.assign(names.size(), true);
  return out;
}

void run_in_threads(const Plan& plan, const CellStore& store,
                    const std::vector<std::size_t>& pending, double deadline, RunCount& count,
                    const Context& ctx) {
  std::atomic<Index> begun = 0, made = 0;
  const Context serial = ctx.serial();
  parallel_for(ctx, count_of(pending), [&](Index task) {
    ctx.check();
    if (wall_seconds() > deadline) return;
    const Index waiting = count_of(pending) - ++begun;
    const PlannedCell& cell = plan.cells[pending[at(task)]];
    const bool alone = ctx.threads() == 1;
    if (alone) reset_peak_memory();
    SplitResult result = run_cell(plan, cell, waiting < ctx.threads() ? ctx : serial);
    ctx.check();  // a learner that was stopped may have failed for that reason
    if (alone) result.peak_memory = peak_memory();
    store.keep(cell.identity, result);
    ctx.step(static_cast<double>(++made) / static_cast<double>(pending.size()));
  });
  count.made = made;
}

}  // namespace

std::vector<std::size_t> chosen_cells(const Plan& plan, const RunOptions& options) {
  std::vector<std::string> learners, sets;
  for (const StudyLearner& learner : plan.study.learners) learners.push_back(learner.name);
  for (const PlannedSet& set : plan.sets) sets.push_back(set.set.name);
  std::vector<std::string> known = learners;
  known.insert(known.end(), sets.begin(), sets.end());
  for (const std::string& name : options.only) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(Code::usage, "the study has no learner or data set " + in_quotes(name),
                did_you_mean(name, known, "It has " + join(known, ", ")));
  }
  const std::vector<bool> with_learner = asked(learners, options.only),
                          with_set = asked(sets, options.only);
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < plan.cells.size(); ++c) {
    const PlannedCell& cell = plan.cells[c];
    if (static_cast<Index>(c) % options.shards != options.shard - 1) continue;
    if (with_learner[cell.learner] && with_set[cell.set]) out.push_back(c);
  }
  return out;
}

RunCount run_cells(const Plan& plan, const CellStore& store, const RunOptions& options,
                   const Context& ctx) {
  const double deadline = options.budget_minutes > 0 ? wall_seconds() + 60 * options.budget_minutes
                                                     : std::numeric_limits<double>::infinity();
  const std::vector<std::size_t> chosen = chosen_cells(plan, options);
  std::vector<char> found(chosen.size());
  const Index damaged = store.damaged();
  parallel_for(ctx.quiet(), count_of(chosen), [&](Index k) {
    found[at(k)] = plan.find(store, plan.cells[chosen[at(k)]]).has_value() ? 1 : 0;
  });
  RunCount out{.cells = count_of(chosen), .damaged = store.damaged() - damaged};
  std::vector<std::size_t> pending;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (found[k] == 0) pending.push_back(chosen[k]);
  }
  if (plan.study.limits.any()) {
    const ProcessCount count = run_in_processes(plan, store, pending, deadline, ctx);
    out.made = count.made;
    out.left = count_of(pending) - count.made - count.settled;
  } else {
    run_in_threads(plan, store, pending, deadline, out, ctx);
    out.left = count_of(pending) - out.made;
  }
  out.there = out.cells - out.made - out.left;
  return out;
}

}  // namespace mulberry::study
