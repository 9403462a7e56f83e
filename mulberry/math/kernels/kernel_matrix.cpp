#include "mulberry/math/kernels/kernel_matrix.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <memory>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::math {

namespace {

constexpr Index k_block = 128, k_strip = 512;

// sum_j row_j c_j of single-precision values, summed in double precision.
struct MixedDot {
  const float* row;
  const double* c;
  Index count;
  double sum;
};

MULBERRY_INLINE void mixed_dot_body(MixedDot& task) {
  constexpr Index k_lanes = 8;
  double sums[k_lanes] = {};
  Index j = 0;
  for (; j + k_lanes <= task.count; j += k_lanes) {
    for (Index k = 0; k < k_lanes; ++k) {
      sums[k] += static_cast<double>(task.row[j + k]) * task.c[j + k];
    }
  }
  for (Index k = 0; j < task.count; ++j, ++k) {
    sums[k] += static_cast<double>(task.row[j]) * task.c[j];
  }
  task.sum =
      ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}
MULBERRY_DISPATCH(mixed_dot, mixed_dot_body)

// to(i, j) = from(i, j), or from(j, i), in small squares: whole columns would miss the cache at
// every step.
template <class From, class To>
void copy_block(blas::Block<const From> from, bool transposed, blas::Block<To> to) {
  constexpr Index k_square = 8;
  for (Index i = 0; i < to.rows; i += k_square) {
    const Index last = std::min(i + k_square, to.rows);
    for (Index j = 0; j < to.cols; j += k_square) {
      const Index end = std::min(j + k_square, to.cols);
      for (Index r = i; r < last; ++r) {
        for (Index c = j; c < end; ++c) {
          to.data[r * to.stride + c] = static_cast<To>(transposed ? from.data[c * from.stride + r]
                                                                  : from.data[r * from.stride + c]);
        }
      }
    }
  }
}

// Both triangles of a symmetric matrix from strips of one, wide enough for fast products.
template <class T>
LargeArray<T> fill_both(const KernelBlocks& blocks, const Context& ctx) {
  const Index n = blocks.rows();
  LargeArray<T> values(at(n) * at(n));
  std::vector<std::pair<Index, Index>> strips;
  for (Index row = 0; row < n; row += k_block) {
    for (Index col = row; col < n; col += k_strip) strips.emplace_back(row, col);
  }
  T* const data = values.data();
  parallel_for(ctx, count_of(strips), [&](Index task) {
    const auto [row, col] = strips[at(task)];
    const Index tall = std::min(k_block, n - row), wide = std::min(k_strip, n - col);
    const Index beyond = row == col ? tall : 0;  // the part with a mirror image
    const blas::Block<T> upper = {data + row * n + col, tall, wide, n};
    const blas::Block<T> lower = {data + (col + beyond) * n + row, wide - beyond, tall, n};
    // Rows as far apart as in the result would share few places of the cache.
    const auto cells = std::make_unique_for_overwrite<double[]>(at(tall * (wide + 8)));
    const blas::Block<double> strip = {cells.get(), tall, wide, wide + 8};
    blocks.fill(row, col, strip);
    copy_block<double>(strip, false, upper);
    copy_block<double>(strip.col_range(beyond, wide), true, lower);
  });
  return values;
}

}  // namespace

std::size_t KernelMatrix::bytes(Index rows, KernelStorage storage) {
  const auto n = at(rows);
  switch (storage) {
    case KernelStorage::f64:
      return n * n * sizeof(double);
    case KernelStorage::f32:
      return n * n * sizeof(float);
    case KernelStorage::none:
      break;
  }
  return 0;
}

KernelStorage KernelMatrix::fitting(Index rows, std::size_t limit) {
  for (const KernelStorage storage : {KernelStorage::f64, KernelStorage::f32}) {
    if (bytes(rows, storage) <= limit) return storage;
  }
  return KernelStorage::none;
}

KernelMatrix::KernelMatrix(const Kernel& kernel, const Features& x, KernelStorage storage,
                           const Context& ctx)
    : kernel_(kernel), blocks_(kernel, x, x), storage_(storage) {
  if (storage == KernelStorage::f64) doubles_ = fill_both<double>(blocks_, ctx);
  if (storage == KernelStorage::f32) floats_ = fill_both<float>(blocks_, ctx);
}

