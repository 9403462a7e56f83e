#include "mulberry/compare/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/statistics/summaries.hpp"

namespace mulberry::compare {
namespace {

std::vector<double> values_of(const ScoreCell& cell) {
  std::vector<double> out;
  if (cell.status != CellStatus::measured) return out;
  std::copy_if(cell.values.begin(), cell.values.end(), std::back_inserter(out),
               [](double v) { return std::isfinite(v); });
  return out;
}

// A measured cell may still have no value in any split.
bool has_result(const ScoreCell& cell) {
  if (cell.status == CellStatus::measured) return std::isfinite(mean(cell));
  return cell.status != CellStatus::missing;
}

}  // namespace

std::string_view name_of(CellStatus status) {
  switch (status) {
    case CellStatus::missing:
      return "missing";
    case CellStatus::measured:
      return "measured";
    case CellStatus::over_limit:
      return "over the limit";
    case CellStatus::failed:
      return "failed";
  }
  return "";
}

double mean(const ScoreCell& cell) { return mean_of(values_of(cell)); }

double deviation(const ScoreCell& cell) { return deviation_of(values_of(cell)); }

Index best_of(const SetScores& set, bool higher_is_better) {
  Index out = -1;
  double most = 0;
  for (std::size_t k = 0; k < set.cells.size(); ++k) {
    const double value = mean(set.cells[k]);
    if (!std::isfinite(value)) continue;
    const double good = higher_is_better ? value : -value;
    if (out >= 0 && good <= most) continue;
    most = good;
    out = static_cast<Index>(k);
  }
  return out;
}

bool is_best(const SetScores& set, bool higher_is_better, std::size_t learner) {
  const Index first = best_of(set, higher_is_better);
  return first >= 0 && mean(set.cells[learner]) == mean(set.cells[at(first)]);
}

void require_shape(const Scores& scores) {
  for (const SetScores& set : scores.sets) {
    MULBERRY_ASSERT(set.cells.size() == scores.learners.size());
    for (const ScoreCell& cell : set.cells) {
      MULBERRY_ASSERT(cell.status != CellStatus::measured ||
                      cell.values.size() == set.splits.size());
    }
  }
}

Comparable comparable(const Scores& scores) {
  require_shape(scores);
  Comparable out;
  for (std::size_t k = 0; k < scores.learners.size(); ++k) {
    const bool measured = std::any_of(scores.sets.begin(), scores.sets.end(),
                                      [&](const auto& set) { return has_result(set.cells[k]); });
    if (measured) out.learners.push_back(k);
  }
  for (std::size_t s = 0; s < scores.sets.size(); ++s) {
    const bool complete = std::all_of(out.learners.begin(), out.learners.end(), [&](std::size_t k) {
      return has_result(scores.sets[s].cells[k]);
    });
    if (complete && !out.learners.empty()) out.sets.push_back(s);
  }
  out.gains = Matrix(count_of(out.sets), count_of(out.learners));
  for (Index s = 0; s < count_of(out.sets); ++s) {
    for (Index k = 0; k < count_of(out.learners); ++k) {
      const ScoreCell& cell = scores.sets[out.sets[at(s)]].cells[out.learners[at(k)]];
      const double value = mean(cell);
      out.gains(s, k) = !std::isfinite(value)     ? -std::numeric_limits<double>::infinity()
                        : scores.higher_is_better ? value
                                                  : -value;
    }
  }
  return out;
}

}  // namespace mulberry::compare
