#include "mulberry/evaluate/label_places.hpp"

#include <algorithm>
#include <limits>

#include "mulberry/core/index.hpp"

namespace mulberry::evaluate {
namespace {

constexpr double k_margin = 1, k_tie = 1e-12;

}  // namespace

OneClassLabels one_class_labels(const Labels& y, std::span<const double> weights) {
  const auto counts = [&](std::span<const Id> rows) {
    return std::ranges::count_if(rows, [&](Id i) { return weights.empty() || weights[at(i)] > 0; });
  };
  Index rows = y.rows();
  for (const double w : weights) rows -= w > 0 ? 0 : 1;
  OneClassLabels out;
  for (Index l = 0; l < y.count(); ++l) {
    const Index positives = counts(y.column(l));
    if (positives == 0) {
      out.never.push_back(static_cast<Id>(l));
    } else if (positives == rows - counts(y.missing_column(l))) {
      out.always.push_back(static_cast<Id>(l));
    }
  }
  return out;
}

void OneClassLabels::place(Prediction& prediction) const {
  if (empty()) return;
  Matrix& scores = prediction.scores;
  const bool margins = prediction.scale == Scale::margin;
  std::vector<bool> own(at(scores.cols()), false);
  for (const auto& labels : {never, always}) {
    for (const Id l : labels) own[at(l)] = true;
  }
  for (Index i = 0; i < scores.rows(); ++i) {
    const auto row = scores.row(i);
    double low = 0, high = margins ? 0 : 1;
    for (std::size_t l = 0; l < row.size(); ++l) {
      if (own[l]) continue;
      if (!margins && !never.empty()) row[l] = std::max(row[l], k_tie);
      if (!margins && !always.empty()) row[l] = std::min(row[l], 1 - k_tie);
      low = std::min(low, row[l]);
      high = std::max(high, row[l]);
    }
    for (const Id l : never) row[at(l)] = margins ? low - k_margin : 0;
    for (const Id l : always) row[at(l)] = margins ? high + k_margin : 1;
  }
}

}  // namespace mulberry::evaluate
