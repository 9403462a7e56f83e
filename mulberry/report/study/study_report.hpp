// The results of a study for people and for programs.
#pragma once

#include <span>
#include <string>

#include "mulberry/report/scores_report.hpp"
#include "mulberry/report/table.hpp"
#include "mulberry/study/runner.hpp"
#include "mulberry/study/study_results.hpp"

namespace mulberry::report {

using namespace study;

// What a run would do: one row per set and learner.
Table plan_table(const Plan& plan, const CellStore& store, const RunOptions& options);

// Title, tables with what the tests say, failures, what is missing.
std::string results_text(const StudyResults& results, std::span<const compare::Verdicts> verdicts,
                         bool colours);
// What each learner needed: one row per set and learner.
Table cost_table(const StudyResults& results);
// Published values and ours, and a sentence for each difference that has one.
std::string published_text(const Study& study, const StudyResults& results, bool colours);

struct StudyFiles {
  bool costs = false;  // times and memory, which differ from run to run
};
// One object: learners, sets, means, deviations, ranks, tests; published values, failures.
std::string results_json(const Study& study, const StudyResults& results,
                         std::span<const compare::Verdicts> verdicts, const StudyFiles& files);

}  // namespace mulberry::report
