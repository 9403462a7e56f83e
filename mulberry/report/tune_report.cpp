#include "mulberry/report/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/model/learner.hpp"

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

// Where the bars of the table begin and end.
std::string bars_text(const TuneResult& result) {
  double low = INFINITY, high = -INFINITY;
  for (const Trial& trial : result.trials) {
    if (trial.share < 1 || !std::isfinite(trial.estimate.mean)) continue;
    low = std::min(low, trial.estimate.mean);
    high = std::max(high, trial.estimate.mean);
  }
  if (!(high > low)) return "";
  const double worst = result.higher_is_better ? low : high;
  return fmt::format("bars begin at the worst trial on all rows, {:.4f}\n", worst);
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
    // The learner as given leaves parameters at their defaults, which are shown all the same.
    const Spec whole = trial.failure.empty() ? CompleteSpec(trial.spec).spec() : trial.spec;
    for (const std::string& name : result.searched) row.emplace_back(value_of(whole, name));
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
  out += bars_text(result);
  if (result.impossible > 0) {
    out += fmt::format("{} combination{} of parameters left out: the learner refuses {}\n",
                       result.impossible, result.impossible == 1 ? "" : "s",
                       result.impossible == 1 ? "it" : "them");
  }
  for (const Trial& trial : result.trials) {
    if (!trial.failure.empty()) out += "\n" + trial.spec.text() + ": " + trial.failure + "\n";
  }
  out += fmt::format("\nbest: {}\n{} {:.4f} in the search", winner.spec.text(), result.measure,
                     winner.estimate.mean);
  if (result.best == result.defaults) {
    out += ", which the learner as given reaches";
  } else if (result.defaults < result.trials.size()) {
    out += fmt::format(", {:.4f} of the learner as given",
                       result.trials[result.defaults].estimate.mean);
  }
  if (!result.outer) return out + " (the best of many; outer folds give an honest figure)\n";
  const Estimate& e = *result.outer;
  out += fmt::format(", {:.4f} ± {:.4f} on {} outer folds that the search never saw", e.mean,
                     e.deviation, e.values.size());
  if (std::isfinite(e.low)) out += fmt::format(" (95% interval {:.4f} to {:.4f})", e.low, e.high);
  return out + "\n";
}

}  // namespace mulberry::report
