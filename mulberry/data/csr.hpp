// Csr: a sparse matrix by rows.
#pragma once

#include <span>

#include "mulberry/core/array.hpp"
#include "mulberry/core/index.hpp"
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
    const auto begin = at(start[at(i)]);
    const auto count = at(start[at(i) + 1]) - begin;
    return {{index.data() + begin, count}, {value.data() + begin, count}};
  }
  bool operator==(const Csr&) const = default;
};

}  // namespace mulberry::data
