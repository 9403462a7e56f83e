// Nystrom features: a few columns whose inner products approximate a kernel, so that a learner
// never needs the values of all pairs of rows.
//
// With landmarks Z, some of the training rows, Phi(x) = kappa(x, Z) root and root = K_zz^(-1/2):
// Phi(x).Phi(y) equals the kernel if x or y is a landmark, and is close to it near landmarks. The
// root drops eigenvalues of K_zz below 1e-10 of the largest, which includes equal landmarks and the
// negative part of a kernel that is not positive semi-definite. Cost: p^3 once for p landmarks, and
// p kernel values and p^2 products per row.
#pragma once

#include "mulberry/math/kernels/kernels.hpp"

namespace mulberry::math {

// `count` random rows (all of them if there are fewer), in their order. Throws Error for a
// precomputed kernel, whose rows are not points.
Features choose_landmarks(const Kernel& kernel, const Features& train, Index count,
                          const Context& ctx);
// K_zz^(-1/2): symmetric, landmarks x landmarks.
Matrix nystrom_root(const Kernel& kernel, const Features& landmarks, const Context& ctx);
// Phi of the rows of x: one column per landmark.
Matrix nystrom_features(const Kernel& kernel, const Features& landmarks, MatrixView root,
                        const Features& x, const Context& ctx);

}  // namespace mulberry::math
