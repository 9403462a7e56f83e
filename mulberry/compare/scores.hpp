// Scores: the results of one measure for every data set, learner and split. Whoever runs a
// comparison fills it in; ranks, tests, tables and pictures read it.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/core/rooms.hpp"

namespace mulberry::compare {

// missing: not (or not completely) computed, or the measure does not apply. over_limit: the learner
// needed more time or memory than was allowed. failed: it cannot learn from this data. The last two
// are results: such a learner ranks behind all that have a value. A missing cell says nothing.
enum class CellStatus : char { missing, measured, over_limit, failed };

std::string_view name_of(CellStatus status);  // "missing", "measured", "over the limit", "failed"

// One learner on one data set.
struct ScoreCell {
  CellStatus status = CellStatus::missing;
  std::vector<double> values = {};  // one per split of the set; NaN: the split has no value
};

struct SplitRows {
  Index train = 0, test = 0;  // number of rows
};

struct SetScores {
  std::string name = {};
  std::vector<SplitRows> splits = {};
  std::vector<ScoreCell> cells = {};  // one per learner
};

struct Scores {
  std::string measure = {};
  bool higher_is_better = true;
  std::vector<std::string> learners = {};
  std::vector<SetScores> sets = {};
};

// Over the splits that have a value. NaN if the cell was not measured, or has too few values.
double mean(const ScoreCell& cell);
double deviation(const ScoreCell& cell);  // divided by the number of splits less one

// The learner with the best mean on a set, the first of equals; -1 if none has a mean.
Index best_of(const SetScores& set, bool higher_is_better);
bool is_best(const SetScores& set, bool higher_is_better, std::size_t learner);  // all of equals

// Throws Bug unless every set has one cell per learner and every measured cell one value per split.
void require_shape(const Scores& scores);

// The part of the results that can be compared: first, learners without a result on any set are
// left out; then, sets on which one of the other learners is missing.
struct Comparable {
  std::vector<std::size_t> learners = {}, sets = {};  // increasing
  // Sets x learners: the means, turned round if necessary so that more is better; -infinity for
  // cells over the limit and for failed ones.
  Matrix gains = {};
};
Comparable comparable(const Scores& scores);

}  // namespace mulberry::compare
