// The plan of a study: its data, its splits, and its cells in the order in which they run.
//
// Every learner sees the same splits. The first split of every set and learner comes first, so that
// a study that is stopped early has something of everything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mulberry/evaluate/cell_store.hpp"
#include "mulberry/study/study_data.hpp"
#include "mulberry/study/study_file.hpp"

namespace mulberry::study {

struct PlannedSet {
  StudySet set = {};
  std::vector<Fold> splits = {};
};

struct PlannedCell {
  std::size_t set = 0, learner = 0, split = 0;
  std::string identity = {};  // see evaluate/cell_store.hpp
  // Of the result "over the limit", which depends on the limits, too; empty if there are none.
  std::string limited = {};
};

struct Plan {
  Study study = {};
  std::vector<Dataset> data = {};  // as in Study::data
  std::vector<CompleteSpec> learners = {};
  std::vector<PlannedSet> sets = {};
  std::vector<PlannedCell> cells = {};

  EvaluateOptions options(std::size_t set, std::size_t learner) const;
  // The cell from the store, whichever way it ended; empty if it has not run.
  std::optional<SplitResult> find(const CellStore& store, const PlannedCell& cell) const;
  // How many repeats of the splits, from the first on, the store has all cells of.
  Index finished_repeats(const CellStore& store) const;
  std::string name_of(const PlannedCell& cell) const;  // "rml on scene, split 3"
};

// Reads the data and makes the splits. Learners that cannot use a set are no error here: their
// cells say so.
Plan make_plan(Study study, const Context& ctx);
// As above, with data that was read already, in the order of the study.
Plan make_plan(Study study, std::vector<LoadedData> loaded, const Context& ctx);

// The part of a plan that has these learners and sets, by name; all sets if only learners are
// named, and all learners if only sets are. Throws Error (usage) for an unknown name.
Plan only(Plan plan, const std::vector<std::string>& names);

// Runs a cell. What a learner cannot do is a result with the reason in `failure`.
SplitResult run_cell(const Plan& plan, const PlannedCell& cell, const Context& ctx);

}  // namespace mulberry::study
