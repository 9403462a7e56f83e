// Features: the matrix X of a data set, dense (row-major) or sparse (CSR). Sparse data stays sparse
// from the file to the learner. Immutable once built, cheap to copy when borrowed.
#pragma once

#include <span>
#include <string>

#include "mulberry/core/matrix.hpp"

namespace mulberry::data {

// The non-zeros of one sparse row.
struct SparseRow {
  std::span<const Id> index;
  std::span<const double> value;
};

struct Csr {
  Index rows = 0, cols = 0;
  Array<Index> start;  // rows + 1 offsets
  Array<Id> index;     // strictly increasing within a row
  Array<double> value;

  Index nonzeros() const { return static_cast<Index>(index.size()); }
  SparseRow row(Index i) const {
    const auto begin = static_cast<std::size_t>(start[static_cast<std::size_t>(i)]);
    const auto count = static_cast<std::size_t>(start[static_cast<std::size_t>(i) + 1]) - begin;
    return {{index.data() + begin, count}, {value.data() + begin, count}};
  }
  bool operator==(const Csr&) const = default;
};

class Features {
 public:
  Features() = default;
  Features(Matrix dense) : dense_(std::move(dense)) {}  // NOLINT: a matrix is features
  Features(Csr sparse) : sparse_(std::move(sparse)), is_sparse_(true) {}  // NOLINT

  bool is_sparse() const { return is_sparse_; }
  Index rows() const { return is_sparse_ ? sparse_.rows : dense_.rows(); }
  Index cols() const { return is_sparse_ ? sparse_.cols : dense_.cols(); }
  const Matrix& dense() const { return dense_; }  // only when not sparse
  const Csr& sparse() const { return sparse_; }   // only when sparse
  Index stored() const { return is_sparse_ ? sparse_.nonzeros() : dense_.size(); }

  double at(Index i, Index j) const;                           // slow for sparse
  double row_dot(Index i, std::span<const double> w) const;    // sum_j x_ij w_j
  void add_row(Index i, double a, std::span<double> w) const;  // w += a x_i
  double row_norm2(Index i) const;                             // sum_j x_ij^2
  bool operator==(const Features&) const = default;

 private:
  Matrix dense_;
  Csr sparse_;
  bool is_sparse_ = false;
};

Features take_rows(const Features& x, std::span<const Id> rows);
Features take_columns(const Features& x, std::span<const Id> columns);  // in the order given
// Columns of `right` after those of `left`; sparse when `left` is.
Features append_columns(const Features& left, const Matrix& right);
Matrix to_dense(const Features& x);
Csr to_sparse(const Features& x);
// Throws Error (data) naming the first row and column with infinity or, unless missing values may
// be there, NaN. The name of a column is taken from `names` when it has one.
void require_finite(const Features& x, std::span<const std::string> names = {},
                    bool missing_allowed = false);
// The same for what learners compute with: squares of larger values, and their sums, overflow.
constexpr double k_largest_feature = 1e100;
void require_computable(const Features& x, std::span<const std::string> names = {},
                        bool missing_allowed = false);
bool has_missing(const Features& x);  // any NaN

}  // namespace mulberry::data
