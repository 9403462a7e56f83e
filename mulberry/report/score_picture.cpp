#include "mulberry/report/score_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/measures/curves.hpp"
#include "mulberry/report/draw/axis.hpp"
#include "mulberry/report/draw/svg.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {
namespace {

constexpr std::string_view k_grid = "#e6e6ea", k_axis = "#8a8a94", k_soft = "#6b6b76";
constexpr double k_row = 18, k_top = 104, k_bars = 260, k_most_name = 220;
constexpr double k_small = 118, k_small_gap = 34, k_small_head = 18, k_small_foot = 26;
constexpr Index k_across = 4;

// Curves of large data have more points than a screen: those nearest to even steps of recall stay.
std::vector<Point> thinned(const std::vector<CurvePoint>& curve, const Axis& x, const Axis& y) {
  constexpr double k_finest = 0.004;
  std::vector<Point> out;
  double last = -1;
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const bool end = k + 1 == curve.size();
    if (!end && k > 0 && curve[k].recall - last < k_finest) continue;
    last = curve[k].recall;
    out.emplace_back(x(curve[k].recall), y(curve[k].precision));
  }
  return out;
}

void draw_curve(Svg& svg, const LabelLine& line, const std::string& name,
                const std::vector<CurvePoint>& curve, double left, double top) {
  const std::vector<double> unit = {0, 1};
  const Axis x(unit, left, left + k_small, {.pad = 0});
  const Axis y(unit, top + k_small_head + k_small, top + k_small_head, {.pad = 0});
  const std::string area = fmt::format("{:.2f}", area_below(curve));
  svg.text(left, top + 11, fit_text(name, 11, k_small - 42), {.size = 11, .bold = true});
  svg.text(left + k_small, top + 11, area, {.size = 11, .anchor = Anchor::end, .colour = k_soft});
  for (const double v : {0.0, 0.5, 1.0}) {
    svg.line(x(0), y(v), x(1), y(v), v == 0 ? k_axis : k_grid);
    svg.line(x(v), y(0), x(v), y(1), v == 0 ? k_axis : k_grid);
    svg.text(x(v), y(0) + 13, tick_text(v),
             {.size = 9, .anchor = Anchor::middle, .colour = k_soft});
    svg.text(x(0) - 4, y(v) + 3, tick_text(v),
             {.size = 9, .anchor = Anchor::end, .colour = k_soft});
  }
  const double share = static_cast<double>(line.support) / static_cast<double>(line.observed);
  svg.path({{x(0), y(share)}, {x(1), y(share)}}, k_axis, 1, true);
  svg.path(thinned(curve, x, y), series_colour(0), 1.8);
  if (std::isfinite(line.precision) && std::isfinite(line.recall) && line.decided > 0) {
    svg.circle(x(line.recall), y(line.precision), 3.5, series_colour(2),
               fmt::format("{}: precision {:.3f} and recall {:.3f} as decided", name,
                           line.precision, line.recall));
  }
}

}  // namespace

