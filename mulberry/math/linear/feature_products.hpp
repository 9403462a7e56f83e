// Products of features, dense or sparse and stored in any form, with one vector and with each
// other. Features of another program are converted a few rows at a time, in the blocks in which
// all dense features are taken, so that the bits do not depend on the form.
#pragma once

#include <span>

#include "mulberry/core/context.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::math {

// Dense rows as doubles, one after the other.
void copy_rows(const Features& x, std::span<const Index> rows, Matrix& to);

// out = X w + b
void multiply(const Features& x, std::span<const double> w, double b, std::span<double> out);
// out += scale X' v
void add_transposed(const Features& x, std::span<const double> v, double scale,
                    std::span<double> out);

// X X', in parallel.
Matrix products_of_rows(const Features& x, const Context& ctx);
// The lower triangle of X_F X_F' for a few rows F.
Matrix products_of_rows(const Features& x, std::span<const Index> rows);

}  // namespace mulberry::math
