#include "mulberry/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/report/svg.hpp"

namespace mulberry::report {
namespace {

constexpr std::string_view k_grid = "#e6e6ea", k_axis = "#8a8a94", k_soft = "#6b6b76";

struct Span {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double v) {
    if (!std::isfinite(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  void add_all(const std::vector<double>& values) {
    for (const double v : values) add(v);
  }
  // An empty range or a single value still needs an axis.
  void widen() {
    if (low > high) low = 0, high = 1;
    const double pad = high > low ? (high - low) * 0.04 : std::max(std::abs(high) * 0.1, 1e-9);
    low -= pad;
    high += pad;
  }
};

// From numbers to pixels.
struct Axis1 {
  double low, high, from, to;
  double operator()(double v) const { return from + (v - low) / (high - low) * (to - from); }
};

// Logarithms of 1, 2 and 5 times the powers of ten, or of the powers only if there are many.
std::vector<double> log_ticks(double low, double high) {
  std::vector<double> out;
  for (double power = std::floor(low); power <= high; ++power) {
    for (const double lead : {1.0, 2.0, 5.0}) {
      const double v = power + std::log10(lead);
      if (v >= low && v <= high && (lead == 1 || high - low < 4)) out.push_back(v);
    }
  }
  return out;
}

}  // namespace

std::vector<double> ticks(double low, double high, int count) {
  if (!(high > low)) return {low};
  const double raw = (high - low) / count, power = std::pow(10.0, std::floor(std::log10(raw)));
  const double lead = raw / power;
  const double step = (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
  std::vector<double> out;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) {
    out.push_back(k == 0 ? 0.0 : k * step);
  }
  return out;
}

std::string tick_text(double value) { return fmt::format("{:.6g}", value); }

std::string line_chart(const LineChart& chart) {
  const auto place = [&](double x) { return chart.log_x ? std::log10(x) : x; };
  Span xs, ys;
  double legend = 0;
  for (const Series& s : chart.series) {
    MULBERRY_ASSERT(s.x.size() == s.y.size());
    MULBERRY_ASSERT(s.low.size() == s.high.size());
    for (const double x : s.x) xs.add(place(x));
    ys.add_all(s.y);
    ys.add_all(s.low);
    ys.add_all(s.high);
    legend = std::max(legend, text_width(s.name, 12));
  }
  xs.widen();
  ys.widen();
  const bool has_legend = chart.series.size() > 1;
  const double left = 76, top = 52, wide = 560, tall = 320;
  Svg svg(left + wide + (has_legend ? std::min(legend, 260.0) + 50 : 24), top + tall + 58);
  svg.text(left, 28, chart.title, {.size = 16, .bold = true});
  const Axis1 ax{xs.low, xs.high, left, left + wide}, ay{ys.low, ys.high, top + tall, top};

  for (const double v : ticks(ys.low, ys.high, 6)) {
    svg.line(left, ay(v), left + wide, ay(v), k_grid);
    svg.text(left - 8, ay(v) + 4, tick_text(v),
             {.size = 11, .anchor = Anchor::end, .colour = k_soft});
  }
  const std::vector<double> x_ticks =
      chart.log_x ? log_ticks(xs.low, xs.high) : ticks(xs.low, xs.high, 7);
  for (const double v : x_ticks) {
    svg.line(ax(v), top + tall, ax(v), top + tall + 5, k_axis);
    svg.text(ax(v), top + tall + 20, tick_text(chart.log_x ? std::pow(10.0, v) : v),
             {.size = 11, .anchor = Anchor::middle, .colour = k_soft});
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
      upper.emplace_back(ax(place(s.x[i])), ay(s.high[i]));
      lower.emplace_back(ax(place(s.x[i])), ay(s.low[i]));
    }
    if (upper.size() > 1) {
      upper.insert(upper.end(), lower.rbegin(), lower.rend());
      svg.band(upper, colour, 0.14);
    }
    for (std::size_t i = 0; i <= s.x.size(); ++i) {
      if (i < s.x.size() && std::isfinite(place(s.x[i])) && std::isfinite(s.y[i])) {
        run.emplace_back(ax(place(s.x[i])), ay(s.y[i]));
        continue;
      }
      if (run.size() > 1) svg.path(run, colour);
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
