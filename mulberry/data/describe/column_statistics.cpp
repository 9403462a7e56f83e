#include "mulberry/data/describe/column_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/data/row_window.hpp"

namespace mulberry::data {
namespace {

constexpr Index k_rows_a_chunk = 4096;

// visit(column, value) for the stored values of rows [begin, end).
template <class Visit>
void for_stored(const Features& x, Index begin, Index end, const Visit& visit) {
  RowWindow window(x);
  SparseLine line;
  for (Index i = begin; i < end; ++i) {
    if (x.is_sparse()) {
      const SparseRow row = x.sparse_row(i, line);
      for (std::size_t k = 0; k < row.index.size(); ++k) {
        visit(at(row.index[k]), row.value[k]);
      }
    } else {
      const auto row = window.values(i);
      for (std::size_t j = 0; j < row.size(); ++j) visit(j, row[j]);
    }
  }
}

struct FirstPass {
  std::vector<double> min, max, sum;
  std::vector<Index> stored, nonzeros, missing;

  explicit FirstPass(std::size_t columns = 0)
      : min(columns, std::numeric_limits<double>::infinity()),
        max(columns, -std::numeric_limits<double>::infinity()),
        sum(columns, 0.0),
        stored(columns, 0),
        nonzeros(columns, 0),
        missing(columns, 0) {}

  void add(std::size_t j, double v) {
    ++stored[j];
    if (std::isnan(v)) {
      ++missing[j];
      return;
    }
    min[j] = std::min(min[j], v);
    max[j] = std::max(max[j], v);
    sum[j] += v;
    nonzeros[j] += v != 0 ? 1 : 0;
  }
  void add(const FirstPass& other) {
    for (std::size_t j = 0; j < min.size(); ++j) {
      min[j] = std::min(min[j], other.min[j]);
      max[j] = std::max(max[j], other.max[j]);
      sum[j] += other.sum[j];
      stored[j] += other.stored[j];
      nonzeros[j] += other.nonzeros[j];
      missing[j] += other.missing[j];
    }
  }
};

struct SecondPass {
  std::vector<double> from_mean, from_zero;  // sums of squares

  explicit SecondPass(std::size_t columns = 0) : from_mean(columns, 0.0), from_zero(columns, 0.0) {}

  void add(const SecondPass& other) {
    for (std::size_t j = 0; j < from_mean.size(); ++j) {
      from_mean[j] += other.from_mean[j];
      from_zero[j] += other.from_zero[j];
    }
  }
};

// Chunks of sparse data hold at least as many values as columns: their sums would cost more.
Index chunk_rows(const Features& x) {
  const Index values_a_row = std::max<Index>(1, x.stored() / std::max<Index>(1, x.rows()));
  return std::max(k_rows_a_chunk, x.cols() / values_a_row);
}

}  // namespace

ColumnStatistics column_statistics(const Features& x, const Context& ctx) {
  const auto d = at(x.cols());
  const auto combine = [](auto& total, const auto& part) { total.add(part); };
  const FirstPass first = parallel_reduce(
      ctx, x.rows(), chunk_rows(x), FirstPass(d),
      [&](Index begin, Index end) {
        FirstPass part(d);
        for_stored(x, begin, end, [&](std::size_t j, double v) { part.add(j, v); });
        return part;
      },
      combine);

  ColumnStatistics out;
  out.rows = x.rows();
  out.min = first.min;
  out.max = first.max;
  out.nonzeros = first.nonzeros;
  out.missing = first.missing;
  const auto observed = [&](std::size_t j) {
    return static_cast<double>(std::max<Index>(1, x.rows() - first.missing[j]));
  };
  for (std::size_t j = 0; j < d; ++j) {
    if (first.missing[j] == x.rows()) {
      out.min[j] = out.max[j] = 0;
    } else if (first.stored[j] < x.rows()) {  // zeros that are not stored
      out.min[j] = std::min(out.min[j], 0.0);
      out.max[j] = std::max(out.max[j], 0.0);
    }
    // The mean of a constant column is its value, whatever the sum was rounded to.
    out.mean.push_back(out.min[j] == out.max[j] ? out.min[j] : first.sum[j] / observed(j));
  }

  const SecondPass second = parallel_reduce(
      ctx, x.rows(), chunk_rows(x), SecondPass(d),
      [&](Index begin, Index end) {
        SecondPass part(d);
        for_stored(x, begin, end, [&](std::size_t j, double v) {
          if (std::isnan(v)) return;
          part.from_mean[j] += (v - out.mean[j]) * (v - out.mean[j]);
          part.from_zero[j] += v * v;
        });
        return part;
      },
      combine);
  for (std::size_t j = 0; j < d; ++j) {
    const auto zeros = static_cast<double>(x.rows() - first.stored[j]);
    out.deviation.push_back(
        std::sqrt((second.from_mean[j] + zeros * out.mean[j] * out.mean[j]) / observed(j)));
    const auto nonzeros = static_cast<double>(std::max<Index>(1, out.nonzeros[j]));
    out.nonzero_size.push_back(std::sqrt(second.from_zero[j] / nonzeros));
  }
  return out;
}

}  // namespace mulberry::data
