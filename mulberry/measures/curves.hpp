// Precision against recall of one label, over all cuts of its scores.
#pragma once

#include <vector>

#include "mulberry/measures/outcome.hpp"

namespace mulberry::measures {

// A row that observes a label.
struct RankedRow {
  double score = 0;
  bool positive = false;
};

// The rows that observe the label, by decreasing score.
std::vector<RankedRow> ranked_rows(const Labels& truth, const Outcome& outcome, Id label);

struct CurvePoint {
  double cut = 0;  // rows with at least this score are taken
  double precision = 0, recall = 0;
};

// One point per distinct score of the rows that observe the label, highest first. Empty if the
// label occurs in none of them, or if the outcome has no scores for all rows.
std::vector<CurvePoint> precision_recall(const Labels& truth, const Outcome& outcome, Id label);

// The area below the steps of the curve, not interpolated: scikit-learn's average precision. NaN
// without points.
double area_below(const std::vector<CurvePoint>& curve);

}  // namespace mulberry::measures
