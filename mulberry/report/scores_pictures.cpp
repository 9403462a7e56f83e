#include "mulberry/report/scores_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/math/statistics/summaries.hpp"
#include "mulberry/report/comparison_report.hpp"
#include "mulberry/report/draw/axis.hpp"
#include "mulberry/report/draw/chart.hpp"
#include "mulberry/report/draw/panels.hpp"
#include "mulberry/report/draw/svg.hpp"

namespace mulberry::report {
namespace {

constexpr std::string_view k_soft = "#6b6b76", k_ink = "#333333";
constexpr double k_most_name = 430, k_name_size = 12;

std::string title_of(const char* what, const Scores& scores) {
  return fmt::format("{}: {}{}", what, scores.measure, scores.higher_is_better ? " ↑" : " ↓");
}

const std::string& learner_name(const Scores& scores, const Verdicts& v, std::size_t place) {
  return scores.learners[v.part.learners[place]];
}

std::string test_note(const Verdicts& v) {
  return fmt::format("{} at level {:g}, {} data sets",
                     v.options.test == PairTest::nemenyi ? "Nemenyi" : "Wilcoxon with Holm",
                     v.options.alpha, v.part.sets.size());
}

// A height for each bar, counted from 0, such that bars of one height do not touch.
std::vector<std::size_t> bar_levels(const std::vector<std::pair<double, double>>& bars) {
  std::vector<std::size_t> out;
  std::vector<double> ends;  // of the last bar of each level; bars come by increasing begin
  for (const auto& [begin, end] : bars) {
    std::size_t level = 0;
    while (level < ends.size() && ends[level] > begin - 6) ++level;
    if (level == ends.size()) ends.push_back(0);
    ends[level] = end;
    out.push_back(level);
  }
  return out;
}

std::string nothing(const std::string& title, const char* why) {
  Svg svg(std::max(text_width(title, 16), text_width(why, 12)) + 60, 80);
  svg.text(24, 30, title, {.size = 16, .bold = true});
  svg.text(24, 56, why, {.size = 12, .colour = k_soft});
  return svg.finish();
}

}  // namespace

std::string critical_difference_picture(const Scores& scores, const Verdicts& v) {
  const std::string title = title_of("Mean ranks", scores);
  if (v.order.size() < 2 || v.part.sets.empty()) {
    return nothing(title, "needs at least two learners with results on a common data set");
  }
  const std::size_t count = v.order.size(), half = (count + 1) / 2;
  double name_room = 80;
  for (std::size_t k = 0; k < count; ++k) {
    name_room = std::max(
        name_room, std::min(text_width(learner_name(scores, v, k), k_name_size), k_most_name));
  }
  name_room += 52;  // the rank next to the name
  const double left = 24 + name_room,
               wide = std::clamp(46.0 * static_cast<double>(count), 420.0, 900.0);
  const double axis_y = 118;
  const std::vector<double> ends = {1.0, static_cast<double>(count)};
  const Axis axis(ends, left + 20, left + 20 + wide, {.pad = 0});

  const bool nemenyi = v.options.test == PairTest::nemenyi;
  const auto groups = v.groups();
  std::vector<std::pair<double, double>> bars;
  for (const auto& [first, last] : groups) {
    bars.emplace_back(axis(v.mean_rank[v.order[first]]) - 4, axis(v.mean_rank[v.order[last]]) + 4);
  }
  const std::vector<std::size_t> levels = bar_levels(bars);
  const std::size_t deepest = levels.empty() ? 0 : *std::ranges::max_element(levels) + 1;
  const double rows_y = axis_y + 16 + 9 * static_cast<double>(deepest) + 14;
  Svg svg(2 * left + 40 + wide, rows_y + 18 * static_cast<double>(half) + 16);
  svg.text(24, 30, title, {.size = 16, .bold = true});
  svg.text(24, 51,
           fmt::format("1 is best; bars join learners of which no two differ ({})", test_note(v)),
           {.size = 12, .colour = k_soft});
  svg.title_ends(60);
  if (nemenyi) {
    const double length = axis(1 + v.critical_difference) - axis(1);
    svg.line(axis(1), 84, axis(1) + length, 84, k_ink, 2);
    for (const double x : {axis(1), axis(1) + length}) svg.line(x, 80, x, 88, k_ink, 2);
    svg.text(axis(1) + length + 8, 88,
             fmt::format("critical difference {:.2f}", v.critical_difference),
             {.size = 11, .colour = k_soft});
  }
  svg.line(axis(1), axis_y, axis(static_cast<double>(count)), axis_y, k_ink, 1.5);
  std::vector<double> marks;
  for (double r = 1; r <= static_cast<double>(count); ++r) marks.push_back(r);
  if (count > 20) {
    std::erase_if(marks, [&](double r) { return r != 1 && std::fmod(r, 5) != 0; });
  }
  for (const double r : marks) {
    svg.line(axis(r), axis_y - 6, axis(r), axis_y, k_ink, 1.5);
    svg.text(axis(r), axis_y - 10, tick_text(r), {.size = 11, .anchor = Anchor::middle});
  }
  // The better half stands to the left, its best at the top; the other half to the right, its worst
  // at the top: so no two lines cross.
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t place = v.order[k];
    const bool is_left = k < half;
    const double x = axis(v.mean_rank[place]);
    const double y = rows_y + 18 * static_cast<double>(is_left ? k : count - 1 - k);
    const double end = is_left ? left : left + 40 + wide;
    svg.path({{x, axis_y}, {x, y}, {end, y}}, "#8a8a94", 1);
    const std::string& name = learner_name(scores, v, place);
    const std::string shown = fit_text(name, k_name_size, k_most_name);
    const std::string rank = fmt::format("{:.2f}", v.mean_rank[place]);
    const Anchor anchor = is_left ? Anchor::end : Anchor::start;
    const double sign = is_left ? -1 : 1;
    svg.text(end + sign * 4, y + 4, rank, {.size = 11, .anchor = anchor, .colour = k_soft});
    svg.text(end + sign * 40, y + 4, shown,
             {.size = k_name_size, .anchor = anchor, .bold = k == 0});
    svg.circle(x, axis_y, 3, k == 0 ? series_colour(0) : k_ink, name + ": " + rank);
  }
  for (std::size_t b = 0; b < bars.size(); ++b) {
    const double y = axis_y + 16 + 9 * static_cast<double>(levels[b]);
    svg.line(bars[b].first, y, bars[b].second, y, series_colour(0), 4);
  }
  return svg.finish();
}