blas::Block<const double> KernelMatrix::doubles() const {
  MULBERRY_ASSERT(storage_ == KernelStorage::f64);
  return {doubles_.data(), rows(), rows(), rows()};
}

FixedMatrix KernelMatrix::take_doubles() && {
  MULBERRY_ASSERT(storage_ == KernelStorage::f64);
  const Index n = rows();
  const auto owner = std::make_shared<LargeArray<double>>(std::move(doubles_));
  const std::span<const double> values = {owner->data(), at(n * n)};
  return {n, n, Array<double>::borrow(values, owner)};
}

blas::Block<const float> KernelMatrix::floats() const {
  MULBERRY_ASSERT(storage_ == KernelStorage::f32);
  return {floats_.data(), rows(), rows(), rows()};
}

void KernelMatrix::copy_rows(Index begin, blas::Block<double> out) const {
  MULBERRY_ASSERT(out.cols == rows());
  copy_cells(begin, 0, out);
}

void KernelMatrix::copy_square(Index begin, blas::Block<double> out) const {
  MULBERRY_ASSERT(out.cols == out.rows);
  copy_cells(begin, begin, out);
}

void KernelMatrix::copy_cells(Index row, Index col, blas::Block<double> out) const {
  if (storage_ == KernelStorage::none) return blocks_.fill(row, col, out);
  for (Index i = 0; i < out.rows; ++i) {
    double* const to = out.data + i * out.stride;
    const Index at = (row + i) * rows() + col;
    if (storage_ == KernelStorage::f64) {
      std::copy_n(doubles_.data() + at, out.cols, to);
    } else {
      const float* const from = floats_.data() + at;
      std::transform(from, from + out.cols, to, [](float v) { return static_cast<double>(v); });
    }
  }
}

double KernelMatrix::diagonal(Index i) const {
  const auto cell = at(i * (rows() + 1));
  if (storage_ == KernelStorage::f64) return doubles_.data()[cell];
  if (storage_ == KernelStorage::f32) return static_cast<double>(floats_.data()[cell]);
  double value = 0;
  blocks_.fill(i, i, {&value, 1, 1, 1});
  return value;
}

void KernelMatrix::times(std::span<const Id> rows_asked, std::span<const double> c,
                         std::span<double> out) const {
  const Index n = rows();
  MULBERRY_ASSERT(count_of(c) == n && out.size() == rows_asked.size());
  std::vector<double> row(storage_ == KernelStorage::none ? c.size() : 0);
  for (std::size_t k = 0; k < rows_asked.size(); ++k) {
    const Index i = rows_asked[k];
    if (storage_ == KernelStorage::f64) {
      out[k] = blas::dot({doubles_.data() + i * n, c.size()}, c);
    } else if (storage_ == KernelStorage::f32) {
      MixedDot task{floats_.data() + i * n, c.data(), n, 0};
      mixed_dot(task);
      out[k] = task.sum;
    } else {
      blocks_.fill(i, 0, {row.data(), 1, n, n});
      out[k] = blas::dot(row, c);
    }
  }
}

Matrix KernelMatrix::product(MatrixView a, const Context& ctx) const {
  const Index n = rows(), columns = a.cols();
  MULBERRY_ASSERT(a.rows() == n);
  Matrix out(n, columns);
  double* const cells = out.data();
  parallel_chunks(ctx, n, k_block, [&](Index begin, Index end) {
    const blas::Block<double> part = {cells + begin * columns, end - begin, columns, columns};
    if (storage_ == KernelStorage::f64) {
      blas::gemm(1.0, doubles().row_range(begin, end), blas::Op::plain, blas::block(a),
                 blas::Op::plain, 0.0, part);
      return;
    }
    std::vector<double> values(at((end - begin) * n));
    const blas::Block<double> piece = {values.data(), end - begin, n, n};
    copy_rows(begin, piece);
    blas::gemm(1.0, piece, blas::Op::plain, blas::block(a), blas::Op::plain, 0.0, part);
  });
  return out;
}

}  // namespace mulberry::math
