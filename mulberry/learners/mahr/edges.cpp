#include "mulberry/learners/mahr/edges.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <span>

#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::learners::mahr {
namespace {

constexpr Index k_lanes = 8;

// Eight weightings, row by row, and their sums over lists of rows.
struct Lanes {
  const double* weights;  // rows x lanes
  std::span<const Id> rows;
  std::span<const std::size_t> end;  // of each list
  double* sums;                      // lists x lanes
};

MULBERRY_INLINE void add_row(const Lanes& lanes, std::size_t k, Vector4& low, Vector4& high) {
  const double* const row = lanes.weights + static_cast<Index>(lanes.rows[k]) * k_lanes;
  low += *reinterpret_cast<const Vector4*>(row);
  high += *reinterpret_cast<const Vector4*>(row + 4);
}

MULBERRY_INLINE void sum_lists_body(Lanes& lanes) {
  std::size_t k = 0;
  double* out = lanes.sums;
  for (const std::size_t end : lanes.end) {
    Vector4 low[2] = {}, high[2] = {};  // two sums, so that additions need not wait for each other
    for (; k + 1 < end; k += 2) {
      add_row(lanes, k, low[0], high[0]);
      add_row(lanes, k + 1, low[1], high[1]);
    }
    if (k < end) add_row(lanes, k++, low[0], high[0]);
    *reinterpret_cast<Vector4*>(out) = low[0] + low[1];
    *reinterpret_cast<Vector4*>(out + 4) = high[0] + high[1];
    out += k_lanes;
  }
}
MULBERRY_DISPATCH(sum_lists, sum_lists_body)

}  // namespace

SignLists::SignLists(MatrixView signs) : labels_(signs.rows()) {
  const auto n = at(signs.cols());
  std::vector<Id> yes(n + 1), no(n + 1);
  for (Index l = 0; l < labels_; ++l) {
    const auto said = signs.row(l);
    std::size_t yes_count = 0;
    for (std::size_t i = 0; i < n; ++i) {  // writes to both lists: a branch would be unpredictable
      yes[yes_count] = no[i - yes_count] = static_cast<Id>(i);
      yes_count += said[i] > 0 ? 1 : 0;
    }
    const bool mostly_no = 2 * yes_count < n;
    const std::vector<Id>& list = mostly_no ? yes : no;
    const std::size_t size = mostly_no ? yes_count : n - yes_count;
    rows_.insert(rows_.end(), list.begin(), list.begin() + static_cast<std::ptrdiff_t>(size));
    end_.push_back(rows_.size());
    usual_.push_back(mostly_no ? -1.0 : 1.0);
  }
}

Matrix SignLists::edges(blas::Block<const double> weights) const {
  Matrix out(weights.rows, labels_);
  std::vector<double> panel(at(weights.cols * k_lanes));
  std::vector<double> sums(at(labels_ * k_lanes));
  for (Index first = 0; first < weights.rows; first += k_lanes) {
    const Index lanes = std::min(k_lanes, weights.rows - first);
    const double* row[k_lanes];  // the last one repeated if there are fewer
    for (Index lane = 0; lane < k_lanes; ++lane)
      row[lane] = weights.data + (first + std::min(lane, lanes - 1)) * weights.stride;
    double total[k_lanes] = {};
    double* to = panel.data();
    for (Index i = 0; i < weights.cols; ++i, to += k_lanes) {
      for (Index lane = 0; lane < k_lanes; ++lane) total[lane] += to[lane] = row[lane][i];
    }
    Lanes task{panel.data(), rows_, end_, sums.data()};
    sum_lists(task);
    for (Index lane = 0; lane < lanes; ++lane) {
      const auto edges = out.row(first + lane);
      for (std::size_t l = 0; l < edges.size(); ++l) {
        const double unusual = sums[l * k_lanes + at(lane)];
        edges[l] = usual_[l] * (total[lane] - 2 * unusual);
      }
    }
  }
  return out;
}

}  // namespace mulberry::learners::mahr
