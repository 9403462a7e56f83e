#include "mulberry/base/boost/boost_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mulberry::base {

Sketch::Sketch(std::span<const double> hessians, double total, double l2) {
  for (const double h : hessians) {
    unit_.push_back(total > 0 ? 1 / std::sqrt((h + l2 / 0.1) / total) : 0.0);
  }
}

void Sketch::draw(Index size, Random random) {
  size_ = size;
  labels_.clear();
  projection_.resize(unit_.size() * at(size));
  const double deviation = 1 / std::sqrt(static_cast<double>(size));
  for (float& v : projection_) v = static_cast<float>(deviation * random.normal());
}

void Sketch::choose(Index size, std::span<const double> sizes) {
  size_ = size;
  projection_.clear();
  labels_.resize(unit_.size());
  std::iota(labels_.begin(), labels_.end(), 0);
  const auto value = [&](Id l) { return sizes[at(l)] * unit_[at(l)]; };
  std::stable_sort(labels_.begin(), labels_.end(), [&](Id a, Id b) { return value(a) > value(b); });
  labels_.resize(at(size));
}

void Sketch::apply(std::span<const double> g, std::span<double> out) const {
  if (projection_.empty()) {
    for (std::size_t k = 0; k < labels_.size(); ++k) {
      out[k] = g[at(labels_[k])] * unit_[at(labels_[k])];
    }
    return;
  }
  const auto size = at(size_);
  float sums[256] = {};
  for (std::size_t l = 0; l < g.size(); ++l) {
    const auto scaled = static_cast<float>(g[l] * unit_[l]);
    const float* const line = projection_.data() + l * size;
    for (std::size_t k = 0; k < size; ++k) sums[k] += scaled * line[k];
  }
  for (std::size_t k = 0; k < size; ++k) out[k] = static_cast<double>(sums[k]);
}

}  // namespace mulberry::base
