// Features as small numbers: what histogram trees see of X.
//
// The values of a column are cut into at most 255 bins that hold about the same weight of rows; a
// column with fewer values has one bin per value. Bin b holds the values v with cuts[b-1] < v <=
// cuts[b], so that a tree that splits after bin b asks `v <= cuts[b]` of new rows. A column with
// missing values (NaN) has one more bin for them, the last.
//
// A column in which at most a fifth of the rows lie outside the bin of 0 is kept sparse: each row
// lists its other bins. The remaining columns have one byte per row. What is kept in which form
// depends on the values only, never on the form of X, hence dense and sparse features give the same
// trees bit by bit.
//
// The columns of a nominal feature (word_groups.hpp) can be taken together: the first of them then
// has a bin per word, in the order of the columns, and the others have none. More words than bins
// become several such columns of neighbouring words, about the same number in each, and the words
// of the others are one more bin there, the last.
//
// Cost: O(stored log n) in parallel over columns; above 50,000 values per column the cuts come from
// that many of them, evenly spread. Memory: 1 byte per cell of dense columns, 4 per entry of sparse
// ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/extent.hpp"
#include "mulberry/data/features.hpp"
#include "mulberry/math/trees/word_groups.hpp"

namespace mulberry::math {

struct BinnedColumn {
  std::vector<double> cuts = {};  // strictly increasing
  Index first = 0;                // the number of its bin 0 among the bins of all columns
  Id zero_bin = 0;                // the bin of the value 0
  Id dense = -1;                  // its place among the dense columns, or -1: sparse
  Id block = -1;                  // of a sparse column that has entries
  bool has_missing = false;
  Index words = 0;        // from this column on, a bin each
  bool has_rest = false;  // one more bin, for words of other columns

  bool has_words() const { return words > 0; }
  Id rest() const { return has_rest ? static_cast<Id>(words) : -1; }
  Id bins() const {
    return has_words() ? static_cast<Id>(words) + (has_rest ? 1 : 0)
                       : static_cast<Id>(cuts.size()) + 1;
  }
  Id slots() const { return bins() + (has_missing ? 1 : 0); }  // with the bin of missing values
};

class BinnedFeatures {
 public:
  // The entries of some neighbouring columns, row by row: one task of a histogram.
  struct SparseBlock {
    std::vector<std::uint32_t> start = {};  // rows + 1
    std::vector<Id> bin = {};               // numbers among the bins of all columns

    std::span<const Id> row(Index i) const {
      return {bin.data() + start[at(i)], bin.data() + start[at(i) + 1]};
    }
  };

  // `weights`: one per row, or empty: all 1.
  BinnedFeatures(const Features& x, Index most_bins, std::span<const double> weights,
                 const Context& ctx, bool words_together = false);

  // The memory that it takes, about, and what its construction takes in addition.
  static double bytes(const Extent& extent, Index most_bins);
  static double work_bytes(const Extent& extent);
  static double slots_of(const Extent& extent, Index most_bins);

  Index rows() const { return rows_; }
  Index cols() const { return count_of(columns_); }
  // Columns, with those of a nominal feature that are taken together as one.
  Index features() const {
    Index out = cols();
    for (const BinnedColumn& column : columns_) {
      out -= column.has_words() ? column.words - 1 : 0;
    }
    return out;
  }
  const BinnedColumn& operator[](Index j) const { return columns_[at(j)]; }
  // Columns with at least two bins, in increasing order: the others cannot be split.
  const std::vector<Id>& usable() const { return usable_; }
  Index slots() const { return slots_; }  // of all columns
  Id column_of(Index bin) const { return column_of_[at(bin)]; }

  // The bins of a dense column.
  const std::uint8_t* codes(const BinnedColumn& column) const {
    return codes_.data() + at(column.dense) * at(rows_);
  }
  const std::vector<SparseBlock>& blocks() const { return blocks_; }
  const SparseBlock& block_of(Id column) const { return blocks_[at(columns_[at(column)].block)]; }

 private:
  void take_words(const Features& x, const Csr& by_column, const WordGroup& group, Index most_bins,
                  std::vector<std::vector<std::uint8_t>>& codes);
  void fill_sparse(std::vector<std::vector<std::pair<Id, Id>>>& entries, const Context& ctx);

  Index rows_ = 0, slots_ = 0;
  std::vector<BinnedColumn> columns_;
  std::vector<Id> usable_;
  std::vector<Id> column_of_;
  std::vector<std::uint8_t> codes_;
  std::vector<SparseBlock> blocks_;
};

}  // namespace mulberry::math
