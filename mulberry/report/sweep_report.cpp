#include "mulberry/report/sweep_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/report/comparison_report.hpp"
#include "mulberry/report/draw/axis.hpp"
#include "mulberry/report/draw/chart.hpp"

namespace mulberry::report {

std::string sweep_text(const Sweep& sweep, bool colours) {
  const Comparison& c = sweep.comparison;
  std::string out = comparison_head(c) + "\n";
  for (std::size_t m = 0; m < c.measures.size(); ++m) {
    std::vector<TableColumn> columns = {{sweep.parameter, sweep.parameter}};
    for (const SweepCurve& curve : sweep.curves) columns.push_back({curve.name, "", true});
    Table table(std::move(columns));
    for (std::size_t v = 0; v < sweep.values.size(); ++v) {
      std::vector<TableCell> row = {tick_text(sweep.values[v])};
      for (std::size_t k = 0; k < sweep.curves.size(); ++k) {
        TableCell& cell = row.emplace_back(estimate_text(sweep.at(k, v, m)));
        cell.best = sweep.curves.size() > 1 && sweep.is_best(v, m, k);
      }
      table.add(std::move(row));
    }
    out += fmt::format("{}{} {}\n", m == 0 ? "" : "\n", c.measures[m],
                       c.higher_is_better[m] ? "↑" : "↓") +
           table.text(colours);
  }
  return out;
}

std::string sweep_picture(const Sweep& sweep, std::size_t measure) {
  const Comparison& c = sweep.comparison;
  MULBERRY_ASSERT(measure < c.measures.size());
  LineChart chart{.title = fmt::format("{}: {} over {} ({})", c.data.empty() ? "data" : c.data,
                                       c.measures[measure], sweep.parameter, c.splits),
                  .x_title = sweep.parameter,
                  .y_title = c.measures[measure] + (c.higher_is_better[measure] ? " ↑" : " ↓")};
  for (std::size_t k = 0; k < sweep.curves.size(); ++k) {
    Series series{.name = sweep.curves[k].name};
    for (std::size_t v = 0; v < sweep.values.size(); ++v) {
      const Estimate& e = sweep.at(k, v, measure);
      series.x.push_back(sweep.values[v]);
      series.y.push_back(e.mean);
      series.low.push_back(e.mean - e.deviation);  // without a deviation there is no band
      series.high.push_back(e.mean + e.deviation);
    }
    chart.series.push_back(std::move(series));
  }
  return line_chart(chart);
}

}  // namespace mulberry::report
