// Label enhancement: real-valued labels U behind the -1/+1 labels Y, learnt together with the
// kernel regressor P = K B + 1 b that predicts them. Minimises, over B, b and U,
//
//   J = sum_i L(|u_i - p_i|) + alpha tr(B'K B) + beta |U - Y|^2 + gamma |Q U|^2 + delta |U|^2,
//   L(r) = max(0, r - eps)^2,
//
// where the closeness |U - Y|^2 is over the known cells only. J is jointly convex. `enhance` uses
// L(|x|) = min over |v| <= eps of |x - v|^2: for fixed V the rest is one linear system
//
//   (Nb + diag(beta known + delta) + gamma Q'Q) U = Nb V + beta Y     (Nb: kernel_ridge.hpp)
//
// and V is the residual cut to length eps, repeated with Nesterov's momentum. The systems are
// solved by conjugate gradients from the last solution, with a single factor of K + alpha I; once
// they have cost as much as factoring the system would, it is factored (only for kernels of up to
// 6,000 rows).
//
// eps = 0 is kernel ridge regression coupled with the smoothing, one system. With `hard` U equals Y
// in the known cells: multi-output support vector regression. The certificate is for the returned
// point. Cost: tens to hundreds of products with Nb; memory: a few matrices of the size of Y, and
// three of the size of K if the system is factored. The bits do not depend on the number of
// threads.
#pragma once

#include <vector>

#include "mulberry/math/enhancement/enhancement_point.hpp"
#include "mulberry/math/kernels/kernel_ridge.hpp"

namespace mulberry::math {

struct EnhancementOptions {
  // Largest change of a residual in an iteration, in units of max(1, eps) and of the size that U
  // can have, beta / (beta + delta).
  double tolerance = 1e-6;
  Index max_iterations = 2000;
  bool momentum = true;           // without it no iteration increases J
  const Matrix* start = nullptr;  // of U; null: 0
};

struct Enhancement {
  Matrix u = {};
  Matrix targets = {};         // target of the regression: U minus the part within the tube
  Matrix coefficients = {};    // B; empty without a kernel
  std::vector<double> b = {};  // empty without a kernel
  double objective = 0;
  EnhancementCertificate certificate = {};
  Index iterations = 0, products = 0;
  bool converged = true;
  std::vector<double> history = {};  // J after each iteration
};

Enhancement enhance(KernelRidge& ridge, const EnhancementTerms& terms,
                    const EnhancementOptions& options, const Context& ctx);

// As above with another regressor: |P U - U|^2 in place of the first two terms, where `predictor`
// compares rows with the prediction of their neighbours. Only one system.
Enhancement enhance(const Smoothness& predictor, const EnhancementTerms& terms,
                    const EnhancementOptions& options, const Context& ctx);

}  // namespace mulberry::math
