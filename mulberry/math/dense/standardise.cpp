#include "mulberry/math/dense/standardise.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/data/row_window.hpp"

namespace mulberry::math {
namespace {

// visit(i, j, x_ij) for every stored value.
template <class Visit>
void for_each_stored(const Features& x, const Visit& visit) {
  RowWindow window(x);
  for (Index i = 0; i < x.rows(); ++i) {
    if (x.is_sparse()) {
      const SparseRow row = x.sparse_row(i);
      for (std::size_t k = 0; k < row.index.size(); ++k) visit(i, row.index[k], row.value[k]);
    } else {
      const auto row = window.values(i);
      for (std::size_t j = 0; j < row.size(); ++j) visit(i, static_cast<Id>(j), row[j]);
    }
  }
}

}  // namespace

Standardiser::Standardiser(const Features& x, std::span<const double> weights) {
  const auto d = at(x.cols());
  const auto weight = [&](Index i) { return weights.empty() ? 1.0 : weights[at(i)]; };
  double n = 0;
  for (Index i = 0; i < x.rows(); ++i) n += weight(i);
  std::vector<double> mean(d, 0.0), square(d, 0.0), low(d, HUGE_VAL), high(d, -HUGE_VAL);
  std::vector<double> stored(d, 0.0);
  for_each_stored(x, [&](Index i, Id j, double value) {
    const auto column = at(j);
    mean[column] += weight(i) * value;
    low[column] = std::min(low[column], value);
    high[column] = std::max(high[column], value);
    stored[column] += weight(i);
  });
  for (double& value : mean) value /= n;
  for_each_stored(x, [&](Index i, Id j, double value) {
    const auto column = at(j);
    square[column] += weight(i) * (value - mean[column]) * (value - mean[column]);
  });
  for (std::size_t j = 0; j < d; ++j) {
    const double zeros = n - stored[j];  // what the values that are not stored weigh
    if (zeros > 1e-9 * n) {
      low[j] = std::min(low[j], 0.0);
      high[j] = std::max(high[j], 0.0);
    }
    const double deviation = std::sqrt((square[j] + zeros * mean[j] * mean[j]) / n);
    if (!(high[j] > low[j]) || !(deviation > 0)) continue;
    columns_.push_back(static_cast<Id>(j));
    mean_.push_back(mean[j]);
    scale_.push_back(1 / deviation);
  }
}

Matrix Standardiser::apply(const Features& x) const {
  Matrix out(x.rows(), columns());
  double* values = out.data();
  std::vector<double> row(at(x.cols()), 0.0);
  for (Index i = 0; i < x.rows(); ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    x.add_row(i, 1.0, row);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const auto column = at(columns_[k]);
      MULBERRY_ASSERT(column < row.size());
      *values++ = (row[column] - mean_[k]) * scale_[k];
    }
  }
  return out;
}

}  // namespace mulberry::math
