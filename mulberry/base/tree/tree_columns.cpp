#include "mulberry/base/tree/tree_columns.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/trees/visit_column.hpp"

namespace mulberry::base {

TreeColumns::TreeColumns(const Features& x, const Context& ctx) : columns_(at(x.cols())) {
  const Csr by_column = x.is_sparse() ? columns_of(x) : Csr{};
  parallel_chunks(ctx, x.cols(), 8, [&](Index begin, Index end) {
    struct Entry {
      double value;
      Id row;
    };
    std::vector<Entry> entries;
    for (Index j = begin; j < end; ++j) {
      entries.clear();
      visit_column(x, by_column, j, [&](Id i, double v) { entries.push_back({v, i}); });
      std::stable_sort(entries.begin(), entries.end(),
                       [](const Entry& a, const Entry& b) { return a.value < b.value; });
      Column& out = columns_[at(j)];
      out.value.reserve(entries.size());
      out.row.reserve(entries.size());
      for (const Entry& entry : entries) {
        out.value.push_back(entry.value);
        out.row.push_back(entry.row);
      }
    }
  });
}

double TreeColumns::bytes(const Extent& e) {
  const double entries = e.columns > 0 ? e.stored / e.columns : 0;
  return 12 * e.stored + 48 * e.columns + 24 * e.columns +
         std::max(e.sparse ? e.features() : 0, 28 * grown(entries) * e.at_once(e.columns / 8));
}

TreeColumns::Node TreeColumns::root() const {
  Node out;
  for (const Column& column : columns_) {
    out.push_back(0);
    out.push_back(static_cast<Id>(column.row.size()));
  }
  return out;
}

TreeColumns::Listed TreeColumns::listed(const Node& node, Index column) const {
  const Column& from = columns_[at(column)];
  const auto begin = at(node[at(2 * column)]), count = at(node[at(2 * column + 1)]) - begin;
  return {std::span(from.value).subspan(begin, count), std::span(from.row).subspan(begin, count)};
}

void TreeColumns::split(const Node& node, std::span<const std::uint8_t> goes_left, Node& left,
                        Node& right, const Context& ctx) {
  left = right = node;
  parallel_chunks(ctx, size(), 16, [&](Index first, Index last) {
    std::vector<double> values;
    std::vector<Id> rows;
    for (Index j = first; j < last; ++j) {
      Column& column = columns_[at(j)];
      const auto begin = at(node[at(2 * j)]), end = at(node[at(2 * j + 1)]);
      values.resize(std::max(values.size(), end - begin));
      rows.resize(values.size());
      std::size_t to = begin, aside = 0;
      for (std::size_t k = begin; k < end; ++k) {  // no branch on the flag: it is unpredictable
        const Id row = column.row[k];
        const double value = column.value[k];
        const std::size_t stays = goes_left[at(row)];
        column.row[to] = rows[aside] = row;
        column.value[to] = values[aside] = value;
        to += stays;
        aside += 1 - stays;
      }
      std::copy_n(rows.begin(), aside, column.row.begin() + static_cast<std::ptrdiff_t>(to));
      std::copy_n(values.begin(), aside, column.value.begin() + static_cast<std::ptrdiff_t>(to));
      left[at(2 * j + 1)] = right[at(2 * j)] = static_cast<Id>(to);
    }
  });
}

}  // namespace mulberry::base
