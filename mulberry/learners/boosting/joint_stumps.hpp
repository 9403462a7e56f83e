// Stumps that answer for all labels at once, and their search: AdaBoost.MH, AdaBoost.MR and
// AdtBoost.MH.
//
// Such a stump cuts one feature and gives every label a score in each of its three branches (value
// <= cut, value > cut, missing). The search adds up one vector per row in each branch and takes the
// cut with the smallest sum of a criterion over the branches:
//
//   half_z    sum over labels of sqrt(yes no); a vector holds `yes` of all labels, then `no`
//   minus_r   -1/2 sum over labels of |u|; a vector holds u of all labels
//
// Labels are padded to a multiple of four with zeros. Ties (up to rounding) go to the lowest
// column, then to the lowest cut. Cost of a search: O(listed rows x labels), with two square roots
// per cut and label for half_z; parallel over columns, with the same bits for any number of
// threads.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "mulberry/core/archive.hpp"
#include "mulberry/core/bounds.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/trees/stump_columns.hpp"

namespace mulberry::learners {

using Sums = std::vector<double>;

enum class JointCriterion { half_z, minus_r };

inline Index padded_labels(Index labels) { return (labels + 3) / 4 * 4; }

struct JointSplit {
  Id column = -1;  // -1: no cut, all rows are in `left`
  double cut = 0;
  double value = std::numeric_limits<double>::infinity();
  Sums left = {}, right = {}, missing = {};
};

// Searches the rows that are `inside` (one flag per row; empty: all). `vectors` has one row per row
// of the columns. A branch that no row took has the sums of all rows. Only values less than `below`
// are of interest: a small `below` makes the search cheaper.
JointSplit best_joint_split(const StumpColumns& columns, MatrixView vectors,
                            JointCriterion criterion, std::span<const char> inside,
                            const Context& ctx,
                            double below = std::numeric_limits<double>::infinity());

// The criterion of rows that are cut in two: the sums of one side, and of all.
double joint_value(JointCriterion criterion, std::span<const double> side,
                   std::span<const double> all);

// The best cut of these columns (increasing), given the sums of all rows. Its own sums are left
// empty; column -1: none is below.
JointSplit best_cut_among(const StumpColumns& columns, std::span<const Id> among,
                          MatrixView vectors, std::span<const double> all, JointCriterion criterion,
                          std::span<const char> inside, const Context& ctx,
                          double below = std::numeric_limits<double>::infinity());

// The branch of every row: 0 at or below the cut, 1 above it, 2 missing.
std::vector<char> training_branches(const StumpColumns& columns, const JointSplit& split);

// Rules: joint stumps, some of which apply only to the rows in a branch of an earlier rule.
class JointStumps {
 public:
  JointStumps() = default;
  JointStumps(Index columns, Index labels) : columns_(columns), labels_(labels) {}

  Index labels() const { return labels_; }
  Index columns() const { return columns_; }
  Index count() const { return static_cast<Index>(column_.size()); }
  Id parent(Index rule) const { return parent_.empty() ? -1 : parent_[at(rule)]; }
  Index side(Index rule) const { return side_.empty() ? 0 : side_[at(rule)]; }
  Id column(Index rule) const { return column_[at(rule)]; }
  Index branch_of(Index rule, double value) const;
  // The scores of every label in the three branches. With a parent, an earlier rule, it applies
  // only to the rows to which the parent applies and that take its branch `side` (0 or 1).
  void add(const JointSplit& question, const Sums& left, const Sums& right, const Sums& missing,
           Id parent = -1, Index side = 0);
  // The scores (rows x labels) of all rules.
  Matrix scores(const Features& x, const Context& ctx) const;

  template <class V>
  void visit(V& v) {
    v("columns", columns_, exactly(v.features()));
    v("labels", labels_, exactly(v.outputs()));
    v("column", column_, whole(-1, v.features() - 1));
    v("cut", cut_, finite_or_infinite().length(count()));
    v("answers", answers_, finite().length(3 * count() * v.outputs()));
    if (v.stores("parent", !parent_.empty())) {
      v("parent", parent_, whole(-1, count() - 1).length(count()));
      v("side", side_, whole(0, 1).length(count()));
    }
    for (std::size_t k = 0; k < parent_.size(); ++k) {
      v.require(parent_[k] < static_cast<Id>(k), "parent", "is no earlier rule");
    }
  }

 private:
  Index columns_ = 0, labels_ = 0;
  std::vector<Id> column_;
  std::vector<double> cut_;
  std::vector<double> answers_;  // rules x 3 x labels
  std::vector<Id> parent_;       // of each rule, -1: none; empty if no rule has one
  std::vector<Id> side_;
};

}  // namespace mulberry::learners
