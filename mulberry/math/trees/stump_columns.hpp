// Columns sorted once, so that one walk visits every threshold of a decision stump.
//
// A column lists the rows that are neither 0 nor missing by value, in groups: neighbours in
// different groups are separated by a cut. By default every distinct value is a group, so cuts are
// all midpoints between them; with `most_groups`, neighbours are joined until that many are left,
// each with about the same number of rows. Rows with 0 are not listed: they belong to `zero_group`
// and a walk gets them by subtraction. Dense and sparse features give the same columns, hence the
// same bits. NaN is missing.
//
// Cost: O(stored log n) to build, in parallel; 4 bytes per non-zero and 12 per group. Columns that
// no cut can tell from an earlier one (the same rows in the same groups, as rare words often are)
// are found at the same time, so that a search may leave them out. The bins of trees
// (binned_features.hpp) would not do: a stump may cut between any two values, and each round of
// boosting needs a few columns by value, not the histograms of all.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/extent.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::math {

struct StumpColumn {
  std::vector<Id> rows = {};       // neither 0 nor missing, by value
  std::vector<Id> missing = {};    // increasing
  std::vector<Id> group_end = {};  // of each group, where it ends in `rows`
  std::vector<double> cuts = {};   // after each group but the last: values <= cut come before
  Id zero_group = -1;              // the group of the rows that are 0, or -1

  Id groups() const { return static_cast<Id>(group_end.size()); }
};

// Writes `left` for every row with value <= cut, `right` for the others, and `missing` for rows
// without a value. The cut must be a cut of the column.
template <class T>
void fill_branches(const StumpColumn& column, double cut, T left, T right, T missing,
                   std::span<T> out) {
  std::fill(out.begin(), out.end(), 0.0 <= cut ? left : right);
  for (const Id i : column.missing) out[at(i)] = missing;
  const auto after = std::lower_bound(column.cuts.begin(), column.cuts.end(), cut);
  const Id end = column.group_end[at(after - column.cuts.begin())];
  for (std::size_t k = 0; k < column.rows.size(); ++k)
    out[at(column.rows[k])] = static_cast<Id>(k) < end ? left : right;
}

class StumpColumns {
 public:
  // most_groups = 0: every distinct value.
  StumpColumns(const Features& x, Index most_groups, const Context& ctx);

  // The memory that it takes, and what its construction takes in addition.
  static double bytes(const Extent& extent, Index most_groups);
  static double work_bytes(const Extent& extent);

  Index rows() const { return rows_; }
  Index size() const { return static_cast<Index>(columns_.size()); }
  const StumpColumn& operator[](Index j) const { return columns_[at(j)]; }
  // The columns with a cut, without those that group the rows just as an earlier one. Increasing.
  std::span<const Id> distinct() const { return distinct_; }

 private:
  Index rows_;
  std::vector<StumpColumn> columns_;
  std::vector<Id> distinct_;
};

// Walks the groups of a column from the lowest value: add(row) for every listed row of a group,
// add_zeros() for the rows that are 0, then, except after the last group, cut(g).
template <class Add, class AddZeros, class Cut>
void walk(const StumpColumn& column, const Add& add, const AddZeros& add_zeros, const Cut& cut) {
  Id k = 0;
  const Id groups = column.groups();
  for (Id g = 0; g < groups; ++g) {
    const Id end = column.group_end[at(g)];
    for (; k < end; ++k) add(column.rows[at(k)]);
    if (g == column.zero_group) add_zeros();
    if (g + 1 < groups) cut(g);
  }
}

}  // namespace mulberry::math
