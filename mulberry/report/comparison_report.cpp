#include "mulberry/report/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "mulberry/core/index.hpp"
#include "mulberry/report/draw/panels.hpp"

namespace mulberry::report {
namespace {

constexpr double k_alpha = 0.05;  // of the marks

std::vector<std::string> learner_names(const Comparison& c) {
  std::vector<std::string> out;
  for (const LearnerResult& learner : c.learners) out.push_back(learner.name);
  return out;
}

std::string seconds_text(const Estimate& e) {
  if (!std::isfinite(e.mean)) return "-";
  return e.mean < 0.001 ? fmt::format("{:.1e} s", e.mean) : fmt::format("{:.3g} s", e.mean);
}

// What is drawn around a mean.
std::pair<double, double> whiskers(const Estimate& e) {
  if (std::isfinite(e.low)) return {e.low, e.high};
  const double d = std::isfinite(e.deviation) ? e.deviation : 0.0;
  return {e.mean - d, e.mean + d};
}

}  // namespace

std::string estimate_text(const Estimate& e) {
  if (!std::isfinite(e.mean)) return "-";
  const std::string mean = fixed_text(e.mean, 4);
  if (std::isfinite(e.low)) {
    return fmt::format("{} [{}, {}]", mean, fixed_text(e.low, 4), fixed_text(e.high, 4));
  }
  return std::isfinite(e.deviation) ? fmt::format("{} ± {:.4f}", mean, e.deviation) : mean;
}

std::string comparison_head(const Comparison& c) {
  std::string out =
      fmt::format("{}: {} rows, {} labels; {}; convention {}\n", c.data.empty() ? "data" : c.data,
                  c.rows, c.labels, c.splits, c.convention);
  out += c.level > 0
             ? fmt::format("mean and {:.4g}% bootstrap interval over test rows", 100 * c.level)
             : std::string("mean ± deviation over splits");
  return out + "; * best\n";
}

std::string comparison_text(const Comparison& c, bool colours) {
  const ShortNames names = short_names(learner_names(c));
  std::vector<TableColumn> columns = {{"measure", "measure", false}};
  for (const std::string& title : names.titles) columns.push_back({title, "", true});
  Table table(std::move(columns));
  // Means over different splits say nothing about who is best.
  const bool alike = std::ranges::all_of(
      c.learners, [&](const LearnerResult& r) { return r.unfinished == c.learners[0].unfinished; });
  bool tested = false, some_differ = false;
  for (std::size_t m = 0; m < c.measures.size(); ++m) {
    const std::vector<double> p = c.p_against_best(m);
    std::vector<TableCell> row = {c.measures[m] + (c.higher_is_better[m] ? " ↑" : " ↓")};
    for (std::size_t k = 0; k < c.learners.size(); ++k) {
      TableCell& cell = row.emplace_back(estimate_text(c.learners[k].estimates[m]));
      cell.best = alike && c.learners.size() > 1 && c.is_best(m, k);
      if (p[k] < k_alpha) cell.mark = "•";
      tested = tested || std::isfinite(p[k]);
      some_differ = some_differ || p[k] < k_alpha;
    }
    table.add(std::move(row));
  }
  const auto add_cost = [&](const std::string& title, const auto& words_of) {
    std::vector<TableCell> row = {title};
    for (const LearnerResult& learner : c.learners) row.emplace_back(words_of(learner));
    table.add(std::move(row));
  };
  add_cost("fit, " + c.clock + " time per split",
           [](const LearnerResult& r) { return seconds_text(r.fit_seconds); });
  add_cost("predict, " + c.clock + " time",
           [](const LearnerResult& r) { return seconds_text(r.predict_seconds); });
  add_cost("peak memory of the process", [](const LearnerResult& r) {
    if (r.peak_memory == 0) return std::string("-");
    return fmt::format("{:.0f} MB", static_cast<double>(r.peak_memory) / 1e6);
  });
  const bool unfinished =
      std::ranges::any_of(c.learners, [](const LearnerResult& r) { return r.unfinished > 0; });
  if (unfinished) {
    add_cost("finished splits", [&](const LearnerResult& r) {
      return fmt::format("{} of {}", c.split_rows.size() - at(r.unfinished), c.split_rows.size());
    });
  }
  std::string out = comparison_head(c);
  if (tested) {
    out += fmt::format("{} at level {:g} (corrected resampled t-test with Holm's correction)\n",
                       some_differ ? "• worse than the best" : "no learner is worse than the best",
                       k_alpha);
  }
  out += "\n" + table.text(colours);
  if (!names.key.empty()) out += "\n" + names.key;
  for (const LearnerResult& learner : c.learners) {
    if (learner.unconverged == 0) continue;
    out += fmt::format("\n{} stopped before its tolerance in {} of {} splits\n", learner.name,
                       learner.unconverged, learner.fit_seconds.values.size());
  }
  return out;
}

Table comparison_rows(const Comparison& c) {
  Table table({{"learner", "learner", false},
               {"measure", "measure", false},
               {"mean", "mean"},
               {"deviation", "deviation"},
               {"low", "low"},
               {"high", "high"},
               {"splits", "splits"},
               {"undefined", "undefined"},
               {"best", "best"},
               {"p against the best", "p_against_best"}});
  const auto add = [&](const LearnerResult& learner, const std::string& name, const Estimate& e,
                       bool best, double p) {
    table.add({learner.name, name, TableCell::of(e.mean, 4), TableCell::of(e.deviation, 4),
               TableCell::of(e.low, 4), TableCell::of(e.high, 4), TableCell::of(count_of(e.values)),
               TableCell::of(e.undefined), TableCell::of(Index{best ? 1 : 0}),
               TableCell::of(p, 4)});
  };
  std::vector<std::vector<double>> p;  // by measure
  for (std::size_t m = 0; m < c.measures.size(); ++m) p.push_back(c.p_against_best(m));
  const double no_test = std::nan("");
  for (std::size_t k = 0; k < c.learners.size(); ++k) {
    const LearnerResult& learner = c.learners[k];
    for (std::size_t m = 0; m < c.measures.size(); ++m) {
      add(learner, c.measures[m], learner.estimates[m], c.is_best(m, k), p[m][k]);
    }
    add(learner, "fit_seconds", learner.fit_seconds, false, no_test);
    add(learner, "predict_seconds", learner.predict_seconds, false, no_test);
    add(learner, "peak_memory_bytes", summarise({static_cast<double>(learner.peak_memory)}), false,
        no_test);
  }
  return table;
}

std::string comparison_picture(const Comparison& c) {
  std::vector<ValuePanel> panels;
  for (std::size_t m = 0; m < c.measures.size(); ++m) {
    ValuePanel& panel = panels.emplace_back();
    panel.title = c.measures[m] + (c.higher_is_better[m] ? " ↑" : " ↓");
    for (std::size_t k = 0; k < c.learners.size(); ++k) {
      const Estimate& e = c.learners[k].estimates[m];
      PanelRow& row = panel.rows.emplace_back();
      if (!std::isfinite(e.mean)) continue;
      row.middle = e.mean;
      std::tie(row.low, row.high) = whiskers(e);
      row.best = c.is_best(m, k);
      row.tip = fmt::format("{}: {}", c.learners[k].name, estimate_text(e));
    }
  }
  return panels_picture(c.data.empty() ? std::string("Comparison") : c.data,
                        fmt::format("{} rows, {} labels; {}; convention {}; dot: mean, line: {}",
                                    c.rows, c.labels, c.splits, c.convention,
                                    c.level > 0 ? fmt::format("{:.4g}% interval", 100 * c.level)
                                                : std::string("± one deviation over splits")),
                        learner_names(c), panels);
}

}  // namespace mulberry::report
