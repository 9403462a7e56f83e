// Multinomial logistic regression with L2 penalty:
//
//   minimise  1/2 sum_c |w_c|^2 - sum_i cost_i log p(y_i | x_i),
//   p(c | x) = exp(w_c.x + b_c) / sum_e exp(w_e.x + b_e)
//
// by Newton's method with conjugate gradients over all classes at once. The bias is as in
// linear.hpp. Cost of an inner iteration: two products of X with one column per class. Memory: a
// few arrays of rows x classes. The bits do not depend on the number of threads.
#pragma once

#include "mulberry/math/linear/linear.hpp"

namespace mulberry::base {

struct MultinomialResult {
  Matrix w = {};  // classes x features
  std::vector<double> b = {};
  Certificate certificate = {};
};

// y holds the class 0 .. classes - 1 of every row. options.loss is ignored; the tolerance is the
// norm of the gradient.
MultinomialResult solve_multinomial(const Features& x, std::span<const Id> y, Id classes,
                                    std::span<const double> cost, const LinearOptions& options,
                                    const Context& ctx);

}  // namespace mulberry::base
