#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/report/draw/chart.hpp"
#include "mulberry/report/draw/colour_bar.hpp"
#include "mulberry/report/draw/svg.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {
namespace {

constexpr std::string_view k_soft = "#6b6b76";

// The value that colours a cell; NaN: no colour.
Matrix shades(const HeatMap& map) {
  Matrix out = map.values;
  for (Index i = 0; map.row_shares && i < out.rows(); ++i) {
    const auto row = out.row(i);
    double sum = 0;
    for (const double v : row) sum += std::isfinite(v) ? v : 0;
    for (double& v : row) v = sum > 0 ? v / sum : 0;
  }
  return out;
}

std::string cell_text(const HeatMap& map, Index i, Index j) {
  if (!map.words.empty()) return map.words[at(i * map.values.cols() + j)];
  const double v = map.values(i, j);
  return std::isfinite(v) ? fixed_text(v, map.digits) : "";
}

constexpr double k_least_size = 7;  // of any text

// Positions of the parts of one map, relative to its upper left corner.
struct Layout {
  double cell = 0, size = 0;     // of a cell, of letters
  double left = 0, top = 0;      // of the cells
  double above = 0;              // height of the columns' names
  double number_size = 0;        // of letters within cells; 0: they do not fit
  double width = 0, height = 0;  // of everything

  explicit Layout(const HeatMap& map) {
    const Index rows = map.values.rows(), columns = map.values.cols();
    MULBERRY_ASSERT(count_of(map.row_names) == rows);
    MULBERRY_ASSERT(count_of(map.column_names) == columns);
    const Index most = std::max<Index>({rows, columns, 1});
    cell = std::clamp(620.0 / static_cast<double>(most), 9.0, 48.0);
    size = std::clamp(cell * 0.62, 7.0, 12.0);
    left = 60;
    above = 24;
    for (const std::string& name : map.row_names) {
      left = std::max(left, std::min(text_width(name, size), map.name_room) + 24);
    }
    for (const std::string& name : map.column_names) {
      above = std::max(above, std::min(text_width(name, size), map.name_room) + 14);
    }
    if (!map.row_title.empty()) left += 22;
    top = (map.note.empty() ? 44 : 66) + (map.column_title.empty() ? 0 : 22) + above;
    const double words = std::max(text_width(map.title, 16), text_width(map.note, 12));
    width = std::max(left + cell * static_cast<double>(columns) + 22 + k_bar_room, words + 60);
    height = top + std::max(cell * static_cast<double>(rows), k_bar_tall + 30) + 24;
    // All numbers or none: a cell without one would look like a cell without a value.
    double widest = 0;
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        widest = std::max(widest, text_width(cell_text(map, i, j), 1));
      }
    }
    if (map.numbers && widest > 0) number_size = std::min(size, (cell - 4) / widest);
    if (number_size < k_least_size) number_size = 0;
  }
};

void draw(Svg& svg, const HeatMap& map, const Layout& at, double x0, double y0) {
  const Index rows = map.values.rows(), columns = map.values.cols();
  const Matrix shade = shades(map);
  double limit = map.row_shares ? 1 : map.limit;
  for (const double v : shade.values()) {
    if (!map.row_shares && map.limit <= 0 && std::isfinite(v)) limit = std::max(limit, std::abs(v));
  }
  if (!(limit > 0)) limit = 1;
  const double left = x0 + at.left, top = y0 + at.top, cell = at.cell, size = at.size;
  const double wide = cell * static_cast<double>(columns), tall = cell * static_cast<double>(rows);
  svg.text(x0 + 24, y0 + 28, map.title, {.size = 16, .bold = true});
  if (!map.note.empty()) svg.text(x0 + 24, y0 + 48, map.note, {.size = 12, .colour = k_soft});
  if (!map.column_title.empty()) {
    svg.text(left + wide / 2, top - at.above - 4, map.column_title,
             {.size = 13, .anchor = Anchor::middle});
  }
  if (!map.row_title.empty()) {
    svg.text(x0 + 20, top + tall / 2, map.row_title,
             {.size = 13, .anchor = Anchor::middle, .rotate = -90});
  }

  const auto colour = [&](double v) {
    return map.diverging ? diverging_colour(v / limit) : sequential_colour(v / limit);
  };
  const double gap = cell > 14 ? 1 : 0.4;
  for (Index i = 0; i < rows; ++i) {
    const double y = top + cell * static_cast<double>(i);
    const std::string& row_name = map.row_names[core::at(i)];
    svg.text(left - 8, y + cell / 2 + size * 0.36, fit_text(row_name, size, map.name_room),
             {.size = size, .anchor = Anchor::end});
    for (Index j = 0; j < columns; ++j) {
      const double v = map.values(i, j);
      const double x = left + cell * static_cast<double>(j);
      const std::string fill = std::isfinite(v) ? colour(shade(i, j)) : "#f1f1f3";
      const std::string words = cell_text(map, i, j);
      svg.rectangle(x, y, cell - gap, cell - gap, fill,
                    row_name + " / " + map.column_names[core::at(j)] + ": " +
                        (words.empty() ? "nothing" : words));
      const std::string_view ink = is_dark(fill) ? "#ffffff" : "#333333";
      if (at.number_size > 0 && !words.empty()) {
        svg.text(x + (cell - gap) / 2, y + cell / 2 + at.number_size * 0.36, words,
                 {.size = at.number_size, .anchor = Anchor::middle, .colour = ink});
      }
      if (!map.dots.empty() && map.dots[core::at(i * columns + j)] != 0) {
        const double r = std::clamp(cell / 14, 1.2, 2.5);
        svg.circle(x + cell - gap - 1.8 * r, y + 1.8 * r, r, ink);
      }
    }
  }
  for (Index j = 0; j < columns; ++j) {
    const double x = left + cell * (static_cast<double>(j) + 0.5) + size * 0.36;
    svg.text(x, top - 8, fit_text(map.column_names[core::at(j)], size, map.name_room),
             {.size = size, .rotate = -90});
  }

  draw_colour_bar(svg, left + wide + 22, top, map.diverging ? -limit : 0, limit, colour);
}

}  // namespace

std::string heat_map(const HeatMap& map) {
  const Layout layout(map);
  Svg svg(layout.width, layout.height);
  svg.title_ends(map.note.empty() ? 36 : 0);
  draw(svg, map, layout, 0, 0);
  return svg.finish();
}

std::string heat_maps(const std::string& title, const std::vector<HeatMap>& maps) {
  constexpr double k_widest = 1500;  // of a line of maps, unless a single one is wider
  std::vector<Layout> layouts;
  std::vector<Point> places;
  double x = 0, y = 40, line = 0, width = text_width(title, 18) + 48;
  for (const HeatMap& map : maps) {
    const Layout& layout = layouts.emplace_back(map);
    if (x > 0 && x + layout.width > k_widest) {
      y += line + 12;
      x = line = 0;
    }
    places.emplace_back(x, y);
    x += layout.width;
    line = std::max(line, layout.height);
    width = std::max(width, x);
  }
  Svg svg(width, y + line);
  svg.text(24, 30, title, {.size = 18, .bold = true});
  svg.title_ends(40);
  for (std::size_t k = 0; k < maps.size(); ++k) {
    draw(svg, maps[k], layouts[k], places[k].first, places[k].second);
  }
  return svg.finish();
}

}  // namespace mulberry::report
