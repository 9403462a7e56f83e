#include "mulberry/report/page/label_curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/index.hpp"
#include "mulberry/measures/curves.hpp"

namespace mulberry::report {
namespace {

constexpr std::size_t k_chance_bins = 10, k_score_bins = 20;

std::size_t bin_of(double share, std::size_t bins) {
  return std::min(bins - 1,
                  static_cast<std::size_t>(std::max(0.0, share) * static_cast<double>(bins)));
}

}  // namespace

LabelCurves label_curves(const Labels& truth, const Outcome& outcome, Id label, double finest) {
  LabelCurves out;
  const std::vector<measures::RankedRow> rows = measures::ranked_rows(truth, outcome, label);
  for (const measures::RankedRow& row : rows) ++(row.positive ? out.positives : out.negatives);
  if (rows.empty()) return out;
  const auto share = [](Index count, Index of) {
    return of > 0 ? static_cast<double>(count) / static_cast<double>(of) : 0.0;
  };
  Index hits = 0, mistakes = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ++(rows[i].positive ? hits : mistakes);
    const bool last = i + 1 == rows.size();
    if (!last && rows[i + 1].score == rows[i].score) continue;
    const CutPoint before = out.cuts.empty() ? CutPoint{} : out.cuts.back();
    if (!last && !out.cuts.empty() && share(hits - before.hits, out.positives) < finest &&
        share(mistakes - before.mistakes, out.negatives) < finest) {
      continue;
    }
    out.cuts.push_back({rows[i].score, hits, mistakes});
  }
  if (outcome.probabilities) {
    out.chances.resize(k_chance_bins);
    for (const measures::RankedRow& row : rows) {
      ChanceBin& bin = out.chances[bin_of(row.score, k_chance_bins)];
      ++bin.rows;
      bin.positives += row.positive ? 1 : 0;
      bin.mean += row.score;
    }
    for (ChanceBin& bin : out.chances) {
      if (bin.rows > 0) bin.mean /= static_cast<double>(bin.rows);
    }
  }
  out.low = outcome.probabilities ? 0 : rows.back().score;
  out.high = outcome.probabilities ? 1 : rows.front().score;
  out.with.assign(k_score_bins, 0);
  out.without.assign(k_score_bins, 0);
  const double width = out.high - out.low;
  for (const measures::RankedRow& row : rows) {
    const std::size_t bin = width > 0 ? bin_of((row.score - out.low) / width, k_score_bins) : 0;
    ++(row.positive ? out.with : out.without)[bin];
  }
  return out;
}

double deciding_cut(const Outcome& outcome, Id label, double natural) {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  const auto decided = outcome.decided->column(label);
  auto next = decided.begin();
  for (Id i = 0; i < outcome.decided->rows(); ++i) {
    const double score = (*outcome.scores)(i, label);
    if (next != decided.end() && *next == i) {
      lowest = std::min(lowest, score);
      ++next;
    } else {
      highest = std::max(highest, score);
    }
  }
  if (lowest <= highest) return std::numeric_limits<double>::quiet_NaN();
  if (natural > highest && natural <= lowest) return natural;
  if (std::isinf(lowest)) return std::numeric_limits<double>::quiet_NaN();  // never decided
  return std::isinf(highest) ? lowest : highest + (lowest - highest) / 2;
}

}  // namespace mulberry::report
