#include "mulberry/measures/curves.hpp"

#include <algorithm>
#include <limits>

#include "mulberry/core/index.hpp"

namespace mulberry::measures {

std::vector<RankedRow> ranked_rows(const Labels& truth, const Outcome& outcome, Id label) {
  std::vector<RankedRow> out;
  const auto positives = truth.column(label), missing = truth.missing_column(label);
  auto next_positive = positives.begin(), next_missing = missing.begin();  // rows, increasing
  for (Id i = 0; i < truth.rows(); ++i) {
    const bool positive = next_positive != positives.end() && *next_positive == i;
    if (positive) ++next_positive;
    if (next_missing != missing.end() && *next_missing == i) {
      ++next_missing;
      continue;
    }
    out.push_back({(*outcome.scores)(i, label), positive});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const RankedRow& a, const RankedRow& b) { return a.score > b.score; });
  return out;
}

std::vector<CurvePoint> precision_recall(const Labels& truth, const Outcome& outcome, Id label) {
  std::vector<CurvePoint> out;
  const auto positives = truth.column(label);
  if (outcome.scores == nullptr || positives.empty()) return out;
  const std::vector<RankedRow> rows = ranked_rows(truth, outcome, label);
  double hits = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    hits += rows[i].positive ? 1 : 0;
    if (i + 1 < rows.size() && rows[i + 1].score == rows[i].score) continue;
    out.push_back({.cut = rows[i].score,
                   .precision = hits / static_cast<double>(i + 1),
                   .recall = hits / static_cast<double>(positives.size())});
  }
  return out;
}

double area_below(const std::vector<CurvePoint>& curve) {
  if (curve.empty()) return std::numeric_limits<double>::quiet_NaN();
  double out = 0, before = 0;
  for (const CurvePoint& point : curve) {
    out += point.precision * (point.recall - before);
    before = point.recall;
  }
  return out;
}

}  // namespace mulberry::measures
