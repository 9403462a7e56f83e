// Decision stumps: one cut of one feature, chosen to separate two classes.
//
// A stump has three branches: value <= cut, value > cut, missing. The column and cut with the
// smallest criterion over the branches are chosen; ties (up to rounding) go to the lowest column,
// then to the lowest cut:
//
//   entropy   sum over branches of  yes log2(all / yes) + no log2(all / no)
//   error     sum over branches of  min(yes, no)
//
// where yes and no are the weights of the two classes. Each branch answers with its heavier class,
// `no` on ties; a branch that no training row took answers like all rows together.
//
// best_splits finds the stumps of many labels over the same columns at once: a first pass over
// every column (stump_screen.hpp) bounds how good it can be, and only columns that may beat the
// best so far are searched in full. Cost: about rows x columns x labels / 8 steps, and the few
// remaining columns; memory: columns x labels. The bits do not depend on the number of threads.
#pragma once

#include <cstdint>

#include "mulberry/math/trees/stump_columns.hpp"

namespace mulberry::math {

enum class StumpCriterion { entropy, error };

// The weights of the two classes in a branch.
struct Branch {
  double yes = 0, no = 0;
  double all() const { return yes + no; }
};

struct Split {
  Id column = -1;  // -1: there was no cut
  double cut = 0;
  Branch left = {}, right = {}, missing = {}, all = {};
  double criterion = 0;

  // A branch, or all rows together if (up to rounding) no training row took it.
  const Branch& or_all(const Branch& branch) const {
    return column >= 0 && branch.all() > 1e-12 * all.all() ? branch : all;
  }
};

// Answers -1 or +1.
struct Stump {
  Id column = -1;  // -1: the answers are all the same
  double cut = 0;
  std::int8_t left = -1, right = -1, missing = -1;

  Stump() = default;
  explicit Stump(const Split& split);
  double answer(double value) const { return value <= cut ? left : value > cut ? right : missing; }
  double answer(const Features& x, Index row) const {
    return column < 0 ? left : answer(x.at(row, column));
  }
};

// One split per label. `signed_weights` is labels x rows: the weight of a row, negative for class
// `no`; 0 leaves the row out. The sizes of a label's weights should add up to about 1.
std::vector<Split> best_splits(const StumpColumns& columns, MatrixView signed_weights,
                               StumpCriterion criterion, const Context& ctx);

// The stump's answers on the rows that the columns were made from.
void training_answers(const StumpColumns& columns, const Stump& stump, std::span<double> answers);

}  // namespace mulberry::math
