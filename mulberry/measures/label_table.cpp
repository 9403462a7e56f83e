#include "mulberry/measures/label_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/index.hpp"
#include "mulberry/measures/areas.hpp"
#include "mulberry/measures/decisions.hpp"

namespace mulberry::measures {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// The mean over a single label is its value, under the same rules as the macro measure.
double value_of(const char* name, const CellCounts& counts, const MeasureOptions& options) {
  return measure_labels({&counts, 1}, options, Selection({name})).front().value;
}

}  // namespace

std::vector<LabelLine> label_table(const Labels& truth, const Outcome& outcome,
                                   const MeasureOptions& options, const Context& ctx) {
  require_fitting(truth, outcome, ctx);
  std::vector<CellCounts> counts;
  std::vector<LabelAreas> areas;
  if (outcome.decided != nullptr) counts = label_counts(truth, *outcome.decided, ctx);
  if (outcome.has_scores()) areas = label_areas(truth, outcome, rules_of(options).auc_tie, ctx);
  std::vector<LabelLine> lines(at(truth.count()));
  for (std::size_t l = 0; l < lines.size(); ++l) {
    const auto label = static_cast<Index>(l);
    LabelLine& line = lines[l];
    line.label = static_cast<Id>(l);
    line.support = static_cast<Index>(truth.column(label).size());
    line.observed = truth.rows() - static_cast<Index>(truth.missing_column(label).size());
    line.precision = line.recall = line.f1 = line.auc = k_nan;
    if (!counts.empty()) {
      line.decided = static_cast<Index>(counts[l].tp + counts[l].fp);
      line.precision = value_of("macro_precision", counts[l], options);
      line.recall = value_of("macro_recall", counts[l], options);
      line.f1 = value_of("macro_f1", counts[l], options);
    }
    if (!areas.empty()) line.auc = areas[l].auc;
  }
  const auto key = counts.empty() ? &LabelLine::auc : &LabelLine::f1;
  std::stable_sort(lines.begin(), lines.end(), [&](const LabelLine& a, const LabelLine& b) {
    if (std::isnan(a.*key) || std::isnan(b.*key)) return !std::isnan(a.*key) && std::isnan(b.*key);
    return a.*key < b.*key;
  });
  return lines;
}

}  // namespace mulberry::measures
