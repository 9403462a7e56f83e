#include "mulberry/report/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mulberry::report {
namespace {

// The value at a dotted name, as text; empty if the spec does not set it.
std::string value_of(const Spec& spec, const std::string& name) {
  const auto dot = name.find('.');
  const SpecValue* value = spec.find(name.substr(0, dot));
  if (value == nullptr) return "";
  if (dot == std::string::npos) return value_text(*value);
  return value_of(as_spec(*value), name.substr(dot + 1));
}

std::vector<std::size_t> best_first(const TuneResult& result) {
  std::vector<std::size_t> out(result.trials.size());
  std::iota(out.begin(), out.end(), 0U);
  // Trials on more rows first: figures on few rows are not comparable with them.
  std::sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    const Trial &x = result.trials[a], &y = result.trials[b];
    if (x.share != y.share) return x.share > y.share;
    const double u = x.estimate.mean, v = y.estimate.mean;
    if (std::isfinite(u) != std::isfinite(v)) return std::isfinite(u);
    if (!std::isfinite(u) || u == v) return a < b;
    return result.higher_is_better ? u > v : u < v;
  });
  return out;
}

// From the worst trial on as many rows (0) to the best (1), whether higher or lower is better:
// figures on few rows are not comparable with figures on many.
double standing(const TuneResult& result, const Trial& trial) {
  double low = INFINITY, high = -INFINITY;
  for (const Trial& other : result.trials) {
    if (other.share != trial.share || !std::isfinite(other.estimate.mean)) continue;
    low = std::min(low, other.estimate.mean);
    high = std::max(high, other.estimate.mean);
  }
  const double share = high > low ? (trial.estimate.mean - low) / (high - low) : 1.0;
  return result.higher_is_better || high <= low ? share : 1 - share;
}

}  // namespace

Table tune_table(const TuneResult& result) {
  std::vector<TableColumn> columns;
  for (const std::string& name : result.searched) columns.push_back({name, name});
  columns.push_back({result.measure + (result.higher_is_better ? " ↑" : " ↓"), result.measure});
  columns.push_back({"deviation", "deviation"});
  const bool parts = std::any_of(result.trials.begin(), result.trials.end(),
                                 [](const Trial& trial) { return trial.share < 1; });
  if (parts) columns.push_back({"rows", "share_of_rows"});
  columns.push_back({"fit s", "fit_seconds"});
  Table table(std::move(columns));

  for (const std::size_t t : best_first(result)) {
    const Trial& trial = result.trials[t];
    std::vector<TableCell> row;
    for (const std::string& name : result.searched) row.emplace_back(value_of(trial.spec, name));
    TableCell value = TableCell::of(trial.estimate.mean, 4);
    value.best = t == result.best;
    value.bar = standing(result, trial);
    row.push_back(std::move(value));
    row.push_back(TableCell::of(trial.estimate.deviation, 4));
    if (parts) {
      TableCell rows = TableCell::of(trial.share, 3);
      rows.text = fmt::format("{:.0f}%", 100 * trial.share);
      row.push_back(std::move(rows));
    }
    row.push_back(TableCell::of(trial.fit_seconds, 3));
    table.add(std::move(row));
  }
  return table;
}

std::string tune_text(const TuneResult& result, bool colours) {
  const Trial& winner = result.trials[result.best];
  std::string out = fmt::format("{} trials; {}; convention {}; * best\n\n", result.trials.size(),
                                result.splits, result.convention);
  out += tune_table(result).text(colours);
  for (const Trial& trial : result.trials) {
    if (!trial.failure.empty()) out += "\n" + trial.spec.text() + ": " + trial.failure + "\n";
  }
  out += fmt::format("\nbest: {}\n{} {:.4f} in the search", winner.spec.text(), result.measure,
                     winner.estimate.mean);
  if (!result.outer) return out + " (the best of many; outer folds give an honest figure)\n";
  const Estimate& e = *result.outer;
  out += fmt::format(", {:.4f} ± {:.4f} on {} outer folds that the search never saw", e.mean,
                     e.deviation, e.values.size());
  if (std::isfinite(e.low)) out += fmt::format(" (95% interval {:.4f} to {:.4f})", e.low, e.high);
  return out + "\n";
}

}  // namespace mulberry::report
