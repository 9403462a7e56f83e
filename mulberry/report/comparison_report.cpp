#include "mulberry/report/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/report/chart.hpp"
#include "mulberry/report/svg.hpp"

namespace mulberry::report {
namespace {

std::vector<std::string> learner_names(const Comparison& c) {
  std::vector<std::string> out;
  for (const LearnerResult& learner : c.learners) out.push_back(learner.name);
  return out;
}

std::string seconds_text(const Estimate& e) {
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
  if (std::isfinite(e.low)) return fmt::format("{:.4f} [{:.4f}, {:.4f}]", e.mean, e.low, e.high);
  if (std::isfinite(e.deviation)) return fmt::format("{:.4f} ± {:.4f}", e.mean, e.deviation);
  return fmt::format("{:.4f}", e.mean);
}

std::string comparison_head(const Comparison& c) {
  std::string out =
      fmt::format("{}: {} rows, {} labels; {}; convention {}\n", c.data.empty() ? "data" : c.data,
                  c.rows, c.labels, c.splits, c.convention);
  out += c.level > 0
             ? fmt::format("mean and {:.4g}% bootstrap interval over test rows", 100 * c.level)
             : std::string("mean ± deviation over splits");
  return out + "; * best\n\n";
}

std::string comparison_text(const Comparison& c, bool colours) {
  const ShortNames names = short_names(learner_names(c));
  std::vector<TableColumn> columns = {{"measure", "measure", false}};
  for (const std::string& title : names.titles) columns.push_back({title, "", true});
  Table table(std::move(columns));
  for (std::size_t m = 0; m < c.measures.size(); ++m) {
    std::vector<TableCell> row = {c.measures[m] + (c.higher_is_better[m] ? " ↑" : " ↓")};
    for (std::size_t k = 0; k < c.learners.size(); ++k) {
      TableCell& cell = row.emplace_back(estimate_text(c.learners[k].estimates[m]));
      cell.best = c.learners.size() > 1 && c.best(m) == static_cast<Index>(k);
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
    return fmt::format("{:.0f} MB", static_cast<double>(r.peak_memory) / 1e6);
  });
  std::string out = comparison_head(c) + table.text(colours);
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
               {"best", "best"}});
  const auto add = [&](const LearnerResult& learner, const std::string& name, const Estimate& e,
                       bool best) {
    table.add({learner.name, name, TableCell::of(e.mean, 4), TableCell::of(e.deviation, 4),
               TableCell::of(e.low, 4), TableCell::of(e.high, 4), TableCell::of(count_of(e.values)),
               TableCell::of(e.undefined), TableCell::of(Index{best ? 1 : 0})});
  };
  for (std::size_t k = 0; k < c.learners.size(); ++k) {
    const LearnerResult& learner = c.learners[k];
    for (std::size_t m = 0; m < c.measures.size(); ++m) {
      add(learner, c.measures[m], learner.estimates[m], c.best(m) == static_cast<Index>(k));
    }
    add(learner, "fit_seconds", learner.fit_seconds, false);
    add(learner, "predict_seconds", learner.predict_seconds, false);
    add(learner, "peak_memory_bytes", summarise({static_cast<double>(learner.peak_memory)}), false);
  }
  return table;
}

std::string comparison_picture(const Comparison& c) {
  constexpr double k_panel = 300, k_gap = 28, k_row = 20, k_head = 44, k_foot = 30;
  const std::size_t across = std::min<std::size_t>(3, std::max<std::size_t>(c.measures.size(), 1));
  const std::size_t down = (c.measures.size() + across - 1) / across;
  const auto count = static_cast<double>(c.learners.size());
  double names = 60;
  for (const LearnerResult& learner : c.learners) {
    names = std::max(names, std::min(text_width(learner.name, 12), 260.0));
  }
  const double left = 28 + names, top = 84, tall = k_head + k_row * count + k_foot;
  Svg svg(left + static_cast<double>(across) * (k_panel + k_gap) + 8,
          top + static_cast<double>(down) * tall + 16);
  svg.text(24, 30, c.data.empty() ? std::string("Comparison") : c.data, {.size = 17, .bold = true});
  svg.text(24, 51,
           fmt::format("{} rows, {} labels; {}; convention {}; dot: mean, line: {}", c.rows,
                       c.labels, c.splits, c.convention,
                       c.level > 0 ? fmt::format("{:.4g}% interval", 100 * c.level)
                                   : std::string("± one deviation over splits")),
           {.size = 12, .colour = "#6b6b76"});

  for (std::size_t m = 0; m < c.measures.size(); ++m) {
    const double x = left + static_cast<double>(m % across) * (k_panel + k_gap) + 14;
    const double y = top + static_cast<double>(m / across) * tall;
    double low = INFINITY, high = -INFINITY;
    for (const LearnerResult& learner : c.learners) {
      if (!std::isfinite(learner.estimates[m].mean)) continue;
      const auto [a, b] = whiskers(learner.estimates[m]);
      low = std::min(low, a);
      high = std::max(high, b);
    }
    svg.text(x, y + 12, c.measures[m] + (c.higher_is_better[m] ? " ↑" : " ↓"),
             {.size = 13, .bold = true});
    if (low > high) continue;
    const double pad = high > low ? (high - low) * 0.08 : std::max(std::abs(high) * 0.05, 1e-6);
    low -= pad;
    high += pad;
    const auto place = [&](double v) { return x + (v - low) / (high - low) * (k_panel - 20); };
    const double bottom = y + k_head + k_row * (count - 1) + 8;
    for (const double v : ticks(low, high, 4)) {
      svg.line(place(v), y + 26, place(v), bottom, "#e6e6ea");
      svg.text(place(v), bottom + 15, tick_text(v),
               {.size = 10, .anchor = Anchor::middle, .colour = "#6b6b76"});
    }
    for (std::size_t k = 0; k < c.learners.size(); ++k) {
      const LearnerResult& learner = c.learners[k];
      const Estimate& e = learner.estimates[m];
      const double at = y + k_head - 6 + k_row * static_cast<double>(k);
      const bool best = c.best(m) == static_cast<Index>(k);
      if (m % across == 0) {
        svg.text(left - 4, at + 4, fit_text(learner.name, 12, 260),
                 {.size = 12, .anchor = Anchor::end});
      }
      if (!std::isfinite(e.mean)) continue;
      const auto [a, b] = whiskers(e);
      const std::string_view colour = best ? series_colour(0) : "#9a9aa6";
      svg.line(place(a), at, place(b), at, colour, best ? 3 : 2);
      svg.circle(place(e.mean), at, best ? 5.5 : 4, colour,
                 fmt::format("{}: {}", learner.name, estimate_text(e)));
    }
  }
  return svg.finish();
}

}  // namespace mulberry::report
