// The edges of the labels' answers: sum_i w(i) sign_j(i) for every label j and many weightings w.
//
// Most labels give the same answer for nearly all rows, so a label is kept as its usual answer and
// the rows with the other answer; its edge is usual (sum_i w(i) - 2 sum over those rows of w(i)).
// Cost: rows x labels to read the signs, then, for eight weightings at a time, one vector addition
// for each listed row: with rare labels a small part of the cost of a matrix product, at worst
// about as much.
#pragma once

#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::learners::mahr {

class SignLists {
 public:
  explicit SignLists(MatrixView signs);  // labels x rows, -1 or +1

  // One row of edges (one number per label) for each row of weights (one number per data row).
  Matrix edges(blas::Block<const double> weights) const;

 private:
  Index labels_;
  std::vector<double> usual_;
  std::vector<Id> rows_;          // of all labels, one after another
  std::vector<std::size_t> end_;  // of each label, in rows_
};

}  // namespace mulberry::learners::mahr
