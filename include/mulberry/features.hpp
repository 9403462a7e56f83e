// Features: the matrix X of a data set, dense or sparse, rows times columns of double.
//
//   std::vector<double> values = {0.5, 1.0,    // row 0
//                                 0.1, 0.0};   // row 1
//   const auto x = mulberry::Features::own(std::move(values), 2, 2);
//
//   // Memory of your own that is not copied; the data set keeps `frame` alive as long as it needs.
//   auto frame = std::make_shared<Frame>(...);
//   const auto y = mulberry::Features::borrow(
//       mulberry::DenseRows{.values = frame->data(), .rows = 1000, .cols = 20}, frame);
//
// A NaN is a missing value: some learners take it, TrainOptions::impute fills it, others throw.
//
// Guarantees
// * Immutable, and cheap to copy: copies share the memory.
// * Sparse features stay sparse, down to the learner.
// * `own` and `borrow` do not copy values.
//
// Borrowed memory must not change while anybody uses it. A model may keep the rows it was trained
// on (ml_knn, kernel learners), so memory can be in use longer than the data set: that is what the
// owner is for. Memory that lives until the end of the program may have any non-null owner.
//
// Thread safety: may be read from several threads.
#pragma once

#include <mulberry/export.h>
#include <mulberry/context.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace mulberry {

// Row-major values of the caller: row i begins at values + i * stride.
struct DenseRows {
  const double* values = nullptr;
  std::int64_t rows = 0, cols = 0;
  std::int64_t stride = 0;  // 0: cols
};

// Compressed rows (CSR) of the caller: the columns of row i are index[start[i]] up to
// index[start[i + 1] - 1], strictly increasing, with their values at the same places of `value`.
struct SparseRows {
  std::int64_t rows = 0, cols = 0;
  const std::int64_t* start = nullptr;  // rows + 1 offsets, the first of them 0
  const std::int32_t* index = nullptr;
  const double* value = nullptr;
};

class MULBERRY_API Features {
 public:
  Features();  // no rows

  static Features copy(const DenseRows& rows);
  static Features copy(const SparseRows& rows);
  // Takes the vector; its size is rows * cols.
  static Features own(std::vector<double> values, std::int64_t rows, std::int64_t cols);
  // Reads the caller's memory; stride must be cols. `owner` must not be null.
  static Features borrow(const DenseRows& rows, std::shared_ptr<const void> owner);
  static Features borrow(const SparseRows& rows, std::shared_ptr<const void> owner);

  std::int64_t rows() const;
  std::int64_t cols() const;
  bool is_sparse() const;
  double at(std::int64_t row, std::int64_t col) const;  // O(log) of the row when sparse

  // The memory itself, valid as long as a copy of these features lives.
  DenseRows dense() const;    // throws Error when they are sparse
  SparseRows sparse() const;  // throws Error when they are dense

 private:
  friend struct api::Access;
  explicit Features(std::shared_ptr<const void> state);
  std::shared_ptr<const void> state_;
};

}  // namespace mulberry
