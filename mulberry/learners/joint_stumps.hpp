// Stumps that answer for all labels at once, and a model that sums them: AdaBoost.MH and .MR.
//
// Such a stump asks one question about one feature and gives every label a score in each of its
// three branches (value <= cut, value > cut, missing). The search adds up one vector a row in each
// branch and asks a criterion; how vectors and criterion look is the learner's business.
// Cost of a search: O(non-zeros x width + cuts x criterion), parallel over columns; the same bits
// for any number of threads.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "mulberry/core/archive.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/stump_columns.hpp"

namespace mulberry {

using Sums = std::vector<double>;

struct JointSplit {
  Id column = -1;  // -1: nothing to ask, all rows are in `left`
  double cut = 0;
  double value = std::numeric_limits<double>::infinity();
  Sums left = {}, right = {}, missing = {};
};

namespace detail {

template <class Value>
JointSplit best_of_column(const StumpColumns& columns, Index j, const Matrix& vectors,
                          const Sums& all, const Value& value) {
  const StumpColumn& column = columns[j];
  const auto add = [&](Sums& sums, Id row) {
    const double* const v = vectors.data() + row * vectors.cols();
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += v[k];
  };
  const auto minus = [](Sums a, const Sums& b) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] -= b[k];
    return a;
  };
  Sums left(all.size(), 0.0), missing(all.size(), 0.0), zeros;
  for (const Id i : column.missing) add(missing, i);
  const Sums known = column.missing.empty() ? all : minus(all, missing);
  if (column.zero_group >= 0) {
    Sums listed(all.size(), 0.0);
    for (const Id i : column.rows) add(listed, i);
    zeros = minus(known, listed);
  }
  const double fixed = column.missing.empty() ? 0.0 : value(missing);
  JointSplit best;
  Sums right(all.size());
  walk(
      column, [&](Id i) { add(left, i); },
      [&] {
        for (std::size_t k = 0; k < left.size(); ++k) left[k] += zeros[k];
      },
      [&](Id g) {
        for (std::size_t k = 0; k < left.size(); ++k) right[k] = known[k] - left[k];
        const double here = fixed + value(left) + value(right);
        if (!(here < best.value - 1e-12)) return;
        best = {static_cast<Id>(j),
                column.cuts[static_cast<std::size_t>(g)],
                here,
                left,
                right,
                missing};
      });
  return best;
}

}  // namespace detail

// The split with the least sum of value(sums of a branch); the lowest column and cut on ties.
// `vectors` has one row a row of the columns.
template <class Value>
JointSplit best_joint_split(const StumpColumns& columns, const Matrix& vectors, const Value& value,
                            const Context& ctx) {
  Sums all(static_cast<std::size_t>(vectors.cols()), 0.0);
  for (Index i = 0; i < vectors.rows(); ++i) {
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += vectors.row(i)[k];
  }
  JointSplit none;
  none.value = value(all);
  none.left = none.right = none.missing = all;
  const auto first = [](JointSplit& best, JointSplit other) {
    if (other.value < best.value - 1e-12) best = std::move(other);
  };
  JointSplit best = parallel_reduce(
      ctx, columns.size(), 8, JointSplit{},
      [&](Index begin, Index end) {
        JointSplit found;
        for (Index j = begin; j < end; ++j)
          first(found, detail::best_of_column(columns, j, vectors, all, value));
        return found;
      },
      first);
  if (best.column < 0) return none;
  // A branch that no training row took answers as all rows do.
  if (columns[best.column].missing.empty()) best.missing = std::move(all);
  return best;
}

class JointStumps {
 public:
  JointStumps() = default;
  JointStumps(Index columns, Index labels) : columns_(columns), labels_(labels) {}

  Index labels() const { return labels_; }
  Index count() const { return static_cast<Index>(column_.size()); }
  // The scores of every label in the three branches.
  void add(Id column, double cut, const Sums& left, const Sums& right, const Sums& missing);
  // Adds stumps begin .. end - 1 to the scores (rows x labels).
  void add_scores(const Features& x, Index begin, Index end, Matrix& scores,
                  const Context& ctx) const;

  template <class V>
  void visit(V& v) {
    v("columns", columns_);
    v("labels", labels_);
    v("column", column_);
    v("cut", cut_);
    v("answers", answers_);
    if constexpr (requires { v.require(true, "", ""); }) {
      v.require(columns_ >= 0 && labels_ >= 0 && labels_ < (Index{1} << 31), "labels",
                "is no count");
      v.require(cut_.size() == column_.size() &&
                    answers_.size() == 3 * column_.size() * static_cast<std::size_t>(labels_),
                "answers", "does not fit the other parts");
      v.require(std::all_of(column_.begin(), column_.end(),
                            [&](Id j) { return j >= -1 && j < columns_; }),
                "column", "is no column of the features");
    }
  }

 private:
  Index columns_ = 0, labels_ = 0;
  std::vector<Id> column_;
  std::vector<double> cut_;
  std::vector<double> answers_;  // stumps x 3 x labels
};

}  // namespace mulberry
