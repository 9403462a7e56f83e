#include "mulberry/report/draw/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/report/draw/axis.hpp"
#include "mulberry/report/draw/svg.hpp"

namespace mulberry::report {
namespace {

constexpr std::string_view k_grid = "#e6e6ea", k_axis = "#8a8a94", k_soft = "#6b6b76";

}  // namespace

std::string line_chart(const LineChart& chart) {
  std::vector<double> xs, ys;
  double legend = 0;
  for (const Series& s : chart.series) {
    MULBERRY_ASSERT(s.x.size() == s.y.size());
    MULBERRY_ASSERT(s.low.size() == s.high.size());
    xs.insert(xs.end(), s.x.begin(), s.x.end());
    for (const auto* part : {&s.y, &s.low, &s.high})
      ys.insert(ys.end(), part->begin(), part->end());
    legend = std::max(legend, text_width(s.name, 12));
  }
  const bool has_legend = chart.series.size() > 1;
  const double left = 76, top = 52, wide = 560, tall = 320;
  const double list = has_legend ? 20 * static_cast<double>(chart.series.size()) : 0;
  Svg svg(left + wide + (has_legend ? std::min(legend, 260.0) + 50 : 24),
          top + std::max(tall + 58, list + 16));
  svg.text(left, 28, chart.title, {.size = 16, .bold = true});
  svg.title_ends(38);
  const Axis ax(xs, left, left + wide, {.log = chart.log_x || suits_log(xs, k_spread_of_settings)});
  const Axis ay(ys, top + tall, top, {.log = suits_log(ys, k_spread)});

  for (const auto& [at, words] : ay.ticks(6)) {
    svg.line(left, at, left + wide, at, k_grid);
    svg.text(left - 8, at + 4, words, {.size = 11, .anchor = Anchor::end, .colour = k_soft});
  }
  for (const auto& [at, words] : ax.ticks(7)) {
    svg.line(at, top + tall, at, top + tall + 5, k_axis);
    svg.text(at, top + tall + 20, words, {.size = 11, .anchor = Anchor::middle, .colour = k_soft});
  }
  svg.line(left, top + tall, left + wide, top + tall, k_axis);
  svg.text(left + wide / 2, top + tall + 44, chart.x_title, {.size = 13, .anchor = Anchor::middle});
  svg.text(20, top + tall / 2, chart.y_title,
           {.size = 13, .anchor = Anchor::middle, .rotate = -90});

  for (std::size_t k = 0; k < chart.series.size(); ++k) {
    const Series& s = chart.series[k];
    const std::string_view colour = series_colour(k);
    std::vector<Point> upper, lower, run;
    for (std::size_t i = 0; i < s.low.size(); ++i) {
      if (!std::isfinite(s.low[i]) || !std::isfinite(s.high[i])) continue;
      upper.emplace_back(ax(s.x[i]), ay(s.high[i]));
      lower.emplace_back(ax(s.x[i]), ay(s.low[i]));
    }
    if (upper.size() > 1) {
      upper.insert(upper.end(), lower.rbegin(), lower.rend());
      svg.band(upper, colour, 0.14);
    }
    for (std::size_t i = 0; i <= s.x.size(); ++i) {
      if (i < s.x.size() && std::isfinite(s.x[i]) && std::isfinite(s.y[i])) {
        run.emplace_back(ax(s.x[i]), ay(s.y[i]));
        continue;
      }
      if (run.size() > 1 && chart.lines) svg.path(run, colour);
      if (chart.dots || run.size() == 1) {
        for (const auto& [x, y] : run) svg.circle(x, y, 3, colour);
      }
      run.clear();
    }
    if (has_legend) {
      const double y = top + 10 + 20 * static_cast<double>(k);
      svg.rectangle(left + wide + 16, y - 9, 12, 12, colour, {}, 2);
      svg.text(left + wide + 34, y + 1, fit_text(s.name, 12, 260), {.size = 12});
    }
  }
  return svg.finish();
}

}  // namespace mulberry::report
