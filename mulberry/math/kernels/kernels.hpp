// Kernels: the similarity of two rows, for every learner that works on a kernel.
//
//   linear         x.y
//   polynomial     (gamma x.y + coef0)^degree
//   rbf            exp(-gamma d),  d = |x - y|^2
//   laplacian      exp(-gamma d),  d = sum_k |x_k - y_k|
//   chi2           exp(-gamma d),  d = sum_k (x_k - y_k)^2 / (x_k + y_k), 0/0 = 0
//   modified_chi2  exp(-gamma d),  d = |x - y|^2 / |x + y|^2, 0/0 = 0; not positive semi-definite
//   intersection   sum_k min(x_k, y_k)
//   precomputed    the features are the kernel's values with the training rows
//
// The scale is chosen once, on training rows, and belongs to the model (Kernel::gamma). The three
// kernels of histograms refuse features below 0. Dense and sparse rows give the same values up to
// rounding. Blocks of values are computed by matrix products if inner products are enough and by
// vectorised loops otherwise, in double precision, with the same bits for any number of threads.
// Cost: rows x rows x stored values of a row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mulberry/core/bounds.hpp"
#include "mulberry/core/context.hpp"
#include "mulberry/core/params.hpp"
#include "mulberry/data/features.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::math {

enum class KernelKind {
  linear,
  polynomial,
  rbf,
  laplacian,
  chi2,
  modified_chi2,
  intersection,
  precomputed
};

// The parameters of a kernel: a group of the fields of a learner. A learner with other defaults
// sets them where it declares the member.
struct KernelParams {
  KernelKind kernel = KernelKind::linear;
  std::string width = "mean";
  double width_factor = 1;
  double coef0 = 1;
  Index degree = 3;
  double memory = 2;

  static Fields fields() {
    return Fields{
        choice("kernel", &KernelParams::kernel, "similarity of two rows",
               {"linear", "polynomial", "rbf", "laplacian", "chi2", "modified_chi2", "intersection",
                "precomputed"},
               false),
        field("width", &KernelParams::width,
              "scale of a kernel of distances: mean (1 / mean distance), mean_root (1 / twice the "
              "square of the mean root), or a number"),
        field("width_factor", &KernelParams::width_factor, "multiplies the mean of the distances",
              positive()),
        field("coef0", &KernelParams::coef0, "constant of the polynomial kernel",
              between(-1e9, 1e9)),
        field("degree", &KernelParams::degree, "degree of the polynomial kernel", between(1, 100)),
        field("memory", &KernelParams::memory,
              "GB for kernel values; beyond that they are kept in single precision, and if that is "
              "still too much they are computed again whenever needed",
              between(0, 1e9))};
  }
  std::size_t memory_bytes() const { return static_cast<std::size_t>(memory * 1e9); }
};

// A kernel with its scale.
struct Kernel {
  KernelKind kind = KernelKind::linear;
  double gamma = 1;
  double coef0 = 1;
  Index degree = 3;
  bool sampled = false;  // gamma comes from the pairs of some rows, not of all

  template <class V>
  void visit(V& v) {
    v("kind", kind, up_to(KernelKind::precomputed));
    v("gamma", gamma, real_from(0));
    v("coef0", coef0, finite());
    v("degree", degree, whole(1, 100));
    v("sampled", sampled);
  }
};

std::string_view name_of(KernelKind kind);
// exp(-gamma d) of some distance d.
bool has_distance(KernelKind kind);

// The kernel for these training rows. The mean distance is over all pairs or, beyond 4,000 rows,
// over 4 million pairs of random rows; if it is 0, gamma is 1. Throws Error for parameters that the
// kernel does not use, for features that it does not accept, and if a precomputed kernel is not
// square and symmetric.
Kernel choose_kernel(const KernelParams& params, const Features& train, const Context& ctx);

// Values between the rows of two sets (which must outlive it), block by block, from any thread. For
// a precomputed kernel, `a` holds the values and `b` is not used.
class KernelBlocks {
 public:
  KernelBlocks(const Kernel& kernel, const Features& a, const Features& b);

  Index rows() const { return a_->rows(); }
  Index cols() const { return precomputed() ? a_->cols() : b_->rows(); }
  // out(i, j) = kappa(a[row + i], b[col + j]) for all cells of `out`.
  void fill(Index row, Index col, blas::Block<double> out) const;
  // As above, but the distance d; only for kernels that have one.
  void distances(Index row, Index col, blas::Block<double> out) const;

 private:
  bool precomputed() const { return kernel_.kind == KernelKind::precomputed; }
  void sums(Index row, Index col, blas::Block<double> out) const;

  Kernel kernel_;
  const Features *a_, *b_;
  std::optional<Features> own_a_;        // `a` in the form of `b`, if they differ
  Csr lists_;                            // sparse `b` by columns
  std::vector<double> size_a_, size_b_;  // |x|^2 or sum_k |x_k| of each row, if needed
};

// scores(i, l) = sum_j alpha(l, j) kappa(x_i, train_j) + b_l, without ever storing all values; an
// empty b means zeros.
Matrix kernel_scores(const Kernel& kernel, const Features& x, const Features& train,
                     MatrixView alpha, std::span<const double> b, const Context& ctx);

}  // namespace mulberry::math
