// One round of MSSBoost: of several models, finds the one that lowers the total exponential loss of
// all labels most, with a separate multiple for each label.
//
//   W(i, l) = y_il exp(-y_il F_l(x_i)), 0 if the label is missing; loss_l = sum_i |W(i, l)|
//   r_l     = sum_i W(i, l) h(x_i) / loss_l,        alpha_l = 1/2 ln((1 + r_l) / (1 - r_l))
//   the new loss is  sum_il |W(i, l)| exp(-y_il alpha_l h(x_i)),   at most sum_l loss_l
//
// for h with values in [-1, 1]. r is kept 1 / (2 n) away from -1 and 1.
#pragma once

#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/matrix.hpp"

namespace mulberry::learners {

struct SharedStep {
  Index model = 0;
  std::vector<double> alpha = {};  // one per label
  double loss = 0;                 // of all labels, after the step
};

// `outputs`: one row per model, one column per row of the data. `weights`: W. The lower model on
// ties. Cost: a product of outputs and weights, and one exponential per cell of W for every model
// that a lower bound of its loss does not rule out.
SharedStep best_shared_step(MatrixView outputs, MatrixView weights, const Context& ctx);

// W(i, l) *= exp(-y_il alpha_l h(x_i)), with its size kept above 1e-200; returns the new loss.
double take_shared_step(std::span<const double> outputs, std::span<const double> alpha,
                        Matrix& weights, const Context& ctx);

}  // namespace mulberry::learners
