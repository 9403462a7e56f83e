// SortHead: sorts numbers in descending order, but only as many as are wanted.
//
// The numbers are first put into narrow buckets by size and then sorted bucket by bucket, so that
// the cost is linear for numbers that are spread, however irregularly, and O(n log n) at worst;
// nothing after the last wanted bucket is sorted. Keeps its working memory between calls.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::learners {

class SortHead {
 public:
  // Sorts finite `values` until wanted(k, value) fails for a value at place k (it must then fail
  // for all later ones); the rest may be cut off.
  template <class Wanted>
  void operator()(std::vector<double>& values, const Wanted& wanted) {
    const std::size_t n = values.size();
    if (n <= k_few || !distribute(values)) {
      std::sort(values.begin(), values.end(), std::greater<>());
      return;
    }
    std::size_t begin = 0;
    for (const std::uint32_t end : ends_) {
      if (end == begin) continue;
      const auto first = bucketed_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = bucketed_.begin() + static_cast<std::ptrdiff_t>(end);
      if (end - begin > 1) std::sort(first, last, std::greater<>());
      begin = end;
      if (!wanted(static_cast<Index>(end) - 1, *(last - 1))) break;
    }
    values.assign(bucketed_.begin(), bucketed_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

 private:
  static constexpr std::size_t k_few = 64;         // not worth buckets
  static constexpr std::size_t k_bucket_size = 4;  // on average

  // Fills bucketed_, the largest values first, and ends_; false if all values are about equal.
  bool distribute(const std::vector<double>& values) {
    const std::size_t n = values.size(), buckets = n / k_bucket_size;
    double low = values[0], high = values[0];
    for (const double v : values) {
      low = std::min(low, v);
      high = std::max(high, v);
    }
    const double scale = static_cast<double>(buckets) / (high - low);
    if (!(scale > 0) || !std::isfinite(scale)) return false;
    const auto bucket_of = [&](double v) {  // never decreases as v decreases
      return std::min(static_cast<std::uint32_t>((high - v) * scale),
                      static_cast<std::uint32_t>(buckets - 1));
    };
    bucket_.resize(n);
    ends_.assign(buckets, 0);
    std::uint32_t *const bucket = bucket_.data(), *const ends = ends_.data();
    for (std::size_t i = 0; i < n; ++i) {
      bucket[i] = bucket_of(values.data()[i]);
      ++ends[bucket[i]];
    }
    std::uint32_t before = 0;
    for (std::uint32_t& end :
         ends_) {  // where each bucket begins; filling it moves that to its end
      const std::uint32_t count = end;
      end = before;
      before += count;
    }
    bucketed_.resize(n);
    for (std::size_t i = 0; i < n; ++i) bucketed_[ends_[bucket_[i]]++] = values[i];
    return true;
  }

  std::vector<double> bucketed_;
  std::vector<std::uint32_t> bucket_, ends_;
};

}  // namespace mulberry::learners
