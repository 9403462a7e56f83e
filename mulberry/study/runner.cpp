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

// The part of `shards`, from 0, that a cell belongs to. Its name says, not its place: in their order
// the cells of a learner would all go to one machine if there are as many shards as learners.
Index shard_of(const PlannedCell& cell, Index shards) {
  std::uint64_t number = 0;
  for (const char c : digest_of(cell.identity).substr(0, 15)) {
    number = 16 * number + static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return static_cast<Index>(number % static_cast<std::uint64_t>(shards));
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
    // Several threads are measured in wall-clock time, which is no cost of a learner.
    const bool shares = waiting < ctx.threads() && !plan.study.costs;
    SplitResult result = run_cell(plan, cell, shares ? ctx : serial);
    ctx.check();  // a learner that was stopped may have failed for that reason
    if (alone) result.peak_memory = peak_memory();
    store.keep(cell.identity, result);
    ctx.step(static_cast<double>(++made) / static_cast<double>(pending.size()));
  });
  count.made = made;
}

}  // namespace

std::vector<std::size_t> chosen_cells(const Plan& plan, const RunOptions& options) {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < plan.cells.size(); ++c) {
    if (options.shards == 1 || shard_of(plan.cells[c], options.shards) == options.shard - 1) {
      out.push_back(c);
    }
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
    out.settled = count.settled;
    out.left = count_of(pending) - count.made - count.settled;
  } else {
    run_in_threads(plan, store, pending, deadline, out, ctx);
    out.left = count_of(pending) - out.made;
  }
  out.there = out.cells - out.made - out.left - out.settled;
  return out;
}

}  // namespace mulberry::study
