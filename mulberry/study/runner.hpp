// Runs the cells of a plan that its store does not have. Each finished cell is on disk before its
// thread begins another, so a run that is stopped, or killed, loses only what was under way.
//
// Without limits the cells share the threads of the context: each cell has one thread, and all of
// them once fewer cells than threads are left. With limits every cell has a separate process.
#pragma once

#include <string>
#include <vector>

#include "mulberry/study/plan.hpp"

namespace mulberry::study {

struct RunOptions {
  Index shard = 1, shards = 1;  // this run has one part of so many, drawn by the names of the cells
  double budget_minutes = 0;    // after these no further cell begins; 0: no limit
};

struct RunCount {
  Index cells = 0;    // of this run: of its shard
  Index there = 0;    // finished before
  Index settled = 0;  // not run, because another split was over the limit
  Index made = 0;     // finished now
  Index damaged = 0;  // files that could not be used; their cells were made again
  Index left = 0;     // the budget was too small for them
};

// The cells of this run, as indices into plan.cells.
std::vector<std::size_t> chosen_cells(const Plan& plan, const RunOptions& options);

// Throws Cancelled if the context is stopped; what is finished stays.
RunCount run_cells(const Plan& plan, const CellStore& store, const RunOptions& options,
                   const Context& ctx);

}  // namespace mulberry::study
