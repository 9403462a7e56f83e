#include "mulberry/measures/curves.hpp"

#include <algorithm>
#include <limits>

#include "mulberry/core/index.hpp"

namespace mulberry::measures {

std::vector<CurvePoint> precision_recall(const Labels& truth, const Outcome& outcome, Id label) {
  std::vector<CurvePoint> out;
  if (outcome.scores == nullptr) return out;
  const auto positives = truth.column(label), missing = truth.missing_column(label);
  if (positives.empty()) return out;
  struct Scored {
    double score;
    bool positive;
  };
  std::vector<Scored> rows;
  auto next_positive = positives.begin(), next_missing = missing.begin();  // rows, increasing
  for (Id i = 0; i < truth.rows(); ++i) {
    const bool positive = next_positive != positives.end() && *next_positive == i;
    if (positive) ++next_positive;
    if (next_missing != missing.end() && *next_missing == i) {
      ++next_missing;
      continue;
    }
    rows.push_back({(*outcome.scores)(i, label), positive});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
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
