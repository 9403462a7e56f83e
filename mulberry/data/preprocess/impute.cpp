#include "mulberry/data/preprocess/impute.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/describe/column_statistics.hpp"

namespace mulberry::data {
namespace {

std::string column_text(std::span<const std::string> names, std::size_t j) {
  return j < names.size() ? in_quotes(names[j]) : "column " + std::to_string(j + 1);
}

// How often each value occurs in the columns that hold numbers or the codes of nominal attributes.
class ValueCounts {
 public:
  ValueCounts(const Features& x, std::span<const NominalColumns> nominal)
      : slot_(at(x.cols()), -1) {
    for (const NominalColumns& columns : nominal) {
      if (columns.size > 1) continue;
      slot_[at(columns.begin)] = static_cast<Id>(counts_.size());
      counts_.emplace_back();
    }
    if (counts_.empty()) return;
    for (Index i = 0; i < x.rows(); ++i) {
      if (x.is_sparse()) {
        const SparseRow row = x.sparse_row(i);
        for (std::size_t k = 0; k < row.index.size(); ++k) add(row.index[k], row.value[k]);
      } else {
        for (Index j = 0; j < x.cols(); ++j) add(static_cast<Id>(j), x.dense_row(i)[at(j)]);
      }
    }
  }

  // The most frequent value of a column with `observed` values; values that are not stored are 0.
  double mode(std::size_t column, Index observed) const {
    std::map<double, Index> counts = counts_[at(slot_[column])];
    for (const auto& [value, times] : counts) observed -= times;
    counts[0] += observed;
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

 private:
  void add(Id column, double value) {
    const Id slot = slot_[at(column)];
    if (slot >= 0 && !std::isnan(value)) ++counts_[at(slot)][value];
  }

  std::vector<Id> slot_;  // of each column; -1: not one of them
  std::vector<std::map<double, Index>> counts_;
};

// The columns of each nominal attribute together, and every other column alone.
std::vector<NominalColumns> all_columns(std::span<const NominalColumns> nominal, Index count) {
  std::vector<NominalColumns> out;
  Id next = 0;
  const auto numeric_until = [&](Id end) {
    for (; next < end; ++next) out.push_back({next, 1});
  };
  for (const NominalColumns& columns : nominal) {
    numeric_until(columns.begin);
    out.push_back(columns);
    next = columns.begin + columns.size;
  }
  numeric_until(static_cast<Id>(count));
  return out;
}

}  // namespace

std::vector<double> fill_values(const Features& x, std::span<const NominalColumns> nominal,
                                std::span<const std::string> names, const Context& ctx,
                                Impute how) {
  const ColumnStatistics columns = column_statistics(x, ctx);
  for (std::size_t j = 0; j < columns.missing.size(); ++j) {
    if (columns.missing[j] == 0 || columns.missing[j] < x.rows()) continue;
    throw Error(Code::data,
                "expected a value of " + column_text(names, j) +
                    " among the training rows to impute from, found only missing ones",
                "Remove this attribute");
  }
  std::vector<double> out = columns.mean;
  std::vector<NominalColumns> frequent(nominal.begin(), nominal.end());
  if (how == Impute::mode) frequent = all_columns(nominal, x.cols());
  const ValueCounts counts(x, frequent);
  for (const auto& [begin, size] : frequent) {
    const auto first = at(begin), width = at(size);
    if (width == 1) {
      out[first] = counts.mode(first, x.rows() - columns.missing[first]);
      continue;
    }
    const auto count = columns.nonzeros.begin() + static_cast<std::ptrdiff_t>(first);
    const auto best = at(std::max_element(count, count + size) - count);
    for (std::size_t v = 0; v < width; ++v) out[first + v] = v == best ? 1.0 : 0.0;
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    if (std::isfinite(out[j])) continue;
    throw Error(Code::data,
                "expected values with a finite mean in " + column_text(names, j) +
                    ", found a sum beyond the largest number",
                "Divide the feature by a large number first, or leave it out");
  }
  return out;
}

Features fill_missing(const Features& x, std::span<const double> fill) {
  if (!has_missing(x)) return x;
  if (!x.is_sparse()) {
    Matrix out(x.rows(), x.cols());
    for (Index i = 0; i < x.rows(); ++i) {
      const auto from = x.dense_row(i);
      const auto to = out.row(i);
      for (std::size_t j = 0; j < from.size(); ++j) to[j] = std::isnan(from[j]) ? fill[j] : from[j];
    }
    return out;
  }
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  for (Index i = 0; i < x.rows(); ++i) {
    const SparseRow row = x.sparse_row(i);
    for (std::size_t k = 0; k < row.index.size(); ++k) {
      const double v = std::isnan(row.value[k]) ? fill[at(row.index[k])] : row.value[k];
      if (v == 0) continue;
      index.push_back(row.index[k]);
      value.push_back(v);
    }
    start.push_back(count_of(index));
  }
  return Csr{x.rows(), x.cols(), std::move(start), std::move(index), std::move(value)};
}

}  // namespace mulberry::data
