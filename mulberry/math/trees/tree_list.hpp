// TreeList: the questions of many grown trees, as a field of a model. A row goes from the root of a
// tree to one of its leaves; leaves are numbered over all trees, and the model has their answers.
//
// Per node: the column, the cut (left if the value is at most the cut), the side of missing values,
// and the left child, which the right one follows. Children come after their parent. A leaf has
// column -1 and its number instead of a child. A node may ask for words instead: rows with a 1 in
// one of the columns of its set go to one side, the others to the other side, which `cut` tells: 1
// is the left one. Cost of a row: O(depth) per tree, and the sets on its way.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mulberry/core/archive.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/row_window.hpp"
#include "mulberry/math/trees/tree_growth.hpp"

namespace mulberry::math {

class TreeList {
 public:
  TreeList() = default;
  explicit TreeList(Index columns) : columns_(columns) {}

  Index columns() const { return columns_; }
  Index count() const { return count_of(start_) - 1; }  // of trees
  Index nodes() const { return count_of(column_); }
  Index leaves() const { return leaves_; }

  // Adds a tree; its leaves are numbered in the order of its nodes. Returns the first number.
  Index add(const GrownTree& tree, const BinnedFeatures& x);
  // Adds a tree of one leaf.
  void add_leaf();
  // Adds the trees of another list after ours: all of them, or those in [begin, end).
  void append(const TreeList& other) { append(other, 0, other.count()); }
  void append(const TreeList& other, Index begin, Index end);
  // The number of the first leaf of a tree; of all leaves for the tree after the last.
  Index first_leaf(Index tree) const;
  // Without the trees from `trees` on. Leaves of the trees that stay keep their numbers.
  void shorten(Index trees);

  // The leaf of a row with these values.
  Id leaf(Index tree, const double* row) const {
    return leaf_of(tree, [row](Id column) { return row[column]; });
  }
  // The leaf of a row whose value of a column is value_of(column).
  template <class ValueOf>
  Id leaf_of(Index tree, const ValueOf& value_of) const {
    std::size_t node = at(start_[at(tree)]);
    while (column_[node] >= 0) {
      const double value = value_of(column_[node]);
      const bool left = value != value                   ? missing_left_[node] != 0
                        : set_.empty() || set_[node] < 0 ? value <= cut_[node]
                                                         : goes_left(node, value_of);
      node = at(start_[at(tree)]) + at(child_[node]) + (left ? 0 : 1);
    }
    return child_[node];
  }
  // The columns of the splits of a tree, increasing.
  std::vector<Id> columns_of(Index tree) const;

  template <class V>
  void visit(V& v) {
    v("columns", columns_, exactly(v.features()));
    v("start", start_, any_count());
    v("column", column_, whole(-1, v.features() - 1));
    const Index nodes = count_of(column_);
    v("cut", cut_, finite_or_infinite().length(nodes));
    v("child", child_, whole(0, std::numeric_limits<Id>::max()).length(nodes));
    v("missing_left", missing_left_, whole(0, 1).length(nodes));
    v.added("set", set_, whole(-1, std::numeric_limits<Id>::max()));
    v.added("set_start", set_start_, any_count());
    v.added("set_column", set_column_, below(v.features()));
    v.check([this](const ArchiveReader& in) { require_sound(in); });
  }

 private:
  void require_sound(const ArchiveReader& in);
  void add_set(const TreeSplit& split, const BinnedFeatures& x);
  std::span<const Id> set_of(std::size_t node) const {
    const auto set = at(set_[node]);
    return std::span(set_column_)
        .subspan(at(set_start_[set]), at(set_start_[set + 1] - set_start_[set]));
  }
  template <class ValueOf>
  bool goes_left(std::size_t node, const ValueOf& value_of) const {
    const bool rest_left = cut_[node] > 0;
    for (const Id column : set_of(node)) {
      if (value_of(column) > 0.5) return !rest_left;
    }
    return rest_left;
  }

  Index columns_ = 0, leaves_ = 0;
  std::vector<Index> start_ = {0};  // of the nodes of each tree
  std::vector<Id> column_;
  std::vector<double> cut_;
  std::vector<Id> child_;  // counted from the root of the tree
  std::vector<std::uint8_t> missing_left_;
  std::vector<Id> set_;  // of words, or -1; empty if no node has one
  std::vector<Index> set_start_ = {0};
  std::vector<Id> set_column_;
};

// Dense rows are read as they are; sparse ones are spread over one line of zeros at a time.
class RowReader {
 public:
  explicit RowReader(const Features& x) : x_(x), dense_(x) {
    if (x.is_sparse()) line_.assign(at(x.cols()), 0.0);
  }
  const double* row(Index i) {
    if (!x_.is_sparse()) return dense_.row(i);
    for (const Id j : last_) line_[at(j)] = 0;
    const SparseRow entries = x_.sparse_row(i, stored_);
    last_ = entries.index;
    for (std::size_t k = 0; k < last_.size(); ++k) line_[at(last_[k])] = entries.value[k];
    return line_.data();
  }

 private:
  const Features& x_;
  RowWindow dense_;
  std::vector<double> line_;
  SparseLine stored_;
  std::span<const Id> last_;
};

}  // namespace mulberry::math
