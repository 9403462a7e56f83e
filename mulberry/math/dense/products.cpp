#include "mulberry/math/dense/products.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/blas.hpp"

namespace mulberry::math {

namespace {

constexpr Index k_block = 128;

// out += sum_k value_k m[index_k]: rows of m weighted by one sparse row.
void add_rows(const SparseRow& row, MatrixView m, std::span<double> out) {
  for (std::size_t k = 0; k < row.index.size(); ++k) {
    const auto from = m.row(row.index[k]);
    const double v = row.value[k];
    for (std::size_t l = 0; l < out.size(); ++l) out[l] += v * from[l];
  }
}

// Dense rows [begin, end) next to each other: where they are, or copied into `storage`.
blas::Block<const double> row_block(const Features& x, Index begin, Index end,
                                    std::vector<double>& storage) {
  if (x.in_one_piece()) return blas::block(x.dense()).row_range(begin, end);
  storage.resize(at((end - begin) * x.cols()));
  x.read_block(begin, end, 0, x.cols(), storage.data());
  return {storage.data(), end - begin, x.cols(), x.cols()};
}

// out += X[:, begin..end)' R for picked rows, some rows at a time.
void add_picked_columns(const Features& x, Index begin, Index end, MatrixView r,
                        blas::Block<double> out) {
  constexpr Index k_rows = 1024;
  const Index width = end - begin;
  std::vector<double> part;
  for (Index first = 0; first < x.rows(); first += k_rows) {
    const Index last = std::min(x.rows(), first + k_rows);
    part.resize(at((last - first) * width));
    x.read_block(first, last, begin, end, part.data());
    blas::gemm(1.0, blas::Block<const double>{part.data(), last - first, width, width},
               blas::Op::transposed, blas::block(r).row_range(first, last), blas::Op::plain, 1.0,
               out);
  }
}

}  // namespace

Matrix transpose(MatrixView a) {
  Matrix out(a.cols(), a.rows());
  double* const to = out.data();
  const double* const from = a.data();
  constexpr Index tile = 16;  // both matrices are then read and written by whole cache lines
  for (Index i0 = 0; i0 < a.rows(); i0 += tile) {
    for (Index j0 = 0; j0 < a.cols(); j0 += tile) {
      for (Index i = i0; i < std::min(a.rows(), i0 + tile); ++i) {
        for (Index j = j0; j < std::min(a.cols(), j0 + tile); ++j) {
          to[j * a.rows() + i] = from[i * a.cols() + j];
        }
      }
    }
  }
  return out;
}

Csr transpose(const Csr& a) { return columns_of(Features(a)); }

Csr columns_of(const Features& x) {
  std::vector<Index> start(at(x.cols()) + 1);
  for (Index i = 0; i < x.rows(); ++i) {
    x.visit_row(i, [&](const auto* index, const auto*, Index count) {
      for (Index k = 0; k < count; ++k) ++start[at(index[k]) + 1];
    });
  }
  for (std::size_t j = 1; j < start.size(); ++j) start[j] += start[j - 1];
  std::vector<Index> next(start.begin(), start.end() - 1);
  std::vector<Id> rows(at(start.back()));
  std::vector<double> values(rows.size());
  for (Index i = 0; i < x.rows(); ++i) {
    x.visit_row(i, [&](const auto* index, const auto* value, Index count) {
      for (Index k = 0; k < count; ++k) {
        const auto place = at(next[at(index[k])]++);
        rows[place] = static_cast<Id>(i);
        values[place] = static_cast<double>(value[k]);
      }
    });
  }
  return {x.cols(), x.rows(), std::move(start), std::move(rows), std::move(values)};
}

Matrix linear_scores(const Features& x, MatrixView w, std::span<const double> b,
                     const Context& ctx) {
  const Index n = x.rows(), labels = w.rows();
  MULBERRY_ASSERT(w.cols() == x.cols());
  MULBERRY_ASSERT(b.empty() || count_of(b) == labels);
  Matrix out(n, labels);
  double* const cells = out.data();
  // One row of the transposed weights holds all labels of a feature: a sparse row then reads whole
  // cache lines.
  const Matrix by_feature = x.is_sparse() ? transpose(w) : Matrix();
  parallel_chunks(ctx, n, k_block, [&](Index begin, Index end) {
    const blas::Block<double> part = {cells + begin * labels, end - begin, labels, labels};
    for (Index i = 0; i < part.rows && !b.empty(); ++i) {
      std::copy(b.begin(), b.end(), part.data + i * labels);
    }
    if (x.is_sparse()) {
      SparseLine line;
      for (Index i = begin; i < end; ++i) {
        add_rows(x.sparse_row(i, line), by_feature, {cells + i * labels, at(labels)});
      }
    } else {
      std::vector<double> copied;
      blas::gemm(1.0, row_block(x, begin, end, copied), blas::Op::plain, blas::block(w),
                 blas::Op::transposed, 1.0, part);
    }
  });
  return out;
}

Matrix transposed_product(const Features& x, MatrixView r, const Context& ctx) {
  const Index d = x.cols(), labels = r.cols();
  MULBERRY_ASSERT(r.rows() == x.rows());
  Matrix out(d, labels);
  double* const cells = out.data();
  const Csr columns = x.is_sparse() ? columns_of(x) : Csr();
  parallel_chunks(ctx, d, k_block, [&](Index begin, Index end) {
    if (x.is_sparse()) {
      for (Index j = begin; j < end; ++j) {
        add_rows(columns.row(j), r, {cells + j * labels, at(labels)});
      }
    } else if (x.in_one_piece()) {
      blas::gemm(1.0, blas::block(x.dense()).col_range(begin, end), blas::Op::transposed,
                 blas::block(r), blas::Op::plain, 0.0,
                 {cells + begin * labels, end - begin, labels, labels});
    } else {
      add_picked_columns(x, begin, end, r, {cells + begin * labels, end - begin, labels, labels});
    }
  });
  return out;
}

}  // namespace mulberry::math
