#include "mulberry/measures/score_index.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace mulberry::measures {
namespace {

constexpr std::size_t k_most_cells = std::size_t{1} << 20;

// Cells per unit of score; 0 (a single cell) if the range is empty or overflows a double.
double scale_of(double low, double high, std::size_t cells) {
  const double scale = static_cast<double>(cells) / (high - low);
  return std::isfinite(scale) && std::isfinite(high - low) ? scale : 0.0;
}

}  // namespace

void ScoreIndex::build(std::span<const double> values) {
  values_.assign(values.begin(), values.end());
  values_.push_back(std::numeric_limits<double>::infinity());
  const std::size_t cells = std::min(k_most_cells, std::bit_ceil(4 * values.size() + 1));
  low_ = values.empty() ? 0.0 : values.front();
  scale_ = values.empty() ? 0.0 : scale_of(low_, values.back(), cells);
  last_ = static_cast<double>(cells - 1);
  start_.assign(cells + 1, 0);
  for (const double v : values) ++start_[cell(v) + 1];
  for (std::size_t c = 0; c < cells; ++c) start_[c + 1] += start_[c];
}

Index ScoreIndex::search(std::size_t begin, std::size_t end, double score) const {
  constexpr std::size_t k_linear = 8;
  if (end - begin <= k_linear) {
    while (values_[begin] < score) ++begin;
    return static_cast<Index>(begin);
  }
  return std::lower_bound(values_.begin() + static_cast<std::ptrdiff_t>(begin),
                          values_.begin() + static_cast<std::ptrdiff_t>(end), score) -
         values_.begin();
}

void ScoreSorter::sort(std::vector<double>& values) {
  constexpr std::size_t k_small = 256;
  if (values.size() < k_small) {
    std::sort(values.begin(), values.end());
    return;
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = *least, high = *most;
  const std::size_t cells = std::min(k_most_cells, std::bit_ceil(values.size()));
  const double scale = scale_of(low, high, cells), last = static_cast<double>(cells - 1);
  const auto cell = [&](double v) {
    return static_cast<std::size_t>(std::min((v - low) * scale, last));
  };
  start_.assign(cells + 1, 0);
  for (const double v : values) ++start_[cell(v) + 1];
  for (std::size_t c = 0; c < cells; ++c) start_[c + 1] += start_[c];
  buffer_.resize(values.size());
  for (const double v : values) buffer_[start_[cell(v)]++] = v;  // start_[c] ends as the end of c
  for (std::size_t c = 0, begin = 0; c < cells; ++c) {
    const std::size_t end = start_[c];
    if (end - begin > 1) {
      std::sort(buffer_.begin() + static_cast<std::ptrdiff_t>(begin),
                buffer_.begin() + static_cast<std::ptrdiff_t>(end));
    }
    begin = end;
  }
  values.swap(buffer_);
}

}  // namespace mulberry::measures
