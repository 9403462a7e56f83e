#include "mulberry/report/label_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/report/draw/axis.hpp"
#include "mulberry/report/draw/svg.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {

namespace {

constexpr double k_bar = 20, k_head = 34, k_gap = 26, k_foot = 24, k_wide = 420, k_left = 24;
constexpr const char* k_grey = "#6b6b76";

bool is_given(const LabelBars& row, Id label) {
  return !row.given.empty() && row.given[at(label)] != 0;
}

}  // namespace

std::vector<Id> strongest_labels(const LabelBars& row, Index most) {
  std::vector<Id> order(row.values.size());
  std::iota(order.begin(), order.end(), Id{0});
  const auto stronger = [&](Id a, Id b) {
    const double x = row.values[at(a)], y = row.values[at(b)];
    return x != y ? x > y : a < b;
  };
  // Given labels first, as far as there is room; then all by strength.
  std::sort(order.begin(), order.end(), [&](Id a, Id b) {
    const bool x = is_given(row, a), y = is_given(row, b);
    return x != y ? x : stronger(a, b);
  });
  if (count_of(order) > most) order.resize(at(std::max<Index>(most, 0)));
  std::sort(order.begin(), order.end(), stronger);
  return order;
}

std::string label_bars(const std::string& title, const std::string& note,
                       const std::vector<std::string>& label_names,
                       const std::vector<LabelBars>& rows, Index most) {
  double names = 60, limit = 1, height = 70;
  std::vector<std::vector<Id>> shown;
  for (const LabelBars& row : rows) {
    shown.push_back(strongest_labels(row, most));
    for (const Id l : shown.back()) {
      names = std::max(names, std::min(text_width(label_names[at(l)], 12), 220.0) + 14);
      limit = std::max(limit, std::abs(row.values[at(l)]));
    }
    height += k_head + k_bar * static_cast<double>(shown.back().size()) + k_foot + k_gap;
  }
  const double left = k_left + names, zero = left + k_wide / 2;
  const auto place = [&](double v) { return zero + v / limit * k_wide / 2; };
  Svg svg(left + k_wide + 70, height);
  svg.text(k_left, 30, title, {.size = 17, .bold = true});
  svg.text(k_left, 51, note, {.size = 12, .colour = k_grey});
  svg.title_ends(70);
  double y = 70;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double bottom = y + k_head + k_bar * static_cast<double>(shown[r].size());
    svg.text(k_left, y + 20, rows[r].title, {.size = 13, .bold = true});
    for (const double tick : ticks(-limit, limit, 5)) {
      if (std::abs(tick) > limit) continue;
      svg.line(place(tick), y + k_head, place(tick), bottom, tick == 0 ? "#6b6b76" : "#e3e3e8");
      svg.text(place(tick), bottom + 15, tick_text(tick),
               {.size = 11, .anchor = Anchor::middle, .colour = k_grey});
    }
    double top = y + k_head;
    for (const Id l : shown[r]) {
      const double v = rows[r].values[at(l)], end = place(v);
      const std::string& name = label_names[at(l)];
      const bool given = is_given(rows[r], l);
      svg.text(left - 8, top + k_bar * 0.68, fit_text(name, 12, 220),
               {.size = 12, .anchor = Anchor::end, .bold = given});
      svg.rectangle(std::min(zero, end), top + 3, std::abs(end - zero), k_bar - 6,
                    series_colour(v > 0 ? 0 : 1),
                    fmt::format("{}: {}{}", name, fixed_text(v, 3), given ? ", given" : ""), 2);
      svg.text(left + k_wide + 10, top + k_bar * 0.68, fixed_text(v, 2),
               {.size = 11, .colour = k_grey});
      top += k_bar;
    }
    y = bottom + k_foot + k_gap;
  }
  return svg.finish();
}

}  // namespace mulberry::report
