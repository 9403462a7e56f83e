#include "mulberry/math/kernels/nystrom.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/math/kernels/kernel_matrix.hpp"

namespace mulberry::math {

namespace {

constexpr double k_smallest = 1e-10;  // eigenvalues that count, as a share of the largest

}  // namespace

Features choose_landmarks(const Kernel& kernel, const Features& train, Index count,
                          const Context& ctx) {
  if (kernel.kind == KernelKind::precomputed) {
    throw Error(Code::parameter,
                "expected landmarks with a kernel of rows, found kernel=precomputed",
                "Leave out landmarks");
  }
  std::vector<Id> rows(at(train.rows()));
  std::iota(rows.begin(), rows.end(), Id{0});
  Random rng = ctx.rng("landmarks");
  rng.shuffle(std::span(rows));
  rows.resize(at(std::min(count, train.rows())));
  std::sort(rows.begin(), rows.end());
  return take_rows(train, rows);
}

Matrix nystrom_root(const Kernel& kernel, const Features& landmarks, const Context& ctx) {
  const Index p = landmarks.rows();
  const KernelMatrix values(kernel, landmarks, KernelStorage::f64, ctx);
  Matrix k(p, p);
  values.copy_rows(0, blas::block(k));
  const blas::Eigen eigen = blas::symmetric_eigen(std::move(k));
  const double largest = eigen.values.empty() ? 0 : eigen.values.back();
  // root = S'S with the rows v_k / w_k^(1/4)
  Matrix scaled(p, p);
  for (Index e = 0; e < p; ++e) {
    const double value = eigen.values[at(e)];
    if (!(value > k_smallest * largest)) continue;
    const double factor = std::pow(value, -0.25);
    const auto from = eigen.vectors.row(e);
    std::transform(from.begin(), from.end(), scaled.row(e).begin(),
                   [&](double v) { return factor * v; });
  }
  Matrix root(p, p);
  blas::syrk(1.0, blas::block(scaled), blas::Op::transposed, 0.0, blas::block(root));
  return root;
}

Matrix nystrom_features(const Kernel& kernel, const Features& landmarks, MatrixView root,
                        const Features& x, const Context& ctx) {
  return kernel_scores(kernel, x, landmarks, root, {}, ctx);
}

}  // namespace mulberry::math
