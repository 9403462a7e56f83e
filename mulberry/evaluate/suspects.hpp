// Suspects: cells of a data set whose label looks wrong. A missing label is one that a row does not
// have but probably should; a suspicious one is one that it has but probably should not.
//
// Every row is judged by a model that has not been trained on it. What is compared is the score of
// the cell with the mean score of the row's labels of the other kind: a label that a row does not
// have with those it has, and the other way round. Only differences within a row count, so any
// learner with scores can serve. Cost: `folds` fits, and sorting the cells.
#pragma once

#include <vector>

#include "mulberry/data/dataset.hpp"
#include "mulberry/data/preprocess.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry {

enum class SuspectKind {
  missing,    // among cells that are 0 or unknown
  suspicious  // among cells that are 1
};

struct Suspect {
  Id row = 0, label = 0;
  double score = 0;
  // missing: score minus the mean of the row's assigned labels; suspicious: the mean of its other
  // labels minus score. The higher, the worse it looks. A mean of no label is that of all scores.
  double gap = 0;
};

// All cells of that kind, the worst first; the lower row, then the lower label, on ties.
std::vector<Suspect> rank_suspects(const Labels& y, const Matrix& scores, SuspectKind kind);

// Scores of every row by a model of the other folds; preprocessing, too, sees those only. Throws
// Error unless there are two rows.
Matrix out_of_fold_scores(const Spec& spec, const Dataset& data,
                          const PreprocessOptions& preprocess, Index folds, const Context& ctx);

// How many of the suspects are, by the truth, what they are suspected of.
struct Recovery {
  Index wrong = 0;       // such cells among all suspects
  Index candidates = 0;  // suspects
  double area = 0;       // AUC: chance that such a cell ranks above another; NaN without both kinds
  std::vector<Index> at = {};     // numbers of suspects
  std::vector<Index> found = {};  // such cells among the first that many

  double random() const;                  // expected precision of any order
  double precision(std::size_t k) const;  // of the first at[k]
};
bool is_wrong(const Suspect& suspect, const Labels& truth, SuspectKind kind);
// `at` that exceed the number of suspects are left out.
Recovery judge_suspects(const std::vector<Suspect>& suspects, const Labels& truth, SuspectKind kind,
                        const std::vector<Index>& at);

}  // namespace mulberry
