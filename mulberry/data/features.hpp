// Features: the matrix X of a data set, dense (row-major) or sparse (CSR). Sparse data stays sparse
// from the file to the learner. Immutable and shared: copying Features copies no values, and
// neither does a choice of rows (pick_rows), which keeps a list of them. dense_row and sparse_row
// read any Features; whoever needs the rows next to each other in memory calls in_one_piece first.
// Values of another program may be floats, or stored by column, or have columns of 64 bits:
// row_window.hpp, visit_row and sparse_row with a line read such features without a second matrix;
// dense_row and sparse_row make one at their first call.
#pragma once

#include <span>
#include <string>

#include "mulberry/core/index.hpp"
#include "mulberry/data/foreign_csr.hpp"
#include "mulberry/data/strided.hpp"

namespace mulberry::data {

class Features {
 public:
  Features() = default;
  Features(FixedMatrix dense) : dense_(std::move(dense)) {}  // NOLINT: a matrix is features
  Features(Matrix dense) : dense_(std::move(dense)) {}       // NOLINT
  explicit Features(MatrixView copied) : Features(Matrix(copied)) {}
  Features(Csr sparse) : sparse_(std::move(sparse)), is_sparse_(true) {}  // NOLINT
  explicit Features(std::shared_ptr<const Strided> values)
      : dense_(values->rows(), values->cols(), {}), strided_(std::move(values)) {}
  explicit Features(std::shared_ptr<const ForeignCsr> values)
      : foreign_(std::move(values)), is_sparse_(true) {
    sparse_.rows = foreign_->rows();
    sparse_.cols = foreign_->cols();
  }

  bool is_sparse() const { return is_sparse_; }
  Index rows() const {
    if (is_picked_) return static_cast<Index>(picked_.size());
    return is_sparse_ ? sparse_.rows : dense_.rows();
  }
  Index cols() const { return is_sparse_ ? sparse_.cols : dense_.cols(); }
  Index stored() const;  // values, zeros of sparse rows not counted

  std::span<const double> dense_row(Index i) const {
    return (strided_ ? strided_->whole() : dense_).row(place(i));
  }
  SparseRow sparse_row(Index i) const {
    return (foreign_ ? foreign_->whole() : sparse_).row(place(i));
  }
  // The same; what has to be converted lies in `line`, until it is used again.
  SparseRow sparse_row(Index i, SparseLine& line) const {
    return foreign_ ? foreign_->row(place(i), line) : sparse_.row(place(i));
  }
  // f(columns, values, count) with pointers to what sparse row i has, of whatever types they are.
  template <class F>
  [[gnu::always_inline]] void visit_row(Index i, const F& f) const {
    if (foreign_) return foreign_->visit(place(i), f);
    const SparseRow row = sparse_.row(place(i));
    f(row.index.data(), row.value.data(), static_cast<Index>(row.index.size()));
  }

  // The values of another program behind dense features, or nullptr.
  const Strided* strided() const { return strided_.get(); }
  // Whether the values belong to another program, and would be converted to be in one piece.
  bool is_foreign() const { return strided_ != nullptr || foreign_ != nullptr; }
  // The rows [begin, end) and columns [first, last) of dense features, row after row.
  void read_block(Index begin, Index end, Index first, Index last, double* out) const;
  // Row i as floats next to each other, or nullptr if it is not stored so.
  const float* float_row(Index i) const { return strided_ ? strided_->floats(place(i)) : nullptr; }

  // Where the values begin in memory, how many rows lie there, and which of them are in use: all
  // if none are picked.
  const void* address() const;
  Index rows_there() const { return is_sparse_ ? sparse_.rows : dense_.rows(); }
  bool is_picked() const { return is_picked_; }
  std::span<const Id> picked() const { return {picked_.data(), picked_.size()}; }

  bool in_one_piece() const { return !is_picked_ && !is_foreign(); }
  // The whole, for Features in one piece: the first when they are dense, the second when sparse.
  const FixedMatrix& dense() const;
  const Csr& sparse() const;

  double at(Index i, Index j) const;                           // slow for sparse
  double row_dot(Index i, std::span<const double> w) const;    // sum_j x_ij w_j
  void add_row(Index i, double a, std::span<double> w) const;  // w += a x_i
  double row_norm2(Index i) const;                             // sum_j x_ij^2
  bool operator==(const Features& other) const;

  friend Features pick_rows(const Features& x, std::span<const Id> rows);
  friend Features append_columns(const Features& left, MatrixView right);

 private:
  Index place(Index i) const { return is_picked_ ? picked_[core::at(i)] : i; }

  FixedMatrix dense_;
  Csr sparse_;
  std::shared_ptr<const Strided> strided_;     // the values of dense_, which then has only its size
  std::shared_ptr<const ForeignCsr> foreign_;  // and those of sparse_
  Array<Id> picked_;                           // the rows in use, when is_picked_
  bool is_sparse_ = false, is_picked_ = false;
};

Features pick_rows(const Features& x, std::span<const Id> rows);  // copies a list of rows only
Features in_one_piece(const Features& x);                         // copies picked rows

Features take_rows(const Features& x, std::span<const Id> rows);  // copies the values
// For whoever reads rows in blocks: a list of them if the values belong to another program, and a
// copy if not.
Features block_rows(const Features& x, std::span<const Id> rows);
Features take_columns(const Features& x, std::span<const Id> columns);  // in the order given
// Columns of `right` after the columns of `left`; sparse if `left` is. Dense values of another
// program stay where they are.
Features append_columns(const Features& left, MatrixView right);
FixedMatrix to_dense(const Features& x);  // shares the values of dense features
Csr to_sparse(const Features& x);
// Throws Error (data) naming the first row and column with infinity or, unless missing values are
// allowed, NaN. The name of a column is taken from `names` if there is one.
void require_finite(const Features& x, std::span<const std::string> names = {},
                    bool missing_allowed = false);
// As above, with a limit for learners: squares of larger values, and their sums, overflow.
constexpr double k_largest_feature = 1e100;
void require_computable(const Features& x, std::span<const std::string> names = {},
                        bool missing_allowed = false);
bool has_missing(const Features& x);  // any NaN

}  // namespace mulberry::data
