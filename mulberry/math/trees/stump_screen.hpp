// A first look at all columns for many labels at once: how good a cut of each could be at best.
//
// Weights become whole numbers of 32 bits, so sums are exact and eight labels share an instruction;
// nothing is divided or put through a logarithm. With a the weight left of a cut, b the weight
// right of it and u = yes - a (share of yes overall), 4 yes no / all summed over both branches is
//
//   4 (a + b) (p (1 - p) - u^2 / (a b)),   p = share of yes,
//
// which no entropy is below; the largest u^2 / (a b) is found by cross-multiplying. A closer look
// bounds the entropy of a branch to within half a hundredth: with x = (yes - no) / all, 1 - entropy
// is at most c1 x^2 + c2 x^4 + c3 x^6 + r x^8, the first terms of its series and the sum of the
// other coefficients.
//
// Cost: about 5 cycles a listed row, column and eight labels, 20 for the closer look; 64 bytes a
// row and eight labels.
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

  // labels x columns: a number that no cut of the column is below in the criterion (lowered by a
  // hundred-thousandth of the label's weight against rounding); infinity where there is no cut.
  MatrixView bounds() const { return bounds_; }
  // For entropy: a closer look at columns whose bound is at most `reached`, one number a label.
  void refine(std::span<const double> reached, const Context& ctx);

 private:
  struct Panels;

  const StumpColumns& columns_;
  Matrix bounds_;
  std::unique_ptr<Panels> panels_;
};

}  // namespace mulberry::math
