#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/kernels/kernel_loops.hpp"
#include "mulberry/math/kernels/kernels.hpp"

namespace mulberry::math {

namespace {

using kernel_loops::Term;

// Kernels of the inner product of two rows and, some of them, of both lengths.
bool by_product(KernelKind kind) {
  return kind == KernelKind::linear || kind == KernelKind::polynomial || kind == KernelKind::rbf ||
         kind == KernelKind::modified_chi2;
}

bool of_histograms(KernelKind kind) {
  return kind == KernelKind::chi2 || kind == KernelKind::modified_chi2 ||
         kind == KernelKind::intersection;
}

void require_histograms(KernelKind kind, const Features& x) {
  const auto fail = [&](Index i, Index j, double value) {
    throw Error(Code::unsupported,
                "kernel " + std::string(name_of(kind)) +
                    ": expected features of at least 0, found " + shortest(value) + " in row " +
                    std::to_string(i + 1) + ", column " + std::to_string(j + 1),
                "Use kernel=rbf or kernel=laplacian");
  };
  for (Index i = 0; i < x.rows(); ++i) {
    if (x.is_sparse()) {
      const SparseRow row = x.sparse_row(i);
      for (std::size_t k = 0; k < row.value.size(); ++k) {
        if (row.value[k] < 0) fail(i, row.index[k], row.value[k]);
      }
    } else {
      const auto row = x.dense_row(i);
      const auto bad = std::find_if(row.begin(), row.end(), [](double v) { return v < 0; });
      if (bad != row.end()) fail(i, bad - row.begin(), *bad);
    }
  }
}

std::vector<double> sizes_of(const Features& x, bool squares) {
  std::vector<double> out(at(x.rows()));
  for (Index i = 0; i < x.rows(); ++i) {
    double& sum = out[at(i)];
    if (squares) {
      sum = x.row_norm2(i);
    } else {
      const auto values = x.is_sparse() ? x.sparse_row(i).value : x.dense_row(i);
      for (const double v : values) sum += std::abs(v);
    }
  }
  return out;
}

// sum_k term(a_ik, b_jk) over the features that both rows have, by the lists of b's columns.
template <class PairTerm>
void add_common(const Csr& a, const Csr& lists, Index row, Index col, blas::Block<double> out,
                const PairTerm& term) {
  const auto end = static_cast<Id>(col + out.cols);
  for (Index i = 0; i < out.rows; ++i) {
    double* const to = out.data + i * out.stride;
    std::fill_n(to, out.cols, 0.0);
    const SparseRow x = a.row(row + i);
    for (std::size_t k = 0; k < x.index.size(); ++k) {
      const SparseRow list = lists.row(x.index[k]);
      auto e = at(std::lower_bound(list.index.begin(), list.index.end(), static_cast<Id>(col)) -
                  list.index.begin());
      for (; e < list.index.size() && list.index[e] < end; ++e) {
        to[list.index[e] - col] += term(x.value[k], list.value[e]);
      }
    }
  }
}

template <Term term>
void sum_pairs(MatrixView a, MatrixView b, Index row, Index col, blas::Block<double> out) {
  const Index d = a.cols();
  const std::vector<double> panel = kernel_loops::pack(b.data() + col * d, out.cols, d);
  kernel_loops::PairSums<term> task{.a = a.data() + row * d,
                                    .panel = panel.data(),
                                    .rows = out.rows,
                                    .cols = out.cols,
                                    .features = d,
                                    .out = out.data,
                                    .stride = out.stride};
  kernel_loops::pair_sums(task);
}

// Cells of a row with itself: rounding must not make the two differ.
void set_own(Index row, Index col, blas::Block<double> out, double value) {
  for (Index i = std::max(row, col); i < std::min(row + out.rows, col + out.cols); ++i) {
    out.data[(i - row) * out.stride + (i - col)] = value;
  }
}

double whole_power(double base, Index exponent) {
  double out = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) out *= base;
    base *= base;
  }
  return out;
}

}  // namespace

KernelBlocks::KernelBlocks(const Kernel& kernel, const Features& a, const Features& b)
    : kernel_(kernel), a_(&a), b_(&b) {
  if (precomputed()) return;
  MULBERRY_ASSERT(a.cols() == b.cols());
  if (of_histograms(kernel.kind)) {
    require_histograms(kernel.kind, b);
    if (&a != &b) require_histograms(kernel.kind, a);
  }
  if (a.is_sparse() != b.is_sparse()) {
    own_a_ = b.is_sparse() ? Features(to_sparse(a)) : Features(to_dense(a));
    a_ = &*own_a_;
  }
  if (b.is_sparse()) lists_ = transpose(b.sparse());
  const bool sums =
      b.is_sparse() && (kernel.kind == KernelKind::laplacian || kernel.kind == KernelKind::chi2);
  const bool squares = kernel.kind == KernelKind::rbf || kernel.kind == KernelKind::modified_chi2;
  if (!sums && !squares) return;
  size_b_ = sizes_of(b, squares);
  size_a_ = &a == &b ? size_b_ : sizes_of(*a_, squares);
}

