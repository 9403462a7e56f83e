// Conjugate gradients for many right-hand sides at once: every column has its own step lengths, and
// all columns share each product with the matrix.
#pragma once

#include <functional>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/matrix.hpp"

namespace mulberry::math {

struct ColumnSystem {
  std::function<Matrix(MatrixView)> product = {};  // A X; A symmetric, positive (semi)definite
  std::function<void(Matrix&)> precondition = {};  // in place; as A
};

struct ColumnSolution {
  Index products = 0;
  bool converged = true;
};

// x: start and result. r: B - A x, before and after. Stops when |r| (over all columns) is at most
// `tolerance`, or after `limit` products. The bits do not depend on the number of threads.
ColumnSolution solve_columns(const ColumnSystem& system, double tolerance, Index limit, Matrix& x,
                             Matrix& r, const Context& ctx);

// sum_i a_ic b_ic of every column c.
std::vector<double> column_dots(MatrixView a, MatrixView b, const Context& ctx);

}  // namespace mulberry::math
