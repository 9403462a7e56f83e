// Label enhancement (enhancement.hpp) as in its paper: alternates between the regression for fixed
// U and U for a fixed regression, each by iteratively reweighted least squares with a line search.
// It reaches the optimum of `enhance` (see there for the objective), at the price of a
// factorisation in every step of the regression. Neither kind of step increases J.
//
// Perez-Cruz, Camps-Valls, Soria-Olivas, Perez-Ruixo, Figueiras-Vidal and Artes-Rodriguez,
// "Multi-dimensional function approximation and regression estimation", 2002; Tuia, Verrelst,
// Alonso, Perez-Cruz and Camps-Valls, "Multioutput support vector regression for remote sensing
// biophysical parameter estimation", 2011.
#pragma once

#include "mulberry/math/enhancement/enhancement.hpp"

namespace mulberry::math {

struct IrwlsOptions {
  double tolerance = 1e-6;  // relative decrease of J at which a step or the whole iteration ends
  Index max_rounds = 100;   // of both steps
  Index max_steps = 1000;   // of reweighting within one step
  const Matrix* start = nullptr;  // of U; null: 0
};

// `products` of the result counts the factorisations.
Enhancement enhance_irwls(MatrixView kernel, double alpha, const EnhancementTerms& terms,
                          const IrwlsOptions& options, const Context& ctx);

}  // namespace mulberry::math
