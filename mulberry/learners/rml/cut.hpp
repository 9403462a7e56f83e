// Where the scores of a label are cut: at 0 by the paper, and where the measure of held-out rows is
// best by choice; and the scorer for labels that the bound leaves without one.
//
// The bound of RML is loose for labels that no linear scorer serves: its best scorer ranks rows
// well enough and is cut in a bad place, or is 0. Cost: a sort of the scores.
#pragma once

#include "mulberry/learners/rml/column.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::learners::rml {

struct Cut {
  double at = 0;
  double value = -1;  // of the measure, for the cells with scores above it
};

// The best cut, midway between two scores; the highest of equal ones. `scores`: one per cell.
Cut best_cut(const Cells& cells, std::span<const double> scores, const SetLoss& loss);

// The cut of every label by the scores of rows that the scorers have not seen. With an F measure the
// cuts of rare labels are drawn to the others, because a best cut of few positives is mostly luck;
// otherwise a cut moves from 0 where the measure is better than there.
std::vector<double> held_out_cuts(MatrixView scores, const Labels& y, const Settings& settings,
                                  const Context& ctx);

// What `held_out_cuts` is worth: the rows that a fold tests are cut by the scores of all others, so
// that no row is measured by a cut that it had a part in. One per label, over all folds.
std::vector<Counts> counts_of_cuts(MatrixView scores, const Labels& y, std::span<const Fold> folds,
                                   const Settings& settings, const Context& ctx);

// The Hamming scorer, shifted so that the cut of its training scores is best for the measure.
Scorer hamming_scorer(const Inputs& inputs, const Cells& cells, Index label,
                      const Settings& settings, double cost, const Context& ctx);

}  // namespace mulberry::learners::rml
