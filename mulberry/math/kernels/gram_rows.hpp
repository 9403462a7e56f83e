// GramRows: single rows of a kernel's matrix in single precision, for solvers that read few rows,
// often, and from several threads at once.
//
// If the matrix is stored, a row is a pointer into it. Otherwise a row is computed on request and
// kept until `cache_bytes` are full; all callers share the cache, and rows that were not used
// lately are evicted (second chance). A row has the same bits whether it was kept or computed
// again. Cost of a row that is not in the cache: one row of kernel values.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "mulberry/math/kernels/kernel_matrix.hpp"

namespace mulberry::math {

class GramRows {
 public:
  // A row stays valid as long as this exists.
  class Row {
   public:
    const float* data() const { return data_; }

   private:
    friend class GramRows;
    const float* data_ = nullptr;
    std::shared_ptr<const float[]> owner_;  // empty if the matrix is stored
  };

  // `kernel` holds single precision or nothing, and must outlive this. The cache keeps at least two
  // rows, whatever its limit.
  explicit GramRows(const KernelMatrix& kernel, std::size_t cache_bytes = 0);

  Index rows() const { return kernel_.rows(); }
  Row row(Index i) const;
  std::span<const double> diagonal() const { return diagonal_; }

 private:
  std::shared_ptr<const float[]> compute(Index i) const;
  void keep(Index i, const std::shared_ptr<const float[]>& values) const;

  const KernelMatrix& kernel_;
  std::vector<double> diagonal_;
  std::size_t capacity_ = 0;  // rows

  mutable std::mutex mutex_;                                   // guards the following members
  mutable std::vector<std::shared_ptr<const float[]>> slots_;  // one per row, null if not kept
  mutable std::vector<char> recent_;                           // used since the hand passed
  mutable std::vector<Id> held_;                               // the rows that are kept
  mutable std::size_t hand_ = 0;                               // a place in held_
};

// The storage for GramRows of at most `limit` bytes.
inline KernelStorage single_precision_within(Index rows, std::size_t limit) {
  return KernelMatrix::bytes(rows, KernelStorage::f32) <= limit ? KernelStorage::f32
                                                                : KernelStorage::none;
}

}  // namespace mulberry::math
