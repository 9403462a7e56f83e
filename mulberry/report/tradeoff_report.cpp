#include "mulberry/report/tradeoff_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mulberry/report/draw/chart.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {

namespace {

std::string title_of(const Tradeoff& t) { return t.data.empty() ? "data" : t.data; }

}  // namespace

Table tradeoff_table(const Tradeoff& t) {
  std::vector<TableColumn> columns = {{"beta", "beta"}};
  for (const TradeoffCurve& curve : t.curves) {
    columns.push_back({curve.name + (curve.trained_for_beta ? " †" : ""), curve.name, true});
  }
  Table table(std::move(columns));
  for (std::size_t b = 0; b < t.betas.size(); ++b) {
    std::vector<TableCell> row = {fmt::format("{:.4g}", t.betas[b])};
    for (std::size_t c = 0; c < t.curves.size(); ++c) {
      const Estimate& e = t.curves[c].values[b];
      TableCell& cell = row.emplace_back(TableCell::of(e.mean, 4));
      if (!std::isfinite(e.mean)) cell.text = "-";
      if (std::isfinite(e.deviation))
        cell.text = fmt::format("{:.4f} ± {:.4f}", e.mean, e.deviation);
      cell.best = t.curves.size() > 1 && t.is_best(b, c);
    }
    table.add(std::move(row));
  }
  return table;
}

std::string tradeoff_text(const Tradeoff& t, bool colours) {
  const bool some_follow = std::any_of(t.curves.begin(), t.curves.end(),
                                       [](const auto& curve) { return curve.trained_for_beta; });
  return fmt::format(
             "{}: {} rows, {} labels; {}; convention {}\n"
             "macro-F_beta; beta below 1 favours precision, above 1 recall; * best{}\n\n",
             title_of(t), t.rows, t.labels, t.splits, t.convention,
             some_follow ? "; † trained for each beta" : "") +
         tradeoff_table(t).text(colours);
}

std::string tradeoff_picture(const Tradeoff& t) {
  LineChart chart{.title = fmt::format("{}: precision against recall ({})", title_of(t), t.splits),
                  .x_title = "beta (left: precision counts, right: recall counts)",
                  .y_title = "macro-F_beta",
                  .log_x = true};
  for (const TradeoffCurve& curve : t.curves) {
    Series series{.name = curve.name + (curve.trained_for_beta ? " (for each beta)" : "")};
    bool band = true;
    for (const Estimate& e : curve.values) band = band && std::isfinite(e.deviation);
    for (std::size_t b = 0; b < t.betas.size(); ++b) {
      const Estimate& e = curve.values[b];
      series.x.push_back(t.betas[b]);
      series.y.push_back(e.mean);
      if (!band) continue;
      series.low.push_back(e.mean - e.deviation);
      series.high.push_back(e.mean + e.deviation);
    }
    chart.series.push_back(std::move(series));
  }
  return line_chart(chart);
}

}  // namespace mulberry::report
