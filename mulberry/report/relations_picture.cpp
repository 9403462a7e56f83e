// The pictures of relations_report.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/report/describe_picture.hpp"
#include "mulberry/report/draw/colour_bar.hpp"
#include "mulberry/report/draw/svg.hpp"
#include "mulberry/report/relations_report.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {
namespace {

// Larger scores look the same: labels that nearly always agree have very large ones, which would
// hide everything else.
constexpr double k_full = 1;

// How strongly two labels are related, in either direction; 0 if not known.
double strength(MatrixView score, Index i, Index j) {
  const double a = std::abs(score(i, j)), b = std::abs(score(j, i));
  return std::max(std::isfinite(a) ? a : 0.0, std::isfinite(b) ? b : 0.0);
}

// The labels with the strongest relations, ordered so that groups are adjacent.
std::vector<Id> chosen_labels(const Relations& r, Index most) {
  const Index n = r.score.rows();
  std::vector<double> best(at(n), 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (i != j) best[at(i)] = std::max(best[at(i)], strength(r.score, i, j));
    }
  }
  std::vector<Id> labels(at(n));
  std::iota(labels.begin(), labels.end(), 0);
  std::stable_sort(labels.begin(), labels.end(),
                   [&](Id a, Id b) { return best[at(a)] > best[at(b)]; });
  labels.resize(std::min(labels.size(), at(most)));
  std::sort(labels.begin(), labels.end());
  const auto count = count_of(labels);
  Matrix similar(count, count);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < count; ++j)
      similar(i, j) = strength(r.score, labels[at(i)], labels[at(j)]);
  }
  std::vector<Id> out;
  for (const Id k : order_by_similarity(similar)) out.push_back(labels[at(k)]);
  return out;
}

constexpr double k_note = 11;       // size of a note
constexpr double k_least_size = 7;  // of any text

struct Panel {
  const char* title;
  std::string note;
  MatrixView values;
  const char* between;  // of two names in a tip

  double limit = 0.02;       // the value of full colour
  bool beyond = false;       // there are larger ones
  bool negative = false;     // there are values below 0
  double widest_number = 0;  // in text of size 1

  Panel(const char* name, const char* what, MatrixView of, const char* word,
        const std::vector<Id>& order)
      : title(name), values(of), between(word) {
    bool all_known = true;
    for (const Id a : order) {
      for (const Id b : order) {
        if (a == b) continue;
        const double v = of(a, b);
        all_known = all_known && std::isfinite(v);
        if (!std::isfinite(v)) continue;
        limit = std::max(limit, std::abs(v));
        negative = negative || v < 0;
        widest_number = std::max(widest_number, text_width(fixed_text(v, 2), 1));
      }
    }
    beyond = limit > k_full + 1e-9;
    limit = std::min(limit, k_full);
    note = fmt::format("{}{}", what, all_known ? "" : "; grey: not known");
  }
};

void draw(Svg& svg, const Relations& r, const std::vector<Id>& order, const Panel& panel,
          double left, double top, double cell, double room) {
  const double size = std::clamp(cell * 0.6, k_least_size, 12.0);
  // All numbers or none: a cell without one would look like a cell without a value.
  const double number_size =
      panel.widest_number > 0 ? std::min(size, (cell - 4) / panel.widest_number) : 0;
  svg.text(left, top - room - 26, panel.title, {.size = 15, .bold = true});
  svg.text(left, top - room - 8, panel.note, {.size = k_note, .colour = "#6b6b76"});
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double y = top + cell * static_cast<double>(i);
    const std::string& name = r.names[at(order[i])];
    svg.text(left - 6, y + cell / 2 + size * 0.36, fit_text(name, size, room),
             {.size = size, .anchor = Anchor::end});
    svg.text(left + cell * (static_cast<double>(i) + 0.5) + size * 0.36, top - 6,
             fit_text(name, size, room - 10), {.size = size, .rotate = -90});
    for (std::size_t j = 0; j < order.size(); ++j) {
      const double v = panel.values(order[i], order[j]);
      const double x = left + cell * static_cast<double>(j);
      const std::string fill = i == j ? "#d9d9de"
                               : std::isfinite(v)
                                   ? diverging_colour(std::clamp(v / panel.limit, -1.0, 1.0))
                                   : "#f4f4f6";
      svg.rectangle(x, y, cell - 0.6, cell - 0.6, fill,
                    fmt::format("{} {} {}: {}", r.names[at(order[j])], panel.between, name,
                                std::isfinite(v) ? fixed_text(v, 2) : "not known"));
      if (i != j && std::isfinite(v) && number_size >= k_least_size) {
        svg.text(x + cell / 2, y + cell / 2 + number_size * 0.36, fixed_text(v, 2),
                 {.size = number_size,
                  .anchor = Anchor::middle,
                  .colour = is_dark(fill) ? "#ffffff" : "#333333"});
      }
    }
  }
  draw_colour_bar(
      svg, left + cell * static_cast<double>(order.size()) + 14, top,
      panel.negative ? -panel.limit : 0, panel.limit,
      [&](double v) { return diverging_colour(v / panel.limit); }, panel.beyond);
}

