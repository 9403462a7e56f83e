#include <fmt/format.h>

#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/report/draw/axis.hpp"
#include "mulberry/report/draw/chart.hpp"
#include "mulberry/report/draw/svg.hpp"

namespace mulberry::report {

std::string column_chart(const ColumnChart& chart) {
  constexpr std::string_view k_grid = "#e6e6ea", k_soft = "#6b6b76";
  constexpr double k_left = 76, k_top = 48, k_tall = 200, k_widest = 46, k_all = 760;
  MULBERRY_ASSERT(chart.names.size() == chart.values.size());
  const auto count = static_cast<double>(std::max<std::size_t>(chart.values.size(), 1));
  const double step = std::min(k_widest, k_all / count), wide = step * count;
  Svg svg(std::max(k_left + wide + 24, text_width(chart.title, 16) + 48), k_top + k_tall + 58);
  svg.title_ends(36);
  svg.text(24, 26, chart.title, {.size = 16, .bold = true});
  std::vector<double> range = chart.values;
  range.push_back(0);
  const Axis y(range, k_top + k_tall, k_top, {.pad = 0});
  for (const auto& [place, words] : y.ticks(4)) {
    svg.line(k_left, place, k_left + wide, place, k_grid);
    svg.text(k_left - 8, place + 4, words, {.size = 11, .anchor = Anchor::end, .colour = k_soft});
  }
  // Names that would meet are left out evenly.
  double widest = 1;
  for (const std::string& name : chart.names) widest = std::max(widest, text_width(name, 11) + 6);
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(widest / step)));
  for (std::size_t k = 0; k < chart.values.size(); ++k) {
    const double x = k_left + step * static_cast<double>(k), top = y(chart.values[k]);
    svg.rectangle(x + step * 0.1, top, step * 0.8, k_top + k_tall - top, series_colour(0),
                  fmt::format("{}: {}", chart.names[k], tick_text(chart.values[k])), 1.5);
    if (k % every != 0) continue;
    svg.text(x + step / 2, k_top + k_tall + 17, chart.names[k],
             {.size = 11, .anchor = Anchor::middle, .colour = k_soft});
  }
  svg.text(k_left + wide / 2, k_top + k_tall + 42, chart.x_title,
           {.size = 12, .anchor = Anchor::middle});
  svg.text(22, k_top + k_tall / 2, chart.y_title,
           {.size = 12, .anchor = Anchor::middle, .rotate = -90});
  return svg.finish();
}

}  // namespace mulberry::report
