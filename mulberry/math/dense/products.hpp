// Products of features with dense matrices, one column per label, with which linear models score
// all labels at once and collect gradients. Parallel over fixed blocks of rows or columns, so the
// bits do not depend on the number of threads. Cost: stored values of X times labels.
#pragma once

#include <span>

#include "mulberry/core/context.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::math {

Matrix transpose(MatrixView a);
Csr transpose(const Csr& a);
Csr columns_of(const Features& x);  // the transpose of sparse features, whatever they are stored in

// X W' + 1 b': scores of every row (n x L) from one weight vector per label (W is L x d). An empty
// b stands for zeros.
Matrix linear_scores(const Features& x, MatrixView w, std::span<const double> b,
                     const Context& ctx);

// X' R (d x L), with one column of R (n x L) per label.
Matrix transposed_product(const Features& x, MatrixView r, const Context& ctx);

}  // namespace mulberry::math
