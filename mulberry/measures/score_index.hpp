// ScoreIndex: where a score stands among sorted values. A table of equal-width cells narrows the
// search to the few values of one cell, so a lookup costs O(1) for scores that are spread out and
// O(log n) at worst.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry {

class ScoreIndex {
 public:
  // values: finite, strictly increasing, and alive as long as the index. Reuses its memory.
  void build(std::span<const double> values);

  // The number of values below `score`; score == values()[result] when it is one of them.
  Index below(double score) const {
    std::size_t at = start_[cell(score)];
    const std::size_t end = start_[cell(score) + 1];
    if (end - at > k_linear) {
      return std::lower_bound(values_.begin() + static_cast<std::ptrdiff_t>(at),
                              values_.begin() + static_cast<std::ptrdiff_t>(end), score) -
             values_.begin();
    }
    while (at < end && values_[at] < score) ++at;
    return static_cast<Index>(at);
  }
  bool holds(Index at, double score) const {
    return at < static_cast<Index>(values_.size()) &&
           values_[static_cast<std::size_t>(at)] == score;
  }
  std::span<const double> values() const { return values_; }

 private:
  static constexpr std::size_t k_linear = 8;

  // Never decreases with the score, whatever the rounding: values of lower cells are lower.
  std::size_t cell(double score) const {
    return static_cast<std::size_t>(std::min(std::max((score - low_) * scale_, 0.0), last_));
  }

  std::span<const double> values_;
  double low_ = 0, scale_ = 0, last_ = 0;
  std::vector<std::uint32_t> start_;
};

// Sorts finite values upwards: O(n) for values that are spread out, O(n log n) at worst.
class ScoreSorter {
 public:
  void sort(std::vector<double>& values);

 private:
  std::vector<double> buffer_;
  std::vector<std::uint32_t> start_;
};

}  // namespace mulberry
