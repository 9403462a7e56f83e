#include "mulberry/math/kernels/kernel_ridge.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::math {

namespace {

using blas::Op;

constexpr Index k_rows = 256;  // of a chunk

[[noreturn]] void not_definite(double alpha) {
  throw Error(Code::parameter,
              "expected a kernel matrix that is positive definite with alpha=" + shortest(alpha) +
                  " on its diagonal, found one that is not",
              "Choose a larger alpha, or another kernel");
}

// A'B of tall matrices, summed chunk by chunk.
Matrix tall_product(MatrixView a, MatrixView b, const Context& ctx) {
  constexpr Index k_tall = 1024;
  return parallel_reduce(
      ctx, a.rows(), k_tall, Matrix(a.cols(), b.cols()),
      [&](Index begin, Index end) {
        Matrix part(a.cols(), b.cols());
        blas::gemm(1, blas::block(a).row_range(begin, end), Op::transposed,
                   blas::block(b).row_range(begin, end), Op::plain, 0, blas::block(part));
        return part;
      },
      [](Matrix& total, MatrixView part) {
        double* const to = total.data();
        for (Index c = 0; c < part.size(); ++c) to[c] += part.data()[c];
      });
}

}  // namespace

KernelRidge KernelRidge::of_kernel(MatrixView kernel, double alpha, const Context& ctx) {
  MULBERRY_ASSERT(kernel.rows() == kernel.cols() && alpha > 0);
  KernelRidge out;
  for (Index i = 0; i < kernel.rows(); ++i) out.trace_ += kernel(i, i);
  out.factor(kernel, kernel.rows(), alpha, ctx);
  return out;
}

KernelRidge KernelRidge::of_features(std::shared_ptr<const Matrix> phi, double alpha,
                                     const Context& ctx) {
  MULBERRY_ASSERT(alpha > 0);
  KernelRidge out;
  const Matrix gram = tall_product(*phi, *phi, ctx);
  for (Index j = 0; j < gram.rows(); ++j) out.trace_ += gram(j, j);
  const Index rows = phi->rows();
  out.phi_ = std::move(phi);
  out.factor(gram, rows, alpha, ctx);
  return out;
}

void KernelRidge::factor(MatrixView matrix, Index rows, double alpha, const Context& ctx) {
  alpha_ = alpha;
  factor_ = DenseFactor::of(matrix, alpha, ctx);
  if (!factor_) not_definite(alpha);
  residual_of_one_.resize(at(rows));
  const Matrix one = without_constant(Matrix(rows, 1, 1.0), ctx);
  std::copy_n(one.data(), rows, residual_of_one_.begin());
  for (const double v : residual_of_one_) total_ += v;
}

Matrix KernelRidge::without_constant(MatrixView targets, const Context& ctx) const {
  MULBERRY_ASSERT(targets.rows() == rows());
  Matrix out(targets);
  if (!low_rank()) {
    factor_->solve(out, ctx);
    double* const cells = out.data();
    for (Index c = 0; c < out.size(); ++c) cells[c] *= alpha_;
    return out;
  }
  Matrix inner = tall_product(*phi_, targets, ctx);
  factor_->solve(inner, ctx);
  const blas::Block<double> to = blas::block(out);
  parallel_chunks(ctx, rows(), k_rows, [&](Index begin, Index end) {
    blas::gemm(-1, blas::block(*phi_).row_range(begin, end), Op::plain, blas::block(inner),
               Op::plain, 1, to.row_range(begin, end));
  });
  return out;
}

std::vector<double> KernelRidge::sums(MatrixView targets) const {
  std::vector<double> out(at(targets.cols()));
  blas::gemv(1, blas::block(targets), Op::transposed, residual_of_one_, 0, out);
  return out;
}

Matrix KernelRidge::residual(MatrixView targets, const Context& ctx) const {
  Matrix out = without_constant(targets, ctx);
  const std::vector<double> b = constants(targets);
  double* const cells = out.data();
  parallel_chunks(ctx, rows(), k_rows, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      blas::axpy(-residual_of_one_[at(i)], b, {cells + i * out.cols(), b.size()});
    }
  });
  return out;
}

std::vector<double> KernelRidge::constants(MatrixView targets) const {
  std::vector<double> out = sums(targets);
  for (double& v : out) v /= total_;
  return out;
}

Matrix KernelRidge::weights(MatrixView targets, const Context& ctx) const {
  MULBERRY_ASSERT(low_rank());
  // Phi'(R - Phi W - 1 b) = alpha W at the optimum.
  Matrix out = tall_product(*phi_, residual(targets, ctx), ctx);
  double* const cells = out.data();
  for (Index c = 0; c < out.size(); ++c) cells[c] /= alpha_;
  return out;
}

MatrixView KernelRidge::matrix() {
  MULBERRY_ASSERT(!low_rank());
  if (matrix_.size() == 0) {
    Matrix out = factor_->inverse();
    double* const cells = out.data();
    const Index n = rows();
    for (Index i = 0; i < n; ++i) {
      const double own = residual_of_one_[at(i)] / total_;
      for (Index j = 0; j < n; ++j) {
        double& cell = cells[i * n + j];
        cell = alpha_ * cell - own * residual_of_one_[at(j)];
      }
    }
    matrix_ = std::move(out);
  }
  return matrix_;
}

}  // namespace mulberry::math
