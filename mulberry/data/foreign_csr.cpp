#include "mulberry/data/foreign_csr.hpp"

#include "mulberry/core/index.hpp"

namespace mulberry::data {

SparseRow ForeignCsr::row(Index i, SparseLine& line) const {
  visit(i, [&](const auto* index, const auto* value, Index count) {
    line.index.resize(at(count));
    line.value.resize(at(count));
    for (std::size_t k = 0; k < line.index.size(); ++k) {
      line.index[k] = static_cast<Id>(index[k]);
      line.value[k] = static_cast<double>(value[k]);
    }
  });
  return {line.index, line.value};
}

const Csr& ForeignCsr::whole() const {
  std::call_once(made_, [this] {
    std::vector<Id> index;
    std::vector<double> value;
    index.reserve(at(nonzeros()));
    value.reserve(at(nonzeros()));
    for (Index i = 0; i < rows_; ++i) {
      visit(i, [&](const auto* columns, const auto* values, Index count) {
        for (Index k = 0; k < count; ++k) {
          index.push_back(static_cast<Id>(columns[k]));
          value.push_back(static_cast<double>(values[k]));
        }
      });
    }
    whole_ = Csr{rows_, cols_, start_, std::move(index), std::move(value)};
  });
  return whole_;
}

}  // namespace mulberry::data
