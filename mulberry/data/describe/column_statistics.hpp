// Statistics of the values of each column; zeros that a sparse matrix does not store count as 0,
// missing values (NaN) do not count. A column without any value counts as zeros. Two passes over
// the stored values. The bits do not depend on the number of threads; a dense and a sparse copy of
// the same data agree up to rounding.
#pragma once

#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::data {

struct ColumnStatistics {
  Index rows = 0;
  std::vector<double> min = {}, max = {}, mean = {};
  std::vector<double> deviation = {};     // standard deviation, divisor n - missing
  std::vector<double> nonzero_size = {};  // root mean square of the values that are not 0
  std::vector<Index> nonzeros = {}, missing = {};

  Index columns() const { return count_of(min); }
  bool constant(std::size_t j) const { return min[j] == max[j]; }
};

ColumnStatistics column_statistics(const Features& x, const Context& ctx);

}  // namespace mulberry::data
