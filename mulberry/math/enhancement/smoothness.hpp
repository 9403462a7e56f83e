// Smoothness of numbers along the data: |Q U|^2 for a sparse Q whose rows compare a row of U with
// the rows of its neighbours in X.
//
//   reconstruction  Q = I - W, where the weights of row i rebuild x_i from its neighbours:
//                   min |x_i - sum_j w_j x_j|^2 + ridge,  w >= 0, sum w = 1  (locally linear)
//   laplacian       one row per pair of neighbours: sqrt(s_ij) (u_i - u_j),
//                   s_ij = exp(-d_ij^2 / mean) scaled to a mean degree of 1 (Laplacian eigenmaps)
//
// The weights are exact solutions of small quadratic programmes, with the same bits for any number
// of threads. Cost: k^2 times the stored values of a row for each row, and k^3 for its programme.
#pragma once

#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/features.hpp"
#include "mulberry/math/neighbours/neighbours.hpp"

namespace mulberry::math {

// Weights (n x n, at most k per row, no row for itself). `ridge` times the mean diagonal entry is
// added to the diagonal of the Gram matrix of a programme, so that its solution is unique with more
// neighbours than features; with 0 some solution is taken. A row whose neighbours all equal it
// weights them equally. Without neighbours there are no weights.
Csr reconstruction_weights(const Features& x, const Neighbours& near, double ridge,
                           const Context& ctx);

// Equal weights of the neighbours, for their mean.
Csr equal_weights(const Neighbours& near, Index rows);

class Smoothness {
 public:
  Smoothness() = default;  // compares nothing
  static Smoothness reconstruction(const Csr& weights);
  static Smoothness laplacian(const Neighbours& near, Index rows);

  bool empty() const { return q_.rows == 0; }
  const Csr& q() const { return q_; }
  // out += factor Q'Q u.
  void add_product(double factor, MatrixView u, Matrix& out, const Context& ctx) const;
  double value(MatrixView u, const Context& ctx) const;  // |Q u|^2
  std::vector<double> diagonal(Index rows) const;        // of Q'Q

 private:
  explicit Smoothness(Csr q);
  Csr q_, transposed_;
};

}  // namespace mulberry::math