std::string score_picture(const std::string& title, const Labels& truth, const Outcome& outcome,
                          const std::vector<std::string>& label_names,
                          const MeasureOptions& options, const Context& ctx, Index most,
                          Index curves) {
  std::vector<LabelLine> lines = label_table(truth, outcome, options, ctx);
  const Index all = count_of(lines);
  lines.resize(at(std::min(all, most)));
  const bool decided = outcome.decided != nullptr;
  std::vector<std::pair<const LabelLine*, std::vector<CurvePoint>>> drawn;
  for (const LabelLine& line : lines) {
    if (count_of(drawn) == curves) break;
    auto curve = precision_recall(truth, outcome, line.label);
    if (!curve.empty()) drawn.emplace_back(&line, std::move(curve));
  }
  double names = 60;
  for (const LabelLine& line : lines) {
    names = std::max(names, std::min(text_width(label_names[at(line.label)], 12), k_most_name));
  }
  const double left = 24 + names + 12, curves_left = left + k_bars + 128;
  const Index lines_of_curves = (count_of(drawn) + k_across - 1) / k_across;
  const auto down = static_cast<double>(lines_of_curves);
  const double step = k_small + k_small_head + k_small_foot;
  const double width =
      drawn.empty() ? left + k_bars + 90
                    : curves_left + (k_small + k_small_gap) *
                                        static_cast<double>(std::min(count_of(drawn), k_across));
  const double rows_end = k_top + k_row * static_cast<double>(lines.size());
  Svg svg(std::max(width, text_width(title, 17) + 48),
          std::max(rows_end + 40, k_top + step * down + 12));
  svg.text(24, 30, title, {.size = 17, .bold = true});
  svg.text(24, 51,
           fmt::format("{} rows, {} labels, worst first{}", truth.rows(), all,
                       count_of(lines) < all ? fmt::format("; the {} worst", lines.size()) : ""),
           {.size = 12, .colour = k_soft});

  const std::vector<double> unit = {0, 1};
  const Axis x(unit, left, left + k_bars, {.pad = 0});
  double key = left;
  const auto explain = [&](const char* words, std::size_t series) {
    svg.circle(key + 4, k_top - 26, 4, series_colour(series));
    svg.text(key + 12, k_top - 22, words, {.size = 11});
    key += text_width(words, 11) + 28;
  };
  if (decided) {
    explain("F1", 0);
    explain("precision", 1);
    explain("recall", 2);
  } else {
    explain("AUC", 0);
  }
  svg.text(left + k_bars + 44, k_top - 22, "rows with it",
           {.size = 11, .anchor = Anchor::middle, .colour = k_soft});
  for (const auto& [place, words] : x.ticks(4)) {
    svg.line(place, k_top - 10, place, rows_end, k_grid);
    svg.text(place, rows_end + 15, words, {.size = 10, .anchor = Anchor::middle, .colour = k_soft});
  }
  double y = k_top;
  for (const LabelLine& line : lines) {
    const std::string& name = label_names[at(line.label)];
    const double middle = y + k_row / 2 - 4, value = decided ? line.f1 : line.auc;
    svg.text(left - 10, middle + 4, fit_text(name, 12, k_most_name),
             {.size = 12, .anchor = Anchor::end});
    if (std::isfinite(value)) {
      svg.rectangle(x(0), middle - 5, x(value) - x(0), 10, "#dcb3cd",
                    fmt::format("{}: {} {:.3f}", name, decided ? "F1" : "AUC", value), 2);
      svg.circle(x(value), middle, 4, series_colour(0));
    } else {
      svg.text(x(0) + 4, middle + 4, "no value", {.size = 10, .colour = k_soft});
    }
    if (decided && std::isfinite(line.precision)) {
      svg.circle(x(line.precision), middle, 3, series_colour(1),
                 fmt::format("{}: precision {:.3f}", name, line.precision));
    }
    if (decided && std::isfinite(line.recall)) {
      svg.circle(x(line.recall), middle, 3, series_colour(2),
                 fmt::format("{}: recall {:.3f}", name, line.recall));
    }
    svg.text(left + k_bars + 66, middle + 4, std::to_string(line.support),
             {.size = 11, .anchor = Anchor::end, .colour = k_soft});
    y += k_row;
  }
  if (!drawn.empty()) {
    svg.text(curves_left, k_top - 40, "precision (up) against recall (right)",
             {.size = 13, .bold = true});
    svg.text(
        curves_left, k_top - 22,
        fmt::format("number: area; dashed: share of rows{}", decided ? "; dot: as decided" : ""),
        {.size = 11, .colour = k_soft});
  }
  for (Index k = 0; k < count_of(drawn); ++k) {
    const auto& [line, curve] = drawn[at(k)];
    const Index across = k % k_across, above = k / k_across;
    draw_curve(svg, *line, label_names[at(line->label)], curve,
               curves_left + (k_small + k_small_gap) * static_cast<double>(across),
               k_top - 8 + step * static_cast<double>(above));
  }
  return svg.finish();
}

}  // namespace mulberry::report
