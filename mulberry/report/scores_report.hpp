// Comparisons of learners over data sets: tables for the terminal and for papers, rows for
// spreadsheets, and one JSON object for programs. Verdict k belongs to scores k.
#pragma once

#include <span>
#include <string>

#include "mulberry/compare/verdicts.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {

// Mean ± deviation per set and learner, the best of each set marked, • after learners that are
// significantly worse than it (corrected resampled t-test with Holm's correction); the last row has
// mean ranks, where • means significantly worse than the best rank by the test over sets. More than
// six learners are rows instead of columns, by mean rank, and only means are shown.
Table scores_table(const Scores& scores, const Verdicts& verdicts);

// The table with its explanation, then what the tests over data sets say.
std::string scores_text(const Scores& scores, const Verdicts& verdicts, bool colours);

// What the tests over data sets say of all learners and of their pairs; of two sets at least.
std::string tests_text(const Scores& scores, const Verdicts& verdicts);

// One tabular per measure, with the explanation as a comment.
std::string scores_latex(std::span<const Scores> scores, std::span<const Verdicts> verdicts);

// One row per measure, set and learner.
Table scores_rows(std::span<const Scores> scores, std::span<const Verdicts> verdicts);

// {"learners": [...], "sets": [...], "measures": [...], "mean": {measure: {set: {learner: value}}},
//  "deviation": ..., "status": ..., "ranks": {measure: {learner: mean rank}}, "tests": {measure:
//  {"friedman": ..., "wilcoxon_holm": ..., "nemenyi": ..., "bayesian": ..., "resampled_t": ...}}}.
// All measures have the same learners and sets.
std::string scores_json(std::span<const Scores> scores, std::span<const Verdicts> verdicts);

// "p 0.0123", "p < 0.0001"
std::string p_text(double p);

}  // namespace mulberry::report