std::string win_tie_loss_picture(const Scores& scores, const Verdicts& v) {
  const std::string title = title_of("Wins, ties and losses", scores);
  if (v.order.size() < 2 || v.part.sets.empty()) {
    return nothing(title, "needs at least two learners with results on a common data set");
  }
  const Index count = count_of(v.order);
  HeatMap map{
      .title = title,
      .note = fmt::format("row against column; colour: wins minus losses; dot: the two differ ({})",
                          test_note(v)),
      .values = Matrix(count, count, std::nan("")),
      .limit = static_cast<double>(v.part.sets.size()),
      .numbers = true,
      .digits = 0,
      .name_room = k_most_name};
  for (Index i = 0; i < count; ++i) {
    const std::size_t a = v.order[at(i)];
    // Long names would fill half of the picture above the columns.
    map.row_names.push_back(fmt::format("{}  {}", learner_name(scores, v, a), i + 1));
    map.column_names.push_back(std::to_string(i + 1));
    for (Index j = 0; j < count; ++j) {
      const std::size_t b = v.order[at(j)];
      const double won = v.wins(static_cast<Index>(a), static_cast<Index>(b));
      const double lost = v.wins(static_cast<Index>(b), static_cast<Index>(a));
      const double tied = static_cast<double>(v.part.sets.size()) - won - lost;
      if (i != j) map.values(i, j) = won - lost;
      map.words.push_back(i == j ? "" : fmt::format("{:.0f}/{:.0f}/{:.0f}", won, tied, lost));
      map.dots.push_back(i != j && v.differ(a, b) ? 1 : 0);
    }
  }
  return heat_map(map);
}

std::string boxes_picture(const Scores& scores, const Verdicts& v) {
  constexpr std::size_t k_least_for_box = 5;
  std::vector<std::size_t> learners;  // by mean rank, then those without one
  for (const std::size_t place : v.order) learners.push_back(v.part.learners[place]);
  for (std::size_t k = 0; k < scores.learners.size(); ++k) {
    if (std::ranges::find(learners, k) == learners.end()) learners.push_back(k);
  }
  std::vector<std::string> names;
  for (const std::size_t k : learners) names.push_back(scores.learners[k]);
  std::vector<ValuePanel> panels;
  bool boxes = false;
  for (std::size_t s = 0; s < scores.sets.size(); ++s) {
    const SetScores& set = scores.sets[s];
    ValuePanel& panel = panels.emplace_back();
    panel.title = set.name;
    for (const std::size_t k : learners) {
      const ScoreCell& cell = set.cells[k];
      PanelRow& row = panel.rows.emplace_back();
      if (cell.status == CellStatus::over_limit || cell.status == CellStatus::failed) {
        row.words = name_of(cell.status);
      }
      std::vector<double> values;
      if (cell.status == CellStatus::measured) {
        std::ranges::copy_if(cell.values, std::back_inserter(values),
                             [](double x) { return std::isfinite(x); });
      }
      if (values.empty()) continue;
      std::ranges::sort(values);
      row.best = v.sets[s].best == static_cast<Index>(k);
      row.tip = fmt::format("{}: {}", scores.learners[k],
                            estimate_text({.mean = mean(cell),
                                           .deviation = deviation(cell),
                                           .low = std::nan(""),
                                           .high = std::nan("")}));
      row.middle = sorted_quantile(values, 0.5);
      row.low = values.front();
      row.high = values.back();
      if (values.size() < k_least_for_box) {
        row.dots = values;
        continue;
      }
      boxes = true;
      row.box_low = sorted_quantile(values, 0.25);
      row.box_high = sorted_quantile(values, 0.75);
      // Whiskers reach to the last value within one and a half boxes; values beyond are dots.
      const double reach = 1.5 * (row.box_high - row.box_low);
      row.low = *std::ranges::find_if(values, [&](double x) { return x >= row.box_low - reach; });
      row.high = *std::find_if(values.rbegin(), values.rend(),
                               [&](double x) { return x <= row.box_high + reach; });
      for (const double x : values) {
        if (x < row.low || x > row.high) row.dots.push_back(x);
      }
    }
  }
  return panels_picture(
      title_of("Values over splits", scores),
      boxes ? "box: quartiles and median, line: values within 1.5 boxes, dots: others; coloured: "
              "best mean"
            : "small dots: single splits, large dot: median, line: range; coloured: best mean",
      names, panels);
}

}  // namespace mulberry::report
