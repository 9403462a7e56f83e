#include "mulberry/report/tradeoff_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mulberry/report/chart.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {

namespace {

std::string title_of(const Tradeoff& t) { return t.data.empty() ? "data" : t.data; }

}  // namespace

std::string tradeoff_text(const Tradeoff& t, bool colours) {
  std::vector<TableColumn> columns = {{"beta", "beta"}};
  bool some_follow = false;
  for (const TradeoffCurve& curve : t.curves) {
    columns.push_back({curve.name + (curve.trained_for_beta ? " †" : ""), "", true});
    some_follow = some_follow || curve.trained_for_beta;
  }
  Table table(std::move(columns));
  for (std::size_t b = 0; b < t.betas.size(); ++b) {
    std::vector<TableCell> row = {fmt::format("{:.4g}", t.betas[b])};
    for (std::size_t c = 0; c < t.curves.size(); ++c) {
      const Estimate& e = t.curves[c].values[b];
      TableCell& cell = row.emplace_back(!std::isfinite(e.mean) ? std::string("-")
                                         : std::isfinite(e.deviation)
                                             ? fmt::format("{:.4f} ± {:.4f}", e.mean, e.deviation)
                                             : fmt::format("{:.4f}", e.mean));
      cell.best = t.curves.size() > 1 && t.best(b) == static_cast<Index>(c);
    }
    table.add(std::move(row));
  }
  return fmt::format(
             "{}: {} rows, {} labels; {}; convention {}\n"
             "macro-F_beta; beta below 1 favours precision, above 1 recall; * best{}\n\n",
             title_of(t), t.rows, t.labels, t.splits, t.convention,
             some_follow ? "; † trained for each beta" : "") +
         table.text(colours);
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
