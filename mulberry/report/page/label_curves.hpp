// What a page draws about one label when the reader asks for it: curves over all cuts of its
// scores, how often the label is true where the model gives it a chance, and where the scores lie.
#pragma once

#include <vector>

#include "mulberry/measures/outcome.hpp"

namespace mulberry::report {

struct CutPoint {
  double cut = 0;                // rows with at least this score are taken
  Index hits = 0, mistakes = 0;  // rows with and without the label among them
};

struct ChanceBin {
  Index rows = 0, positives = 0;
  double mean = 0;  // of the chances
};

struct LabelCurves {
  Index positives = 0, negatives = 0;  // observed rows
  // By decreasing cut. Steps of recall and of the false positive rate below `finest` are joined;
  // the last point takes every row.
  std::vector<CutPoint> cuts = {};
  std::vector<ChanceBin> chances = {};         // ten of equal width, if scores are probabilities
  double low = 0, high = 0;                    // the range of the scores
  std::vector<Index> with = {}, without = {};  // rows by score, in bins of equal width
};

// O(n log n). The outcome has dense scores.
LabelCurves label_curves(const Labels& truth, const Outcome& outcome, Id label, double finest);

// The cut that explains the decisions about a label: every decided row scores at least this much,
// no other row does. `natural` if it is such a cut, else the middle of the gap; NaN if there is
// none, because decisions depend on more than the score.
double deciding_cut(const Outcome& outcome, Id label, double natural);

}  // namespace mulberry::report