struct Vec {
  double x, y;
};

// A bent arrow from one dot to another.
struct Bow {
  Vec from, bend, to;
  std::string colour = {};
  double width = 1;
  bool dashed = false;
  double back = 0;        // how far before the dot the head ends
  std::size_t arrow = 0;  // its place in the list

  double head() const { return 6 + 1.6 * width; }
  Vec along(double t) const {
    const double a = (1 - t) * (1 - t), b = 2 * t * (1 - t), c = t * t;
    return {a * from.x + b * bend.x + c * to.x, a * from.y + b * bend.y + c * to.y};
  }
  // The share of the curve that is `distance` before its end; its speed there is twice the distance
  // to the bend.
  double before_end(double distance) const {
    return 1 - distance / (2 * std::hypot(to.x - bend.x, to.y - bend.y));
  }
};

constexpr double k_dot_gap = 7;  // the radius of a dot and a little more

// Several arrows that end at one dot would hide each other's heads: a head that would lie on an
// earlier one moves back along its arrow.
void spread_heads(std::vector<Bow>& bows) {
  constexpr int k_most_steps = 12;
  std::vector<std::pair<Vec, double>> taken;
  for (Bow& bow : bows) {
    const auto middle = [&](int step) {
      return bow.along(bow.before_end(k_dot_gap + bow.head() * (0.5 + 0.6 * step)));
    };
    const auto is_free = [&](Vec place) {
      return std::none_of(taken.begin(), taken.end(), [&](const auto& other) {
        return std::hypot(other.first.x - place.x, other.first.y - place.y) <
               0.55 * (other.second + bow.head());
      });
    };
    int step = 0;
    while (step < k_most_steps && !is_free(middle(step))) ++step;
    if (step == k_most_steps) step = 0;
    bow.back = 0.6 * bow.head() * step;
    taken.emplace_back(middle(step), bow.head());
  }
}

void draw_line(Svg& svg, const Bow& bow) {
  const double leaving = 2 * std::hypot(bow.bend.x - bow.from.x, bow.bend.y - bow.from.y);
  const double start = k_dot_gap / leaving;
  const double stop = bow.before_end(k_dot_gap + (bow.back > 0 ? 0 : 0.8 * bow.head()));
  std::vector<Point> points;
  constexpr int k_steps = 20;
  for (int k = 0; k <= k_steps; ++k) {
    const Vec p = bow.along(start + (stop - start) * k / k_steps);
    points.emplace_back(p.x, p.y);
  }
  svg.path(points, bow.colour, bow.width, bow.dashed);
}

void draw_head(Svg& svg, const Bow& bow) {
  const double size = bow.head();
  const Vec tip = bow.along(bow.before_end(k_dot_gap + bow.back));
  const Vec neck = bow.along(bow.before_end(k_dot_gap + bow.back + size));
  const double dx = tip.x - neck.x, dy = tip.y - neck.y, length = std::hypot(dx, dy);
  const double ux = dx / length, uy = dy / length;
  svg.band({{tip.x, tip.y},
            {tip.x - size * ux - 0.45 * size * uy, tip.y - size * uy + 0.45 * size * ux},
            {tip.x - size * ux + 0.45 * size * uy, tip.y - size * uy - 0.45 * size * ux}},
           bow.colour, 1);
}

constexpr double k_level_names = 24;  // more names are set like spokes, so that they do not meet

// The name next to a dot of the circle, level or like a spoke.
void draw_name(Svg& svg, const std::string& name, Vec centre, double radius, double angle,
               double room, bool spokes) {
  const double away = radius + 12, x = away * std::sin(angle), y = -away * std::cos(angle);
  const std::string words = fit_text(name, 12, room);
  if (spokes) {
    const bool right = angle < std::numbers::pi;  // read from the circle outwards, else inwards
    const double turn = angle * 180 / std::numbers::pi + (right ? -90 : 90);
    svg.text(centre.x + x + 4 * std::cos(angle) * (right ? 1 : -1),
             centre.y + y + 4 * std::sin(angle) * (right ? 1 : -1), words,
             {.size = 12, .anchor = right ? Anchor::start : Anchor::end, .rotate = turn});
    return;
  }
  const Anchor anchor = std::abs(x) < 0.2 * radius ? Anchor::middle
                        : x > 0                    ? Anchor::start
                                                   : Anchor::end;
  const double down = anchor != Anchor::middle ? 4.0 : y > 0 ? 12.0 : -2.0;
  svg.text(centre.x + x, centre.y + y + down, words, {.size = 12, .anchor = anchor});
}

}  // namespace

