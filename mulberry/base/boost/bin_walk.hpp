// The inner loops of a search for splits by gradients: lines added to the bins of a column, and the
// bins of a column visited from the lowest. Compiled for AVX2 and for the baseline; both do the
// same arithmetic in the same order.
#pragma once

#include "mulberry/base/boost/gradient_rows.hpp"
#include "mulberry/math/dense/aligned.hpp"
#include "mulberry/math/dense/vectors.hpp"
#include "mulberry/math/trees/tree_growth.hpp"

namespace mulberry::base {

constexpr double k_same_gain = 1e-10;  // relative: gains that differ by less are equal

// The known bins of one column in a node that hold rows, from the lowest: their sums.
struct BinLines {
  Id column = -1;
  Id count = 0;
  Id bin[256];  // `count` of them are set
  const double* line[256];
  const double* missing = nullptr;  // the sums of rows without a value, or null

  // Bins of words in the order of what their rows say: of one output, by gradient over curvature,
  // in which some cut is the best of all sets of words; of several, along the direction in which
  // the words differ most.
  void order(const GradientLayout& layout, double l2);
  void add(Id b, const double* sums) {
    bin[count] = b;
    line[count++] = sums;
  }
};

struct BinWalk {
  GradientLayout layout = {};
  LeafPenalty penalty = {};
  double min_leaf = 1;
  const double* totals = nullptr;
  double node_score = 0;
  Id last_bin = 0;     // of the column, missing values left aside
  bool words = false;  // the lines do not stand in the order of bins: a cut is the number of one

  // The best cut of the column; column -1 if it has none. `side` has room for one line.
  TreeSplit best(const BinLines& lines, AlignedVector<double>& side) const;
  // As above, for one output and a column without missing values, from the rows of the node:
  // `lines` has one per row, `sums` has room for 256 lines of zeros, and has zeros again
  // afterwards.
  TreeSplit best_of_rows(Id column, const std::uint8_t* codes, std::span<const Id> rows,
                         const float* lines, double* sums) const;
};

double score_of(const double* sums, const GradientLayout& layout, const LeafPenalty& penalty);

// histogram[code of the row] += or -= line, for rows in order; `lines` has one per row.
void add_dense(const std::uint8_t* codes, std::span<const Id> rows, const float* lines,
               Index stride, bool subtract, double* histogram);
// The entries of rows of a sparse block; `histogram` begins with bin 0 of column 0.
void add_sparse(const BinnedFeatures::SparseBlock& block, std::span<const Id> rows,
                const float* lines, Index stride, bool subtract, double* histogram);
void add_line(const float* line, Index stride, double* to);

}  // namespace mulberry::base
