#include "mulberry/math/dense/dense_factor.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::math {

namespace {

using blas::Op;

// Wider blocks read and write the rest of a large matrix less often.
Index block_size(Index n) { return n > 4096 ? 512 : 256; }

// The part of `a` between two rows and two columns.
template <class T>
blas::Block<T> part(blas::Block<T> a, Index row, Index row_end, Index col, Index col_end) {
  return a.row_range(row, row_end).col_range(col, col_end);
}

}  // namespace

std::optional<DenseFactor> DenseFactor::of(MatrixView a, double shift, const Context& ctx) {
  MULBERRY_ASSERT(a.rows() == a.cols());
  const Index n = a.rows(), size = block_size(n);
  DenseFactor out(n);
  const blas::Block<double> all = out.block();
  parallel_chunks(ctx, n, 64, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      double* const row = all.data + i * n;
      std::copy_n(a.row(i).begin(), i + 1, row);
      row[i] += shift;
    }
  });
  for (Index k = 0; k < n; k += size) {
    const Index end = std::min(n, k + size);
    const blas::Block<double> corner = part(all, k, end, k, end);
    if (!blas::cholesky(corner)) return std::nullopt;
    const Index below = chunk_count(n - end, size);
    const auto rows_of = [&](Index p) {
      return std::pair{end + p * size, std::min(n, end + (p + 1) * size)};
    };
    parallel_for(ctx, below, [&](Index p) {
      const auto [row, row_end] = rows_of(p);
      blas::solve_lower_rows(corner, part(all, row, row_end, k, end));
    });
    std::vector<std::pair<Index, Index>> pairs;
    for (Index p = 0; p < below; ++p) {
      for (Index q = 0; q <= p; ++q) pairs.emplace_back(p, q);
    }
    parallel_for(ctx, count_of(pairs), [&](Index task) {
      const auto [p, q] = pairs[at(task)];
      const auto [row, row_end] = rows_of(p);
      const auto [col, col_end] = rows_of(q);
      blas::gemm(-1, part(all, row, row_end, k, end), Op::plain, part(all, col, col_end, k, end),
                 Op::transposed, 1, part(all, row, row_end, col, col_end));
    });
  }
  return out;
}

DenseFactor DenseFactor::of_raised(MatrixView a, double shift, const Context& ctx) {
  MULBERRY_ASSERT(shift > 0);
  for (;; shift *= 10) {
    MULBERRY_ASSERT(std::isfinite(shift));
    if (auto out = of(a, shift, ctx)) return std::move(*out);
  }
}

void DenseFactor::solve(Matrix& b, const Context& ctx) const {
  const Index n = rows(), size = block_size(n), blocks = chunk_count(n, size);
  MULBERRY_ASSERT(b.rows() == n);
  const blas::Block<const double> all = block();
  const blas::Block<double> x = blas::block(b);
  const auto begin = [&](Index p) { return p * size; };
  const auto end = [&](Index p) { return std::min(n, (p + 1) * size); };
  for (Index k = 0; k < blocks; ++k) {
    const auto own = x.row_range(begin(k), end(k));
    blas::solve_lower(part(all, begin(k), end(k), begin(k), end(k)), Op::plain, own);
    parallel_for(ctx, blocks - k - 1, [&](Index q) {
      const Index p = k + 1 + q;
      blas::gemm(-1, part(all, begin(p), end(p), begin(k), end(k)), Op::plain, own, Op::plain, 1,
                 x.row_range(begin(p), end(p)));
    });
  }
  for (Index k = blocks; k-- > 0;) {
    const auto own = x.row_range(begin(k), end(k));
    blas::solve_lower(part(all, begin(k), end(k), begin(k), end(k)), Op::transposed, own);
    parallel_for(ctx, k, [&](Index p) {
      blas::gemm(-1, part(all, begin(k), end(k), begin(p), end(p)), Op::transposed, own, Op::plain,
                 1, x.row_range(begin(p), end(p)));
    });
  }
}

Matrix DenseFactor::inverse() const {
  Matrix out(rows_, rows_);
  double* const cells = out.data();
  for (Index i = 0; i < rows_; ++i) {
    std::copy_n(factor_.data() + i * rows_, i + 1, cells + i * rows_);
  }
  blas::cholesky_inverse(blas::block(out));
  return out;
}

}  // namespace mulberry::math