// What a kernel needs to know about two rows: the inner product, the distance of the laplacian and
// chi2 kernels, or the intersection.
void KernelBlocks::sums(Index row, Index col, blas::Block<double> out) const {
  const KernelKind kind = kernel_.kind;
  if (!b_->is_sparse()) {
    const MatrixView a = a_->dense(), b = b_->dense();
    if (by_product(kind)) {
      blas::gemm(1.0, blas::block(a).row_range(row, row + out.rows), blas::Op::plain,
                 blas::block(b).row_range(col, col + out.cols), blas::Op::transposed, 0.0, out);
    } else if (kind == KernelKind::laplacian) {
      sum_pairs<Term::difference>(a, b, row, col, out);
    } else if (kind == KernelKind::chi2) {
      sum_pairs<Term::chi2>(a, b, row, col, out);
    } else {
      sum_pairs<Term::minimum>(a, b, row, col, out);
    }
    return;
  }
  const auto add = [&](const auto& term) { add_common(a_->sparse(), lists_, row, col, out, term); };
  if (by_product(kind)) return add([](double x, double y) { return x * y; });
  if (kind == KernelKind::intersection) {
    return add([](double x, double y) { return std::min(x, y); });
  }
  // Features that only one row has add their value to the distance: start from the sum of both
  // rows.
  if (kind == KernelKind::laplacian) {
    add([](double x, double y) { return std::abs(x) + std::abs(y) - std::abs(x - y); });
  } else {  // (x - y)^2 / (x + y) = x + y - 4 x y / (x + y)
    add([](double x, double y) { return x + y > 0 ? 4 * x * y / (x + y) : 0; });
  }
  for (Index i = 0; i < out.rows; ++i) {
    double* const to = out.data + i * out.stride;
    const double own = size_a_[at(row + i)];
    const double* const other = size_b_.data() + col;
    for (Index j = 0; j < out.cols; ++j) to[j] = std::max(0.0, own + other[j] - to[j]);
  }
}

void KernelBlocks::distances(Index row, Index col, blas::Block<double> out) const {
  MULBERRY_ASSERT(has_distance(kernel_.kind));
  sums(row, col, out);
  for (Index i = 0; i < out.rows && by_product(kernel_.kind); ++i) {
    double* const to = out.data + i * out.stride;
    const double own = size_a_[at(row + i)];
    const double* const other = size_b_.data() + col;
    if (kernel_.kind == KernelKind::rbf) {
      for (Index j = 0; j < out.cols; ++j) to[j] = std::max(0.0, own + other[j] - 2 * to[j]);
    } else {
      for (Index j = 0; j < out.cols; ++j) {
        const double both = own + other[j], twice = 2 * to[j];
        to[j] = both > 0 ? std::max(0.0, both - twice) / (both + twice) : 0;
      }
    }
  }
  if (a_ == b_) set_own(row, col, out, 0);
}

void KernelBlocks::fill(Index row, Index col, blas::Block<double> out) const {
  MULBERRY_ASSERT(row >= 0 && row + out.rows <= rows() && col >= 0 && col + out.cols <= cols());
  if (precomputed()) {
    for (Index i = 0; i < out.rows; ++i) {
      double* const to = out.data + i * out.stride;
      if (!a_->is_sparse()) {
        std::copy_n(a_->dense_row(row + i).begin() + col, out.cols, to);
        continue;
      }
      std::fill_n(to, out.cols, 0.0);
      const SparseRow x = a_->sparse_row(row + i);
      for (std::size_t k = 0; k < x.index.size(); ++k) {
        if (x.index[k] >= col && x.index[k] < col + out.cols) to[x.index[k] - col] = x.value[k];
      }
    }
    return;
  }
  if (!has_distance(kernel_.kind)) {
    sums(row, col, out);
    for (Index i = 0; i < out.rows && kernel_.kind == KernelKind::polynomial; ++i) {
      double* const to = out.data + i * out.stride;
      for (Index j = 0; j < out.cols; ++j) {
        to[j] = whole_power(kernel_.gamma * to[j] + kernel_.coef0, kernel_.degree);
      }
    }
    return;
  }
  if (kernel_.kind == KernelKind::rbf) {  // in one go
    sums(row, col, out);
    for (Index i = 0; i < out.rows; ++i) {
      kernel_loops::Gaussians task{out.data + i * out.stride, size_b_.data() + col,
                                   size_a_[at(row + i)], out.cols, kernel_.gamma};
      kernel_loops::gaussians(task);
    }
    if (a_ == b_) set_own(row, col, out, 1);
    return;
  }
  distances(row, col, out);
  for (Index i = 0; i < out.rows; ++i) {
    kernel_loops::Exponentials task{out.data + i * out.stride, out.cols, kernel_.gamma};
    kernel_loops::exponentials(task);
  }
}

}  // namespace mulberry::math
