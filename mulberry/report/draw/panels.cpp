#include "mulberry/report/draw/panels.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/report/draw/axis.hpp"
#include "mulberry/report/draw/svg.hpp"

namespace mulberry::report {
namespace {

constexpr double k_panel = 300, k_gap = 28, k_head = 44, k_foot = 30, k_most_name = 320;
constexpr std::string_view k_grid = "#e6e6ea", k_soft = "#6b6b76", k_plain = "#9a9aa6";

std::vector<double> values_of(const ValuePanel& panel) {
  std::vector<double> out;
  for (const PanelRow& row : panel.rows) {
    if (!std::isfinite(row.middle)) continue;
    out.insert(out.end(), {row.middle, row.low, row.high});
    out.insert(out.end(), row.dots.begin(), row.dots.end());
  }
  return out;
}

void draw_row(Svg& svg, const PanelRow& row, const Axis& axis, double y, double tall) {
  const std::string_view colour = row.best ? series_colour(0) : k_plain;
  if (!row.words.empty()) {
    svg.text(axis.from(), y + 4, row.words, {.size = 10, .colour = k_soft});
    return;
  }
  if (!std::isfinite(row.middle)) return;
  svg.line(axis(row.low), y, axis(row.high), y, colour, row.best ? 3 : 2);
  if (std::isfinite(row.box_low)) {
    const double half = tall * 0.3;
    svg.rectangle(axis(row.box_low), y - half,
                  std::max(axis(row.box_high) - axis(row.box_low), 1.0), 2 * half,
                  row.best ? "#dcb3cd" : "#d3d3da", row.tip, 1.5);
    svg.line(axis(row.middle), y - half, axis(row.middle), y + half,
             row.best ? series_colour(0) : "#55555f", 2);
  } else {
    svg.circle(axis(row.middle), y, row.best ? 5.5 : 4, colour, row.tip);
  }
  for (const double v : row.dots) svg.circle(axis(v), y, 1.8, row.best ? series_colour(0) : k_soft);
}

}  // namespace

std::string panels_picture(const std::string& title, const std::string& note,
                           const std::vector<std::string>& names,
                           const std::vector<ValuePanel>& panels) {
  const std::size_t across = std::clamp<std::size_t>(panels.size(), 1, 3);
  const std::size_t down = (panels.size() + across - 1) / across;
  const auto count = static_cast<double>(names.size());
  const double row_tall = names.size() > 16 ? 16 : 20;
  double widest = 60;
  for (const std::string& name : names) {
    widest = std::max(widest, std::min(text_width(name, 12), k_most_name));
  }
  const double left = 28 + widest, top = 84, tall = k_head + row_tall * count + k_foot;
  const double width = std::max(left + static_cast<double>(across) * (k_panel + k_gap) + 8,
                                std::max(text_width(note, 12), text_width(title, 17)) + 48);
  Svg svg(width, top + static_cast<double>(down) * tall + 16);
  svg.text(24, 30, title, {.size = 17, .bold = true});
  svg.text(24, 51, note, {.size = 12, .colour = k_soft});
  svg.title_ends(64);
  for (std::size_t m = 0; m < panels.size(); ++m) {
    const ValuePanel& panel = panels[m];
    MULBERRY_ASSERT(panel.rows.size() == names.size());
    const std::size_t line = m / across;
    const double x = left + static_cast<double>(m % across) * (k_panel + k_gap) + 14;
    const double y = top + static_cast<double>(line) * tall;
    svg.text(x, y + 12, fit_text(panel.title, 13, k_panel), {.size = 13, .bold = true});
    const std::vector<double> values = values_of(panel);
    const Axis axis(values, x, x + k_panel - 20, {.log = suits_log(values, k_spread), .pad = 0.08});
    const double bottom = y + k_head + row_tall * (count - 1) + 8;
    for (const auto& [place, words] : axis.ticks(4)) {
      if (values.empty()) break;
      svg.line(place, y + 26, place, bottom, k_grid);
      svg.text(place, bottom + 15, words, {.size = 10, .anchor = Anchor::middle, .colour = k_soft});
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
      const double at = y + k_head - 6 + row_tall * static_cast<double>(k);
      if (m % across == 0) {
        svg.text(left - 4, at + 4, fit_text(names[k], 12, k_most_name),
                 {.size = 12, .anchor = Anchor::end});
      }
      draw_row(svg, panel.rows[k], axis, at, row_tall);
    }
  }
  return svg.finish();
}

}  // namespace mulberry::report
