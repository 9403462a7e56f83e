// ScoreIndex: the position of a score among sorted values. A table of equal-width cells narrows the
// search to the few values of one cell, so a lookup costs O(1) for scores that are spread out and
// O(log n) at worst.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "mulberry/core/index.hpp"
#include "mulberry/core/matrix.hpp"

namespace mulberry::measures {

class ScoreIndex {
 public:
  // values: finite, strictly increasing. Copies them; reuses its memory.
  void build(std::span<const double> values);

  // The number of values below a finite `score`. Free of unpredictable branches if a cell has at
  // most one value. Values of later cells are above the score, so no search runs past its cell;
  // infinity follows the last value.
  Index below(double score) const {
    const std::size_t c = cell(score);
    const std::size_t begin = start_[c];
    if (start_[c + 1] - begin > 1) return search(begin, start_[c + 1], score);
    return static_cast<Index>(begin + (values_[begin] < score ? 1U : 0U));
  }
  // Whether value number `at` exists and equals the score.
  bool holds(Index place, double score) const { return values_[at(place)] == score; }

 private:
  // Never decreases with the score, whatever the rounding: values of lower cells are lower. An
  // infinite distance times a scale of 0 is NaN, which std::max(0.0, .) takes for 0.
  std::size_t cell(double score) const {
    return static_cast<std::size_t>(
        static_cast<std::int64_t>(std::min(std::max(0.0, (score - low_) * scale_), last_)));
  }
  Index search(std::size_t begin, std::size_t end, double score) const;

  std::vector<double> values_;
  double low_ = 0, scale_ = 0, last_ = 0;
  std::vector<std::uint32_t> start_;
};

// Sorts finite values in increasing order: O(n) if they are spread out, O(n log n) at worst.
class ScoreSorter {
 public:
  void sort(std::vector<double>& values);

 private:
  std::vector<double> buffer_;
  std::vector<std::uint32_t> start_;
};

}  // namespace mulberry::measures
