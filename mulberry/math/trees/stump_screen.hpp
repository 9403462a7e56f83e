// A first pass over all columns for many labels at once: a bound on how good a cut of each can be.
//
// Weights become 32-bit integers, so sums are exact and eight labels share an instruction; there
// are no divisions or logarithms. With a the weight left of a cut, b the weight right of it and u =
// yes - a (share of yes overall), 4 yes no / all summed over both branches is
//
//   4 (a + b) (p (1 - p) - u^2 / (a b)),   p = share of yes,
//
// which is a lower bound of the entropy; the largest u^2 / (a b) is found by cross-multiplying. A
// second pass bounds the entropy of a branch to within half a hundredth: with x = (yes - no) / all,
// 1 - entropy is at most c1 x^2 + c2 x^4 + c3 x^6 + r x^8, the first terms of its series and the
// sum of the other coefficients.
//
// Eight labels are a panel; bounds stand column by column with the eight labels of a panel side by
// side, so that a panel looks through its bounds once. Columns that repeat an earlier one are left
// out. Cost: about 5 cycles per listed row, column and eight labels, 20 for the second pass; 64
// bytes per row and eight labels, 4 per column and label.
#pragma once

#include <memory>

#include "mulberry/math/trees/decision_stump.hpp"

namespace mulberry::math {

class StumpScreen {
 public:
  // Arguments as best_splits; the columns must outlive the screen.
  StumpScreen(const StumpColumns& columns, MatrixView signed_weights, StumpCriterion criterion,
              const Context& ctx);
  ~StumpScreen();
  StumpScreen(const StumpScreen&) = delete;
  StumpScreen& operator=(const StumpScreen&) = delete;

  // A column that may hold the best cut of a label, and a lower bound of the criterion of any cut
  // of it (lowered by a hundred-thousandth of the label's weight against rounding).
  struct Promise {
    Id column;
    double bound;
  };
  // Of every label, the column with the lowest bound, the first of equals; -1: there is no cut.
  std::vector<Id> most_promising(const Context& ctx) const;
  // Of every label, the columns whose bound is at most `reached`, one number per label. Increasing.
  std::vector<std::vector<Promise>> promising(std::span<const double> reached,
                                              const Context& ctx) const;
  // For entropy: a second pass over columns whose bound is at most `reached`, one number per label.
  void refine(std::span<const double> reached, const Context& ctx);

 private:
  struct Panels;

  const StumpColumns& columns_;
  Index labels_;
  std::unique_ptr<Panels> panels_;
};

}  // namespace mulberry::math
