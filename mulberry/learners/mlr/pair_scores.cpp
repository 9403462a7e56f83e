#include "mulberry/learners/mlr/pair_scores.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/products.hpp"

namespace mulberry::learners {

namespace {

constexpr Index k_rows = 128;   // rows of a product that one task computes
constexpr Index k_terms = 512;  // terms that are summed in single precision
constexpr Index k_sums = 32;    // rows whose parts one task adds up
constexpr Index k_features = 128;

bool is_zero(std::span<const double> row) {
  return std::all_of(row.begin(), row.end(), [](double v) { return v == 0; });
}

Kernel inner_product() { return {.kind = KernelKind::linear}; }

}  // namespace

KernelPairScores::KernelPairScores(const KernelMatrix& values, PairPrecision precision,
                                   double jitter)
    : values_(values), single_(precision == PairPrecision::single), jitter_(jitter) {
  MULBERRY_ASSERT(!single_ || values.storage() == KernelStorage::f32);
}

void KernelPairScores::begin(MatrixView a, const Context&) {
  used_ = a.rows();
  while (used_ > 0 && is_zero(a.row(used_ - 1))) --used_;
  if (!single_) return;
  rounded_.resize(at(a.size()));
  std::transform(a.data(), a.data() + a.size(), rounded_.begin(),
                 [](double v) { return static_cast<float>(v); });
}

// One part of the sum at a time, for all rows of the block: so every value of the kernel and of A
// is packed for a product only once. The parts are added in order.
void KernelPairScores::single_product(Index first, blas::Block<double> f, const Context& ctx) {
  const Index m = f.cols, count = chunk_count(used_, k_terms), size = f.rows * m;
  const auto k = values_.floats().row_range(first, first + f.rows);
  const blas::Block<const float> right = {rounded_.data(), used_, m, m};
  parts_.resize(at(count * size));
  float* const parts = parts_.data();
  parallel_chunks(ctx, used_, k_terms, [&](Index begin, Index end) {
    blas::gemm(1.0F, k.col_range(begin, end), blas::Op::plain, right.row_range(begin, end),
               blas::Op::plain, 0.0F, {parts + begin / k_terms * size, f.rows, m, m});
  });
  parallel_chunks(ctx, f.rows, k_sums, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      double* const to = f.data + i * f.stride;
      std::fill_n(to, m, 0.0);
      for (Index p = 0; p < count; ++p) {
        const float* const from = parts + p * size + i * m;
        for (Index l = 0; l < m; ++l) to[l] += static_cast<double>(from[l]);
      }
    }
  });
}

void KernelPairScores::full_product(Index first, MatrixView a, blas::Block<double> f) const {
  const auto right = blas::block(a).row_range(0, used_);
  if (values_.storage() == KernelStorage::f64) {
    blas::gemm(1.0, values_.doubles().row_range(first, first + f.rows).col_range(0, used_),
               blas::Op::plain, right, blas::Op::plain, 0.0, f);
    return;
  }
  std::vector<double> copy(at(f.rows * rows()));
  const blas::Block<double> k = {copy.data(), f.rows, rows(), rows()};
  values_.copy_rows(first, k);
  blas::gemm(1.0, k.col_range(0, used_), blas::Op::plain, right, blas::Op::plain, 0.0, f);
}

void KernelPairScores::block(Index first, MatrixView a, blas::Block<double> f,
                             blas::Block<double> own, const Context& ctx) {
  if (single_) {
    single_product(first, f, ctx);
  } else {
    parallel_chunks(ctx, f.rows, k_rows, [&](Index begin, Index end) {
      full_product(first + begin, a, f.row_range(begin, end));
    });
  }
  values_.copy_square(first, own);
  for (Index i = 0; i < f.rows && jitter_ != 0; ++i) {
    own.data[i * own.stride + i] += jitter_;
    blas::axpy(jitter_, a.row(first + i), {f.data + i * f.stride, at(f.cols)});
  }
}

void KernelPairScores::changed(Index first, MatrixView a, blas::Block<const double> da,
                               const Context&) {
  used_ = std::max(used_, first + da.rows);
  if (!single_) return;
  const Index m = a.cols();
  std::transform(a.data() + first * m, a.data() + (first + da.rows) * m,
                 rounded_.begin() + first * m, [](double v) { return static_cast<float>(v); });
}

