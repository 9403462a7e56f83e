// Cuts: from scores to decisions. Learnt from scores of rows that the scoring model has not seen
// (out-of-fold), stored with the model, and applied to the scores of new rows: a row gets a label
// if the score reaches the cut. O(n L log n) to learn, parallel over labels.
//
//   fixed      the cut given
//   lcard      as many decided cells as true ones: of all labels together, or of each label
//   rcut       the k best labels of every row, k = the sum of the shares of all labels (the mean
//              number of labels), rounded, at least 1
//   scut       per label, greatest F; a label whose F stays below `fbr` gets its highest score as
//              cut (SCutFBR.1: Yang, SIGIR 2001)
//   mcut       per row, in the middle of the largest gap between scores (Largeron et al., IDA 2012)
//   macro_f    greatest macro-F. The best cut of a label with few positives over-fits, nearly
//              always downwards: with `shrink` > 0, the logarithm of decided per positive rows is
//              a mean of the label's own, with the weight of its positives, and the common one of
//              all labels, with the weight `shrink`
//   micro_f    greatest micro-F; over the cuts of all labels jointly, by Dinkelbach's iteration
//   example_f  per row, the labels of greatest expected F1 for independent labels of these
//              probabilities (Ye et al., ICML 2012; the marginal case of GFM). O(L^2) per row
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/bounds.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::resample {

enum class CutMethod { fixed, lcard, rcut, scut, mcut, macro_f, micro_f, example_f };

struct ThresholdOptions {
  CutMethod method = CutMethod::fixed;
  bool global = false;  // lcard, macro_f, micro_f: one cut for all labels
  double cut = 0.5;     // the cut of fixed, and of labels without any observed cell
  double beta = 1.0;    // of F in scut, macro_f, micro_f
  double fbr = 0.1;     // of scut
  double shrink = 0;    // of macro_f: positives that weigh as much as the other labels
};

struct Thresholds {
  CutMethod method = CutMethod::fixed;
  std::vector<double> cut = {};  // one per label; empty for rcut, mcut and example_f
  Index k = 0;                   // of rcut

  Labels apply(MatrixView scores, const Context& ctx) const;
  // Whether labels have cuts; otherwise rows decide.
  bool has_cuts() const {
    return method != CutMethod::rcut && method != CutMethod::mcut && method != CutMethod::example_f;
  }

  template <class V>
  void visit(V& v) {
    v("method", method, up_to(CutMethod::example_f));
    v("cut", cut, finite_or_infinite().length(has_cuts() ? v.outputs() : 0));
    v("k", k, whole(0, std::numeric_limits<Id>::max()));
  }
};

// scores and truth: the same rows and labels; missing cells do not enter. `weights`: of the rows,
// or empty: all 1; a row of weight 2 counts as two.
Thresholds learn_thresholds(MatrixView scores, const Labels& truth, const ThresholdOptions& options,
                            const Context& ctx, std::span<const double> weights = {});

// The labels with the greatest expected F1 for independent labels, in increasing order; empty if
// that is best (F1 counts as 1 if no label is true or decided).
std::vector<Id> most_expected_f1(std::span<const double> probabilities);

}  // namespace mulberry::resample
