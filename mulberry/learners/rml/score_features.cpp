#include "mulberry/learners/rml/score_features.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/math/dense/blas.hpp"

namespace mulberry::learners::rml {

namespace {

// A deviation below this share of the largest value is rounding.
constexpr double k_rounding = 1e-12;

}  // namespace

std::vector<double> unit_scale(MatrixView scores) {
  std::vector<double> out;
  const auto n = static_cast<double>(scores.rows());
  for (Index l = 0; l < scores.cols(); ++l) {
    double mean = 0, square = 0, largest = 0;
    for (Index i = 0; i < scores.rows(); ++i) {
      mean += scores(i, l) / n;
      largest = std::max(largest, std::abs(scores(i, l)));
    }
    for (Index i = 0; i < scores.rows(); ++i) {
      square += (scores(i, l) - mean) * (scores(i, l) - mean) / n;
    }
    const double deviation = std::sqrt(square);
    out.push_back(deviation > k_rounding * largest ? 1 / deviation : 0);
  }
  return out;
}

void scale_columns(Matrix& scores, const std::vector<double>& scale) {
  for (Index i = 0; i < scores.rows(); ++i) {
    const auto row = scores.row(i);
    for (std::size_t l = 0; l < row.size(); ++l) row[l] *= scale[l];
  }
}

Matrix add_first_scores(Matrix both, const std::vector<double>& scale, MatrixView weights) {
  const Index labels = weights.rows();
  Matrix out(both.rows(), labels);
  for (Index i = 0; i < both.rows(); ++i) {
    const auto row = both.row(i);
    const auto first = row.first(at(labels));
    for (std::size_t l = 0; l < first.size(); ++l) first[l] *= scale[l];
    for (Index l = 0; l < labels; ++l) {
      out(i, l) = row[at(labels + l)] + blas::dot(first, weights.row(l));
    }
  }
  return out;
}

}  // namespace mulberry::learners::rml
