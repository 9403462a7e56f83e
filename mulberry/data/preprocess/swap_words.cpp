#include "mulberry/data/preprocess/swap_words.hpp"

#include <cmath>

#include "mulberry/core/index.hpp"

namespace mulberry::data {

std::vector<Id> frequent_ones(const Features& x, std::span<const NominalColumns> nominal) {
  if (!x.is_sparse() || nominal.empty()) return {};
  std::vector<Index> ones(at(x.cols()), 0), stored(ones);
  for (Index i = 0; i < x.rows(); ++i) {
    const SparseRow row = x.sparse_row(i);
    for (std::size_t k = 0; k < row.index.size(); ++k) {
      const bool missing = std::isnan(row.value[k]);
      ++stored[at(row.index[k])];
      if (row.value[k] == 1) ++ones[at(row.index[k])];
      // Codes of more than two words are no zeros and ones.
      if (!missing && row.value[k] != 1) ones[at(row.index[k])] = -x.rows();
    }
  }
  std::vector<Id> out;
  for (const NominalColumns& columns : nominal) {
    const auto j = at(columns.begin);
    const Index zeros = x.rows() - stored[j];
    if (columns.size == 1 && ones[j] > 0 && ones[j] >= 4 * zeros) out.push_back(columns.begin);
  }
  return out;
}

Features swap_zero_one(const Features& x, std::span<const Id> columns) {
  if (columns.empty()) return x;
  if (!x.is_sparse()) {
    Matrix out(to_dense(x));
    for (Index i = 0; i < out.rows(); ++i) {
      for (const Id j : columns) out(i, j) = 1 - out(i, j);
    }
    return out;
  }
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  const auto put = [&](Id j, double v) {
    if (v == 0) return;
    index.push_back(j);
    value.push_back(v);
  };
  for (Index i = 0; i < x.rows(); ++i) {
    const SparseRow row = x.sparse_row(i);
    std::size_t next = 0;  // of `columns`
    for (std::size_t k = 0; k < row.index.size(); ++k) {
      while (next < columns.size() && columns[next] < row.index[k]) put(columns[next++], 1);
      const bool own = next < columns.size() && columns[next] == row.index[k];
      put(row.index[k], own ? 1 - row.value[k] : row.value[k]);
      if (own) ++next;
    }
    while (next < columns.size()) put(columns[next++], 1);
    start.push_back(count_of(index));
  }
  return Csr{x.rows(), x.cols(), std::move(start), std::move(index), std::move(value)};
}

}  // namespace mulberry::data
