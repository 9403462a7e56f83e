#include "mulberry/learners/mlr/inputs.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/math/dense/products.hpp"

namespace mulberry::learners::mlr {

namespace {

constexpr double k_ridge = 1e-8;     // added to the diagonal of a kernel that may be indefinite
constexpr double k_nothing = 1e-12;  // coefficients too small to matter for any score

// The amount that makes the kernel matrix positive definite.
double jitter_for(const Kernel& kernel, const KernelMatrix& values) {
  if (!maybe_indefinite(kernel)) return 0;
  Matrix k(values.rows(), values.rows());
  values.copy_rows(0, blas::block(k));
  const double smallest = blas::symmetric_eigen(std::move(k)).values.front();
  return std::max(0.0, -smallest) + k_ridge;
}

void require_diagonal(const KernelMatrix& values) {
  if (!maybe_indefinite(values.kernel())) return;
  for (Index i = 0; i < values.rows(); ++i) {
    const double value = values.diagonal(i);
    if (value >= 0) continue;
    throw Error(Code::unsupported,
                "kernel: expected values of at least 0 for every row with itself, found " +
                    shortest(value) + " in row " + std::to_string(i + 1),
                "Use another kernel");
  }
}

PairPrecision used_precision(const Settings& settings, KernelStorage storage) {
  return storage == KernelStorage::f32 ? settings.common.precision : PairPrecision::full;
}

KernelStorage storage_for(const Settings& settings, Index rows) {
  const std::size_t limit = settings.common.kernel.memory_bytes();
  if (settings.common.precision == PairPrecision::full) return KernelMatrix::fitting(rows, limit);
  return KernelMatrix::bytes(rows, KernelStorage::f32) <= limit ? KernelStorage::f32
                                                                : KernelStorage::none;
}

}  // namespace

Inputs::Inputs(const View& view, const Settings& settings, const Context& ctx)
    : data_(view), rows_(kernel_rows(view, data_, settings.common.kernel.kernel)) {
  const KernelParams& params = settings.common.kernel;
  const std::size_t limit = params.memory_bytes();
  kernel_ = choose_kernel(params, rows_.x, ctx);
  if (settings.exact) {
    require_memory(
        "the pairs of labels of all rows, which exact training keeps", exact_bytes(data_.y()),
        limit, "Give a larger memory, use fewer rows, or use mlr_gl or mlr_l1 without mode=exact");
  }
  if (!settings.common.uses_pairs()) {
    if (settings.common.landmarks > 0) {
      map_.emplace(kernel_, rows_.x, settings.common.landmarks, ctx);
      phi_ = Features(map_->features(rows_.x, ctx));
    }
    scores_ = std::make_unique<FeaturePairScores>(map_ ? phi_ : rows_.x);
    return;
  }
  if (settings.exact && maybe_indefinite(kernel_)) {
    require_memory("the eigenvalues of a kernel that may be indefinite",
                   2 * KernelMatrix::bytes(rows_.x.rows(), KernelStorage::f64), limit,
                   "Give a larger memory, or set landmarks");
  }
  const KernelStorage storage = storage_for(settings, rows_.x.rows());
  values_.emplace(kernel_, rows_.x, storage, ctx);
  require_diagonal(*values_);
  if (settings.exact) jitter_ = jitter_for(kernel_, *values_);
  scores_ =
      std::make_unique<KernelPairScores>(*values_, used_precision(settings, storage), jitter_);
}

void Inputs::store(MatrixView a, Ranker& to, const Context& ctx) const {
  to.map = map_;
  if (!values_) {
    to.w = transpose(transposed_product(map_ ? phi_ : rows_.x, a, ctx));
    return;
  }
  Matrix alpha = transpose(a);
  for (double* v = alpha.data(); v != alpha.data() + alpha.size(); ++v) {
    if (std::abs(*v) <= k_nothing) *v = 0;
  }
  to.form = kernel_form(kernel_, rows_, alpha);
  to.w = Matrix(a.cols(), 0);
}

Inputs::Others::Others(const Inputs& inputs, const View& view, const Context& ctx)
    : inputs_(inputs) {
  const Compact data(view);
  if (inputs.map_) {
    x_ = Features(inputs.map_->features(data.x(), ctx));
  } else if (inputs.kernel_.kind == KernelKind::precomputed) {
    x_ = take_columns(data.x(), inputs.rows_.columns);
  } else if (!inputs.values_) {
    x_ = data.x();
  } else {
    const KernelBlocks blocks(inputs.kernel_, data.x(), inputs.rows_.x);
    Matrix values(blocks.rows(), blocks.cols());
    const blas::Block<double> all = blas::block(values);
    parallel_chunks(ctx, all.rows, 128, [&](Index begin, Index end) {
      blocks.fill(begin, 0, all.row_range(begin, end));
    });
    x_ = Features(std::move(values));
  }
}

Matrix Inputs::Others::scores(MatrixView a, const Context& ctx) const {
  const Features& train = inputs_.map_ ? inputs_.phi_ : inputs_.rows_.x;
  return linear_scores(
      x_, inputs_.values_ ? transpose(a) : transpose(transposed_product(train, a, ctx)), {}, ctx);
}

}  // namespace mulberry::learners::mlr