Matrix KernelPairScores::all(MatrixView a, const Context& ctx) const {
  Matrix out = values_.product(a, ctx);
  if (jitter_ != 0) blas::axpy(jitter_, a.values(), {out.data(), a.values().size()});
  return out;
}

FeaturePairScores::FeaturePairScores(const Features& x) : x_(x), own_(inner_product(), x, x) {}

void FeaturePairScores::begin(MatrixView a, const Context& ctx) {
  w_ = transposed_product(x_, a, ctx);
}

void FeaturePairScores::product(Index first, MatrixView w, blas::Block<double> f) const {
  if (!x_.is_sparse()) {
    blas::gemm(1.0, blas::block(x_.dense()).row_range(first, first + f.rows), blas::Op::plain,
               blas::block(w), blas::Op::plain, 0.0, f);
    return;
  }
  for (Index i = 0; i < f.rows; ++i) {
    const std::span<double> to(f.data + i * f.stride, at(f.cols));
    std::fill(to.begin(), to.end(), 0.0);
    const SparseRow row = x_.sparse().row(first + i);
    for (std::size_t k = 0; k < row.index.size(); ++k) {
      blas::axpy(row.value[k], w.row(row.index[k]), to);
    }
  }
}

void FeaturePairScores::block(Index first, MatrixView, blas::Block<double> f,
                              blas::Block<double> own, const Context& ctx) {
  parallel_chunks(ctx, f.rows, k_rows, [&](Index begin, Index end) {
    product(first + begin, w_, f.row_range(begin, end));
  });
  own_.fill(first, first, own);
}

void FeaturePairScores::changed(Index first, MatrixView, blas::Block<const double> da,
                                const Context& ctx) {
  if (x_.is_sparse()) {
    for (Index i = 0; i < da.rows; ++i) {
      const SparseRow row = x_.sparse().row(first + i);
      const std::span<const double> from(da.data + i * da.stride, at(da.cols));
      for (std::size_t k = 0; k < row.index.size(); ++k) {
        blas::axpy(row.value[k], from, w_.row(row.index[k]));
      }
    }
    return;
  }
  const auto x = blas::block(x_.dense()).row_range(first, first + da.rows);
  const blas::Block<double> w = blas::block(w_);
  parallel_chunks(ctx, x.cols, k_features, [&](Index begin, Index end) {
    blas::gemm(1.0, x.col_range(begin, end), blas::Op::transposed, da, blas::Op::plain, 1.0,
               w.row_range(begin, end));
  });
}

Matrix FeaturePairScores::all(MatrixView a, const Context& ctx) const {
  const Matrix w = transposed_product(x_, a, ctx);
  Matrix out(rows(), a.cols());
  const blas::Block<double> f = blas::block(out);
  parallel_chunks(ctx, rows(), k_rows,
                  [&](Index begin, Index end) { product(begin, w, f.row_range(begin, end)); });
  return out;
}

std::vector<double> column_sums(blas::Block<const double> a) {
  std::vector<double> out(at(a.cols));
  for (Index i = 0; i < a.rows; ++i) {
    blas::axpy(1.0, {a.data + i * a.stride, out.size()}, out);
  }
  return out;
}

void ConstantPairScores::begin(MatrixView a, const Context& ctx) {
  inner_.begin(a, ctx);
  sums_ = column_sums(blas::block(a));
}

void ConstantPairScores::block(Index first, MatrixView a, blas::Block<double> f,
                               blas::Block<double> own, const Context& ctx) {
  inner_.block(first, a, f, own, ctx);
  for (Index i = 0; i < f.rows; ++i) {
    blas::axpy(1.0, sums_, {f.data + i * f.stride, sums_.size()});
    for (Index j = 0; j < own.cols; ++j) own.data[i * own.stride + j] += 1;
  }
}

void ConstantPairScores::changed(Index first, MatrixView a, blas::Block<const double> da,
                                 const Context& ctx) {
  inner_.changed(first, a, da, ctx);
  blas::axpy(1.0, column_sums(da), sums_);
}

Matrix ConstantPairScores::all(MatrixView a, const Context& ctx) const {
  Matrix out = inner_.all(a, ctx);
  const std::vector<double> sums = column_sums(blas::block(a));
  for (Index i = 0; i < out.rows(); ++i) blas::axpy(1.0, sums, out.row(i));
  return out;
}

}  // namespace mulberry::learners
