#include "mulberry/data/describe/present_columns.hpp"

#include <algorithm>

#include "mulberry/core/index.hpp"

namespace mulberry::data {

PresentColumns present_columns(const Features& x) {
  constexpr Index k_always_small = 1024;
  PresentColumns out{.x = x, .total = x.cols()};
  if (!x.is_sparse() || x.cols() <= 2 * x.stored() + k_always_small) return out;
  for (Index i = 0; i < x.rows(); ++i) {
    const SparseRow row = x.sparse_row(i);
    out.ids.insert(out.ids.end(), row.index.begin(), row.index.end());
  }
  std::vector<Id> index = out.ids;
  std::sort(out.ids.begin(), out.ids.end());
  out.ids.erase(std::unique(out.ids.begin(), out.ids.end()), out.ids.end());
  if (out.ids.empty()) out.ids.push_back(0);  // a list that is empty means all columns
  for (Id& j : index) {
    j = static_cast<Id>(std::lower_bound(out.ids.begin(), out.ids.end(), j) - out.ids.begin());
  }
  std::vector<Index> start = {0};
  std::vector<double> value;
  for (Index i = 0; i < x.rows(); ++i) {
    const SparseRow row = x.sparse_row(i);
    value.insert(value.end(), row.value.begin(), row.value.end());
    start.push_back(count_of(value));
  }
  out.x = Csr{x.rows(), count_of(out.ids), std::move(start), std::move(index), std::move(value)};
  return out;
}

}  // namespace mulberry::data
