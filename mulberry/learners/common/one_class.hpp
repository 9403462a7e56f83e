// Labels with one class in training: boosting has nothing to learn about them.
#pragma once

#include <vector>

#include "mulberry/data/labels.hpp"

namespace mulberry::learners {

// One number per label: -1 if it is never positive, +1 if it always is, otherwise 0.
inline std::vector<double> one_class_scores(const Labels& y) {
  std::vector<double> out;
  for (Index l = 0; l < y.count(); ++l) {
    const Index observed = y.rows() - static_cast<Index>(y.missing_column(l).size());
    const auto positives = static_cast<Index>(y.column(l).size());
    out.push_back(positives == 0 ? -1.0 : positives == observed ? 1.0 : 0.0);
  }
  return out;
}

}  // namespace mulberry::learners
