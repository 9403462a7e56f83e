// Cells with limits: each runs in a separate process, which the system ends when it has used up
// its time or memory. That, too, is a result, and is kept.
#pragma once

#include <vector>

#include "mulberry/study/plan.hpp"

namespace mulberry::study {

// Who is over the limit on which set. One split is enough: the learner has no result there, and its
// other splits need not run.
class OverLimit {
 public:
  OverLimit(const Plan& plan, const CellStore& store);
  bool has(const PlannedCell& cell) const { return over_[place(cell)] != 0; }
  void add(const PlannedCell& cell) { over_[place(cell)] = 1; }

 private:
  std::size_t place(const PlannedCell& cell) const { return cell.set * learners_ + cell.learner; }

  std::size_t learners_;
  std::vector<char> over_;
};

struct ProcessCount {
  Index made = 0, settled = 0;  // settled: not run, because another split was over the limit
};

// Runs plan.cells[k] for every k of `pending`, as many at a time as the context has threads, until
// `deadline` (wall_seconds). Throws Cancelled if stopped, and Error if a process ends in a way that
// no limit explains.
ProcessCount run_in_processes(const Plan& plan, const CellStore& store,
                              const std::vector<std::size_t>& pending, double deadline,
                              const Context& ctx);

// The words with which a failure begins that is due to a limit.
inline constexpr std::string_view k_over_limit = "over the limit";

}  // namespace mulberry::study
