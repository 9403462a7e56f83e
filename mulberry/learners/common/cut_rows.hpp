// The last step of learners that rank labels within a row.
#pragma once

#include <algorithm>
#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/resample/row_threshold.hpp"

namespace mulberry::learners {

// Subtracts the cut of its row from every score, so that relevant labels are above 0, and puts
// labels of one class (one_class.hpp) before or after all others.
inline void cut_rows(Matrix& scores, const RowThreshold& threshold,
                     const std::vector<double>& one_class) {
  for (Index i = 0; i < scores.rows(); ++i) {
    const auto row = scores.row(i);
    const double cut = threshold.cut(row);
    double low = 0, high = 0;
    for (double& score : row) {
      score -= cut;
      low = std::min(low, score);
      high = std::max(high, score);
    }
    for (std::size_t l = 0; l < row.size(); ++l) {
      if (one_class[l] < 0) row[l] = low - 1;
      if (one_class[l] > 0) row[l] = high + 1;
    }
  }
}

}  // namespace mulberry::learners
