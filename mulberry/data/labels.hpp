// Labels: the matrix Y of a data set. Each cell is 0, 1 or missing. Kept sparse both ways: the
// positive (and missing) labels of a row, and the positive (and missing) rows of a label, each in
// increasing order. Immutable.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::data {

enum class Cell : std::int8_t { negative = 0, positive = 1, missing = -1 };

class Labels {
 public:
  Labels() = default;
  // positives[i] (and missing[i], unless it is empty) lists the labels of row i, in any order;
  // a label listed twice or out of range, or both positive and missing, is a bug of the caller.
  Labels(Index labels, const std::vector<std::vector<Id>>& positives,
         const std::vector<std::vector<Id>>& missing = {});
  // As above, from CSR parts that are already sorted (starts of rows + 1 entries).
  static Labels from_csr(Index labels, std::vector<Index> start, std::vector<Id> index,
                         std::vector<Index> missing_start = {}, std::vector<Id> missing_index = {});

  Index rows() const { return rows_; }
  Index count() const { return count_; }  // the number of labels, L
  std::span<const Id> row(Index i) const { return part(positive_, i); }
  std::span<const Id> column(Index l) const { return part(positive_t_, l); }
  std::span<const Id> missing_row(Index i) const { return part(missing_, i); }
  std::span<const Id> missing_column(Index l) const { return part(missing_t_, l); }
  Index positives() const { return static_cast<Index>(positive_.index.size()); }
  Index missing() const { return static_cast<Index>(missing_.index.size()); }
  bool has_missing() const { return missing() > 0; }
  Cell cell(Index i, Index l) const;  // O(log) of the row
  bool operator==(const Labels& other) const;

 private:
  struct Lists {
    std::vector<Index> start = {};  // empty if there is no entry at all
    std::vector<Id> index = {};
    bool operator==(const Lists&) const = default;
  };
  static std::span<const Id> part(const Lists& lists, Index k);
  static Lists transpose(const Lists& lists, Index rows, Index count);

  Index rows_ = 0, count_ = 0;
  Lists positive_, positive_t_, missing_, missing_t_;
};

// Groups of labels such that every row has exactly one of each; declared by the user, never
// guessed.
struct LabelSets {
  std::vector<std::string> names = {};        // one per set
  std::vector<std::vector<Id>> members = {};  // the labels of each set, in increasing order
  std::size_t size() const { return names.size(); }
  bool empty() const { return names.empty(); }
  bool operator==(const LabelSets&) const = default;
};

Labels take_rows(const Labels& y, std::span<const Id> rows);
Labels take_labels(const Labels& y, std::span<const Id> labels);  // in the order given
// 0/1 per cell from a dense matrix; NaN is missing, anything else is an Error.
Labels labels_from_dense(MatrixView y);
Matrix to_dense(const Labels& y);  // missing cells are NaN

}  // namespace mulberry::data
