// Cells with limits: each runs in a separate process, which the system ends when it has used up
// its time or memory. That, too, is a result, and is kept.
#pragma once

#include <vector>

#include "mulberry/study/plan.hpp"

namespace mulberry::study {

// Runs plan.cells[k] for every k of `pending`, as many at a time as the context has threads, until
// `deadline` (wall_seconds). Returns how many have finished. Throws Cancelled if stopped, and Error
// if a process ends in a way that no limit explains.
Index run_in_processes(const Plan& plan, const CellStore& store,
                       const std::vector<std::size_t>& pending, double deadline,
                       const Context& ctx);

// The words with which a failure begins that is due to a limit.
inline constexpr std::string_view k_over_limit = "over the limit";

}  // namespace mulberry::study