std::string relations_picture(const Relations& r, Index most) {
  const std::vector<Id> order = chosen_labels(r, most);
  std::vector<Panel> panels;
  panels.emplace_back("Reuse scores", "a row learns, a column helps", r.score, "helps", order);
  if (r.phi.size() > 0)
    panels.emplace_back("Correlation (phi)", "over the rows of the data", r.phi, "and", order);
  if (r.co_occurrence.size() > 0) {
    panels.emplace_back("Co-occurrence", "share of the row's examples that also have the column",
                        r.co_occurrence, "with", order);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(order.size(), 1));
  const double cell = std::clamp(420 / count, 9.0, 44.0);
  double room = 60;
  for (const Id l : order)
    room = std::max(room, std::min(150.0, text_width(r.names[at(l)], 12) + 12));
  double width = cell * count + 14 + k_bar_room;
  for (const Panel& panel : panels) width = std::max(width, text_width(panel.note, k_note));
  const double step = width + room + 40;
  Svg svg(step * static_cast<double>(panels.size()) + 20,
          std::max(cell * count, k_bar_tall) + room + 90);
  for (std::size_t p = 0; p < panels.size(); ++p) {
    draw(svg, r, order, panels[p], room + 20 + step * static_cast<double>(p), room + 60, cell,
         room);
  }
  return svg.finish();
}

std::string relations_graph(const Relations& r, const std::vector<Arrow>& arrows) {
  std::vector<char> used(r.names.size(), 0);
  double largest = 1e-12;
  for (const Arrow& arrow : arrows) {
    used[at(arrow.helper)] = used[at(arrow.learner)] = 1;
    largest = std::min(std::max(largest, std::abs(arrow.score)), k_full);
  }
  std::vector<Id> order = chosen_labels(r, r.score.rows());
  std::erase_if(order, [&](Id l) { return used[at(l)] == 0; });
  const auto count = static_cast<double>(order.size());
  const bool spokes = count > k_level_names;
  const double room = 150, radius = std::max(std::clamp(14 * count, 130.0, 420.0), 2.4 * count);
  const Vec centre{radius + room + 20, radius + (spokes ? room + 80 : 110)};
  Svg svg(2 * centre.x, arrows.empty() ? 130 : centre.y + radius + (spokes ? room + 20 : 50));
  svg.text(24, 30, "Which label helps which", {.size = 16, .bold = true});
  svg.title_ends(76);
  const TextStyle soft{.size = 12, .colour = "#6b6b76"};
  svg.text(24, 50, "an arrow points from the helper to the learner, its width is the strength",
           soft);
  svg.text(24, 67,
           r.stability.repeats == 0
               ? "purple: makes it more likely, blue: less likely"
               : fmt::format("purple: makes it more likely, blue: less likely; "
                             "dashed: not to be relied on ({} repeats)",
                             r.stability.repeats),
           soft);
  if (arrows.empty()) svg.text(24, 105, "no arrow is strong enough to be drawn");
  std::vector<double> angle(r.names.size(), 0.0);  // clockwise from the top
  std::vector<Vec> place(r.names.size(), centre);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double a = angle[at(order[k])] = 2 * std::numbers::pi * static_cast<double>(k) / count;
    place[at(order[k])] = {centre.x + radius * std::sin(a), centre.y - radius * std::cos(a)};
  }
  std::vector<Bow> bows;
  for (const Arrow& arrow : arrows) {
    const Vec a = place[at(arrow.helper)], b = place[at(arrow.learner)];
    // Bent towards the centre, short ones less, and to one side, so that both directions of a pair
    // can be seen.
    const Vec middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
    const double chord = std::hypot(b.x - a.x, b.y - a.y) / radius;
    const double pull = std::clamp(0.25 * chord, 0.08, 0.25);
    const Vec bend{middle.x + pull * (centre.x - middle.x) - 0.12 * (b.y - a.y),
                   middle.y + pull * (centre.y - middle.y) + 0.12 * (b.x - a.x)};
    const double share = std::min(std::abs(arrow.score) / largest, 1.0);
    bows.push_back(
        {.from = a,
         .bend = bend,
         .to = b,
         .colour = diverging_colour(arrow.score > 0 ? 0.35 + 0.65 * share : -0.35 - 0.65 * share),
         .width = 0.8 + 3.2 * share,
         .dashed = !is_firm(r, arrow.helper, arrow.learner),
         .arrow = bows.size()});
  }
  spread_heads(bows);
  std::reverse(bows.begin(), bows.end());  // the strongest on top, and heads above lines
  const auto grouped = [&](const char* what, auto number, const auto& draw_it) {
    svg.begin_group(fmt::format("data-{}=\"{}\"", what, number));
    draw_it();
    svg.end_group();
  };
  for (const Bow& bow : bows) grouped("arrow", bow.arrow, [&] { draw_line(svg, bow); });
  for (const Bow& bow : bows) grouped("arrow", bow.arrow, [&] { draw_head(svg, bow); });
  for (const Id l : order) {
    grouped("label", l, [&] {
      svg.circle(place[at(l)].x, place[at(l)].y, 5, "#333333", r.names[at(l)]);
      draw_name(svg, r.names[at(l)], centre, radius, angle[at(l)], room, spokes);
    });
  }
  return svg.finish();
}

}  // namespace mulberry::report
