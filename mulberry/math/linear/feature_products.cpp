#include "mulberry/math/linear/feature_products.hpp"

#include <algorithm>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::math {

namespace {

constexpr Index k_block_rows = 64;  // of features that have to be converted

// f(first row, block of doubles) for all rows of dense features, in the same blocks and thus with
// the same bits in whatever form they are.
template <class F>
void visit_blocks(const Features& x, const F& f) {
  if (x.cols() == 0) return;
  const bool ready = x.in_one_piece();
  Matrix lines(ready ? 0 : std::min(k_block_rows, x.rows()), x.cols());
  std::vector<Index> rows;
  for (Index begin = 0; begin < x.rows(); begin += k_block_rows) {
    const Index count = std::min(k_block_rows, x.rows() - begin);
    if (ready) {
      f(begin, blas::block(x.dense()).row_range(begin, begin + count));
      continue;
    }
    rows.resize(at(count));
    std::iota(rows.begin(), rows.end(), begin);
    copy_rows(x, rows, lines);
    f(begin, blas::Block<const double>(blas::block(lines)).row_range(0, count));
  }
}

// f() while sparse row i lies in `wide`, which is zero before and after.
template <class F>
void with_wide_row(const Features& x, Index i, std::vector<double>& wide, const F& f) {
  x.add_row(i, 1, wide);
  f();
  x.visit_row(i, [&](const auto* index, const auto*, Index count) {
    for (Index e = 0; e < count; ++e) wide[at(index[e])] = 0;
  });
}

}  // namespace

void copy_rows(const Features& x, std::span<const Index> rows, Matrix& to) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Index i = rows[k];
    double* const line = to.row(static_cast<Index>(k)).data();
    if (x.strided() != nullptr) {
      x.read_block(i, i + 1, 0, x.cols(), line);
    } else {
      const auto from = x.dense_row(i);
      std::copy(from.begin(), from.end(), line);
    }
  }
}

void multiply(const Features& x, std::span<const double> w, double b, std::span<double> out) {
  if (x.is_sparse()) {
    for (Index i = 0; i < x.rows(); ++i) out[at(i)] = x.row_dot(i, w) + b;
    return;
  }
  std::fill(out.begin(), out.end(), b);
  visit_blocks(x, [&](Index first, blas::Block<const double> rows) {
    blas::gemv(1, rows, blas::Op::plain, w, 1, out.subspan(at(first), at(rows.rows)));
  });
}

void add_transposed(const Features& x, std::span<const double> v, double scale,
                    std::span<double> out) {
  if (x.is_sparse()) {
    for (Index i = 0; i < x.rows(); ++i) {
      if (v[at(i)] != 0) x.add_row(i, scale * v[at(i)], out);
    }
    return;
  }
  visit_blocks(x, [&](Index first, blas::Block<const double> rows) {
    blas::gemv(scale, rows, blas::Op::transposed, v.subspan(at(first), at(rows.rows)), 1, out);
  });
}

Matrix products_of_rows(const Features& x, const Context& ctx) {
  const Index n = x.rows();
  Matrix out(n, n);
  if (!x.is_sparse()) {
    visit_blocks(x, [&](Index first, blas::Block<const double> left) {
      ctx.check();
      visit_blocks(x, [&](Index second, blas::Block<const double> right) {
        blas::gemm(1, left, blas::Op::plain, right, blas::Op::transposed, 0,
                   blas::block(out)
                       .row_range(first, first + left.rows)
                       .col_range(second, second + right.rows));
      });
    });
    return out;
  }
  parallel_chunks(ctx, n, 64, [&](Index begin, Index end) {
    std::vector<double> wide(at(x.cols()));
    for (Index i = begin; i < end; ++i) {
      with_wide_row(x, i, wide, [&] {
        for (Index k = 0; k < n; ++k) out(i, k) = x.row_dot(k, wide);
      });
    }
  });
  return out;
}

Matrix products_of_rows(const Features& x, std::span<const Index> rows) {
  const Index m = count_of(rows);
  Matrix out(m, m);
  if (x.is_sparse()) {
    std::vector<double> wide(at(x.cols()));
    for (Index k = 0; k < m; ++k) {
      with_wide_row(x, rows[at(k)], wide, [&] {
        for (Index c = 0; c <= k; ++c) out(k, c) = x.row_dot(rows[at(c)], wide);
      });
    }
  } else {
    Matrix lines(m, x.cols());
    copy_rows(x, rows, lines);
    blas::syrk(1, blas::block(lines), blas::Op::plain, 0, blas::block(out));
  }
  return out;
}

}  // namespace mulberry::math
