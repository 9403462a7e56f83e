// Suspects: cells of a data set whose label looks wrong. A missing label is one that a row does not
// have but probably should; a suspicious one is one that it has but probably should not.
//
// Every row is judged by a model that has not been trained on it. Its scores become chances of a
// label by Platt's method, label by label: a cell is a suspect when its chance contradicts it. With
// many labels it is the row's mean and deviation that scores are measured by, as some learners'
// rows differ in scale. Any learner with scores can serve. Cost: `folds` fits, and sorting the
// cells.
#pragma once

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
  // The score minus the mean score of the row's labels of the other kind: those that it has for a
  // missing label, those that it does not have for a suspicious one. Of no label: of all.
  double gap = 0;
};

// The chance of every cell, from out-of-fold scores; of probabilities the log odds count.
Matrix label_chances(const Labels& y, MatrixView scores, Scale scale, const Context& ctx);
// All cells of that kind: missing labels by falling, suspicious ones by rising chance; on ties by
// the gap in the same way, then the lower row and label.
std::vector<Suspect> rank_suspects(const Labels& y, MatrixView scores, MatrixView chances,
                                   SuspectKind kind);

// Scores of every row by a model of the other folds; preprocessing, too, sees those only. Throws
// Error unless there are two rows.
Matrix out_of_fold_scores(const CompleteSpec& spec, const Dataset& data,
                          const PreprocessOptions& preprocess, Index folds, const Context& ctx);

// How many of the suspects are, by the truth, what they are suspected of. Cells that are unknown in
// the truth are passed over.
struct Recovery {
  Index wrong = 0;       // such cells among all suspects
  Index candidates = 0;  // suspects
  double area = 0;       // AUC: chance that such a cell ranks above another; NaN without both kinds
  std::vector<Index> at = {};     // numbers of suspects
  std::vector<Index> found = {};  // such cells among the first that many

  double random() const;                  // expected precision of any order
  double precision(std::size_t k) const;  // of the first at[k]
};
// Whether a suspect is one by the truth; empty where that does not know.
std::optional<bool> is_wrong(const Suspect& suspect, const Labels& truth, SuspectKind kind);
// `at` that exceed the number of suspects are left out.
Recovery judge_suspects(const std::vector<Suspect>& suspects, const Labels& truth, SuspectKind kind,
                        const std::vector<Index>& at);

}  // namespace mulberry::evaluate
