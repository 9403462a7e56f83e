// Linear problems whose rows are in many blocks, of which one is in memory at a time: the share of
// a block in the sums that a Newton method needs, for several problems from one pass over the
// block.
//
//   sum_i cost_il loss(y_il (w_l.x_i + b_l)),   loss logistic or squared hinge
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/math/linear/linear.hpp"

namespace mulberry::math {

// Rows as they lie in a file. A cell costs what its class costs in its problem, times the
// weight of its row.
struct RowBlock {
  Index rows = 0, cols = 0;
  std::span<const Index> start = {};        // CSR; empty if the rows are dense
  std::span<const Id> index = {};           // CSR: the column of each value
  std::span<const double> value = {};       // dense: rows x cols
  std::span<const std::int8_t> signs = {};  // rows x sign_columns: 1, -1, or 0 for no cost
  Index sign_columns = 0;
  std::span<const double> weights = {};  // of rows; empty if all are 1
};

struct RowProblems {
  Loss loss = Loss::logistic;                            // or squared_hinge
  std::span<const Index> signs = {};                     // per problem: its column of signs
  std::span<const double> negative = {}, positive = {};  // per problem: the cost of a cell
};

struct RowSums {
  std::vector<double> losses = {}, curves = {};  // per problem; curves: cost * loss''
  Matrix slopes = {};                            // per problem: gradient by w, then by b
};

// At w (problems x (cols + 1), the bias last). Throws Error if the parts of the block do not fit
// each other. The bits of a problem depend on the block and the problem alone.
RowSums sum_gradients(const RowBlock& block, const RowProblems& problems, MatrixView w);
// The Hessian at w times v.
Matrix sum_curvatures(const RowBlock& block, const RowProblems& problems, MatrixView w,
                      MatrixView v);
// sum_i weight_i x_ij^2 of every column, followed by the sum of the weights, for the bias.
std::vector<double> sum_squares(const RowBlock& block);

}  // namespace mulberry::math
