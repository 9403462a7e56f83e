// Suspects: cells of a data set whose label looks wrong. A missing label is one that a row lacks
// but probably should have; a suspicious label is one that it has but probably should not have.
//
// Every row is judged by a model that has not been trained on it. Its scores become chances of a
// label by Platt's method, label by label: a cell is a suspect if its chance contradicts it. With
// many labels, scores are taken relative to the mean and deviation of their row, because for some
// learners rows differ in scale. Any learner with scores can be used. Cost: `folds` fits, and
// sorting the cells.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "mulberry/data/dataset.hpp"
#include "mulberry/data/preprocess/preprocess.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::evaluate {

enum class SuspectKind {
  missing,    // among cells that are 0 or unknown
  suspicious  // among cells that are 1
};

struct Suspect {
  Id row = 0, label = 0;
  double chance = 0;  // that the row has the label
  double score = 0;
  // The score minus the mean score of the row's labels of the other kind: the labels that it has
  // for a missing label, the labels that it does not have for a suspicious one; of all labels if
  // there are none of that kind.
  double gap = 0;
};

// The chance of every cell, from out-of-fold scores; probabilities are used as log odds.
Matrix label_chances(const Labels& y, MatrixView scores, Scale scale, const Context& ctx);
// The cells of that kind: missing labels by decreasing chance, suspicious ones by increasing
// chance; ties by the gap in the same way, then by row and label. Memory: for `most` cells and a
// million more.
std::vector<Suspect> rank_suspects(const Labels& y, MatrixView scores, MatrixView chances,
                                   SuspectKind kind,
                                   Index most = std::numeric_limits<Index>::max());
// The same suspects, all of a row one after the other where the first of them stood: whoever
// looks at a row looks at it once.
std::vector<Suspect> row_after_row(const std::vector<Suspect>& suspects);

// Scores of every row by a model of the other folds; preprocessing is also fitted on those only.
// Throws Error unless there are two rows.
Matrix out_of_fold_scores(const CompleteSpec& spec, const Dataset& data,
                          const PreprocessOptions& preprocess, Index folds, const Context& ctx);

// How many of the suspects are really wrong according to the truth. Cells that are unknown in the
// truth are skipped.
struct Recovery {
  Index wrong = 0;       // such cells among all suspects
  Index candidates = 0;  // suspects
  double area = 0;       // AUC: chance that such a cell ranks above another; NaN without both kinds
  std::vector<Index> at = {};     // numbers of suspects
  std::vector<Index> found = {};  // such cells among the first that many

  double random() const;                  // expected precision of any order
  double precision(std::size_t k) const;  // of the first at[k]
};
// Whether a suspect is really wrong according to the truth; empty if the truth is unknown.
std::optional<bool> is_wrong(const Suspect& suspect, const Labels& truth, SuspectKind kind);
// Values of `at` that exceed the number of suspects are left out.
Recovery judge_suspects(const std::vector<Suspect>& suspects, const Labels& truth, SuspectKind kind,
                        const std::vector<Index>& at);

}  // namespace mulberry::evaluate
