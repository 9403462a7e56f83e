// The edges of what labels say: sum_i w(i) sign_j(i) for every label j and many weightings w at
// once.
//
// Most labels say the same of nearly all rows, so a label is kept as its usual answer and the rows
// where it says the other; its edge is  usual (sum_i w(i) - 2 sum over those rows of w(i)).  Cost:
// rows x labels to read the signs, then for eight weightings at a time one vector addition for each
// row listed: with rare labels a small part of what a matrix product costs, at worst about as much.
#pragma once

#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::learners::mahr {

class SignLists {
 public:
  explicit SignLists(MatrixView signs);  // labels x rows, -1 or +1

  // One row of edges (a number a label) for each row of weights (a number a row).
  Matrix edges(blas::Block<const double> weights) const;

 private:
  Index labels_;
  std::vector<double> usual_;
  std::vector<Id> rows_;          // of all labels, one after another
  std::vector<std::size_t> end_;  // of each label, in rows_
};

}  // namespace mulberry::learners::mahr
