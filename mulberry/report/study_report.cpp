#include "mulberry/report/study_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/report/axis.hpp"
#include "mulberry/report/chart.hpp"
#include "mulberry/report/comparison_report.hpp"

namespace mulberry::report {

std::string study_text(const Study& study, bool colours) {
  const Comparison& c = study.comparison;
  std::string out = comparison_head(c) + "\n";
  for (std::size_t m = 0; m < c.measures.size(); ++m) {
    std::vector<TableColumn> columns = {{study.parameter, study.parameter}};
    for (const StudyCurve& curve : study.curves) columns.push_back({curve.name, "", true});
    Table table(std::move(columns));
    for (std::size_t v = 0; v < study.values.size(); ++v) {
      std::vector<TableCell> row = {tick_text(study.values[v])};
      for (std::size_t k = 0; k < study.curves.size(); ++k) {
        TableCell& cell = row.emplace_back(estimate_text(study.at(k, v, m)));
        cell.best = study.curves.size() > 1 && study.best(v, m) == static_cast<Index>(k);
      }
      table.add(std::move(row));
    }
    out += fmt::format("{}{} {}\n", m == 0 ? "" : "\n", c.measures[m],
                       c.higher_is_better[m] ? "↑" : "↓") +
           table.text(colours);
  }
  return out;
}

std::string study_picture(const Study& study, std::size_t measure) {
  const Comparison& c = study.comparison;
  MULBERRY_ASSERT(measure < c.measures.size());
  LineChart chart{.title = fmt::format("{}: {} over {} ({})", c.data.empty() ? "data" : c.data,
                                       c.measures[measure], study.parameter, c.splits),
                  .x_title = study.parameter,
                  .y_title = c.measures[measure] + (c.higher_is_better[measure] ? " ↑" : " ↓")};
  for (std::size_t k = 0; k < study.curves.size(); ++k) {
    Series series{.name = study.curves[k].name};
    for (std::size_t v = 0; v < study.values.size(); ++v) {
      const Estimate& e = study.at(k, v, measure);
      series.x.push_back(study.values[v]);
      series.y.push_back(e.mean);
      series.low.push_back(e.mean - e.deviation);  // without a deviation there is no band
      series.high.push_back(e.mean + e.deviation);
    }
    chart.series.push_back(std::move(series));
  }
  return line_chart(chart);
}

}  // namespace mulberry::report
