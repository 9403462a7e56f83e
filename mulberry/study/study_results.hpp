// What a study has found so far: its cells put together, one table of values per measure.
#pragma once

#include <string>
#include <vector>

#include "mulberry/compare/verdicts.hpp"
#include "mulberry/study/plan.hpp"

namespace mulberry::study {

// What a learner needed on a set, over its splits.
struct CellCost {
  Estimate fit_seconds = {}, predict_seconds = {}, search_seconds = {};
  Index peak_memory = 0;  // the largest, 0: not measured
};

struct StudyFailure {
  std::string set = {}, learner = {}, reason = {};
  Index splits = 0;
};

struct StudyResults {
  std::string title = {}, protocol = {}, convention = {};
  std::vector<std::string> learners = {}, expressions = {}, sets = {};
  std::vector<Index> rows = {}, labels = {};      // of the sets
  std::vector<compare::Scores> scores = {};       // one per measure
  std::vector<compare::Scores> tables = {};       // one per value of a table that the models show
  std::vector<std::vector<CellCost>> costs = {};  // by set and learner
  std::vector<StudyFailure> failures = {};
  std::vector<std::vector<std::vector<std::string>>> chosen = {};  // by set, learner and split
  Index cells = 0, missing = 0;
};

StudyResults collect(const Plan& plan, const CellStore& store);

// What the tests say about each measure.
std::vector<compare::Verdicts> verdicts_of(const StudyResults& results,
                                           const compare::VerdictOptions& options,
                                           const Context& ctx);

// A published value, ours, and what is to be said about them.
struct PublishedLine {
  PublishedValue published = {};
  double ours = 0, deviation = 0;  // NaN: there is no value
  bool comparable = true;          // not of other data, and not a time
  bool reached = false;            // within the tolerance of the study or the published deviation
  std::string remark = {};
};
std::vector<PublishedLine> compare_published(const Study& study, const StudyResults& results);

}  // namespace mulberry::study
