// Tuning: the parameters of a learner with the best cross-validated value of one measure.
//
//   grid     every combination of a few values per parameter
//   random   combinations drawn from the ranges
//   halving  random combinations on few rows; the better third goes on with three times the rows,
//            until the last few are compared on all of them
//
// Every search also tries the learner as it was given, and so never ends below it; combinations
// that the learner refuses are left out, and random searches draw others in their place.
//
// The value of the winner is the best of many and therefore too optimistic. With outer folds the
// whole search is repeated within each of them and judged on rows that it never saw: that is the
// honest figure.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mulberry/evaluate/cross_validate.hpp"
#include "mulberry/evaluate/search_space.hpp"

namespace mulberry::evaluate {

enum class Search { grid, random, halving };

// Trials that can be judged at the same time, each on every fold.
struct TrialBatch {
  std::span<const Spec> specs = {};
  std::span<const Id> rows = {};  // of the data: those that the folds number; empty: all
  std::span<const Fold> folds = {};
};
// What became of a trial on a fold.
struct TrialOutcome {
  SplitResult split = {};
  std::string failure = {};  // why there is no value
  bool impossible = false;   // its parameters do not go together
};
// Judges a batch elsewhere, on several machines say: specs x folds outcomes, all of a spec next
// to each other. Each must be what judge_trial gives.
using TrialJudge = std::function<std::vector<TrialOutcome>(const TrialBatch&)>;

struct TuneOptions {
  std::string measure = "micro_f1";
  Search search = Search::random;
  std::vector<SearchAxis> axes = {};  // empty: declared_axes
  Index trials = 30;                  // drawn, or at most in a grid
  Index grid_points = 5;              // values of a range in a grid
  Index outer = 0;                    // outer folds for an honest figure; 0: none
  EvaluateOptions evaluate = {};      // splits within the search, preprocessing, conventions
  TrialJudge judge = {};              // empty: here, in parallel
};

struct Trial {
  Spec spec = {};            // as it was tried, without defaults
  Estimate estimate = {};    // of the measure
  double share = 1;          // of the rows that it was judged on
  double fit_seconds = 0;    // mean over the splits
  std::string failure = {};  // why there is no value
  bool impossible = false;   // its parameters do not go together
};

struct TuneResult {
  std::string measure = {};
  bool higher_is_better = true;
  std::string splits = {}, convention = {};
  std::vector<std::string> searched = {};  // names of the parameters that varied
  std::vector<Trial> trials = {};          // in the order tried
  std::size_t best = 0;                    // among the trials on all rows
  std::size_t defaults = 0;                // the trial of the learner as given, on all rows
  Index impossible = 0;                    // combinations left out: they do not go together
  std::optional<Estimate> outer = {};      // the honest figure
  std::vector<Spec> outer_winners = {};    // of each outer fold

  std::string json() const;
};

// Throws Error if there is nothing to search, and the Error of the first trial if every trial
// fails.
TuneResult tune(const CompleteSpec& spec, const Dataset& data, const TuneOptions& options,
                const Context& ctx);

// One trial on one fold of `rows`, all if there are none.
TrialOutcome judge_trial(const Spec& spec, const Dataset& data, std::span<const Id> rows,
                         const Fold& fold, const TuneOptions& options, const Context& ctx);

}  // namespace mulberry::evaluate
