#include "mulberry/report/describe_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/index.hpp"
#include "mulberry/data/describe/label_co_occurrence.hpp"
#include "mulberry/report/draw/colour_bar.hpp"
#include "mulberry/report/draw/svg.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {
namespace {

std::vector<Id> most_frequent(const Labels& y, Index most) {
  std::vector<Id> out(at(y.count()));
  std::iota(out.begin(), out.end(), 0);
  std::sort(out.begin(), out.end(), [&](Id a, Id b) {
    const auto x = y.column(a).size(), z = y.column(b).size();
    return x != z ? x > z : a < b;
  });
  out.resize(std::min(out.size(), at(most)));
  return out;
}

}  // namespace

std::vector<Id> order_by_similarity(MatrixView similarity) {
  const Index n = similarity.rows();
  std::vector<std::vector<Id>> clusters;
  for (Index i = 0; i < n; ++i) clusters.push_back({static_cast<Id>(i)});
  Matrix mean(similarity);  // of cluster pairs, rows and columns of merged ones unused
  std::vector<char> alive(at(n), 1);
  for (Index merged = 1; merged < n; ++merged) {
    Index a = -1, b = -1;
    for (Index i = 0; i < n; ++i) {
      for (Index j = i + 1; alive[at(i)] && j < n; ++j) {
        if (alive[at(j)] && (a < 0 || mean(i, j) > mean(a, b))) {
          a = i;
          b = j;
        }
      }
    }
    std::vector<Id>&left = clusters[at(a)], &right = clusters[at(b)];
    const auto touch = [&](Id x, Id y) { return similarity(x, y); };
    const double ends[] = {touch(left.back(), right.front()), touch(left.back(), right.back()),
                           touch(left.front(), right.front()), touch(left.front(), right.back())};
    const auto best = std::max_element(std::begin(ends), std::end(ends)) - std::begin(ends);
    if (best >= 2) std::reverse(left.begin(), left.end());
    if (best % 2 == 1) std::reverse(right.begin(), right.end());
    const auto wa = static_cast<double>(left.size()), wb = static_cast<double>(right.size());
    double* cells = mean.data();
    for (Index k = 0; k < n; ++k) {
      cells[a * n + k] = cells[k * n + a] =
          (wa * cells[a * n + k] + wb * cells[b * n + k]) / (wa + wb);
    }
    left.insert(left.end(), right.begin(), right.end());
    alive[at(b)] = 0;
  }
  return n == 0 ? std::vector<Id>() : clusters[0];
}

std::string describe_picture(const Dataset& data, const Context& ctx, Index most) {
  const Labels& y = data.y;
  const std::vector<Id> chosen = most_frequent(y, most);
  const Matrix phi = phi_matrix(take_labels(y, chosen), ctx);
  const std::vector<Id> order = order_by_similarity(phi);
  const auto count = count_of(order);

  const double cell =
      std::clamp(620.0 / static_cast<double>(std::max<Index>(count, 1)), 10.0, 34.0);
  const double size = std::clamp(cell * 0.66, 8.0, 12.0), bar = 210, room = 170;
  double names = 40;
  for (const Id l : chosen) {
    names = std::max(names, std::min(text_width(data.label_names[at(l)], size), room) + 14);
  }
  const double side = cell * static_cast<double>(count), left = 24 + names, top = 88 + names;
  const double map_left = left + bar + 64;
  Svg svg(std::max(map_left + side + 84, 640.0), top + std::max(side, 130.0) + 28);
  const double density =
      static_cast<double>(y.positives()) / std::max(1.0, static_cast<double>(y.rows()));
  svg.text(24, 30, (data.name.empty() ? std::string("Labels") : data.name),
           {.size = 17, .bold = true});
  svg.text(24, 51,
           fmt::format("{} rows, {} features, {} labels, {:.2f} labels per row{}", y.rows(),
                       data.columns(), y.count(), density,
                       count < y.count() ? fmt::format("; the {} most frequent", count) : ""),
           {.size = 12, .colour = "#6b6b76"});
  svg.title_ends(58);
  svg.text(left, 76, "share of rows", {.size = 12, .colour = "#6b6b76"});

  double largest = 0;
  const auto share_of = [&](Id l) {
    const auto observed =
        static_cast<double>(y.rows()) - static_cast<double>(y.missing_column(l).size());
    return observed > 0 ? static_cast<double>(y.column(l).size()) / observed : 0.0;
  };
  for (const Id l : chosen) largest = std::max(largest, share_of(l));
  double limit = 0.05;
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < i; ++j) limit = std::max(limit, std::abs(phi(i, j)));
  }
  for (Index i = 0; i < count; ++i) {
    const Id a = order[at(i)], label = chosen[at(a)];
    const std::string& name = data.label_names[at(label)];
    const double row_y = top + cell * static_cast<double>(i);
    const double base = row_y + cell / 2 + size * 0.36, share = share_of(label);
    svg.text(left - 8, base, fit_text(name, size, room), {.size = size, .anchor = Anchor::end});
    const double length = largest > 0 ? share / largest * (bar - 30) : 0;
    svg.rectangle(left, row_y + cell * 0.14, length, cell * 0.72, series_colour(0),
                  fmt::format("{}: {} rows", name, y.column(label).size()), 2);
    svg.text(left + length + 5, base, fmt::format("{:.1f}%", 100 * share),
             {.size = size - 1, .colour = "#6b6b76"});
    const double x = map_left + cell * static_cast<double>(i);
    svg.text(x + cell / 2 + size * 0.36, top - 8, fit_text(name, size, room),
             {.size = size, .rotate = -90});
    for (Index j = 0; j < count; ++j) {
      const Id b = order[at(j)];
      const double v = phi(a, b);
      svg.rectangle(map_left + cell * static_cast<double>(j), row_y, cell - 0.6, cell - 0.6,
                    i == j ? "#d9d9de" : diverging_colour(v / limit),
                    fmt::format("{} and {}: correlation {}", name,
                                data.label_names[at(chosen[at(b)])], fixed_text(v, 2)));
    }
  }
  svg.text(map_left, 76, "correlation of labels over rows", {.size = 12, .colour = "#6b6b76"});
  draw_colour_bar(svg, map_left + side + 20, top, -limit, limit,
                  [&](double v) { return diverging_colour(v / limit); });
  return svg.finish();
}

}  // namespace mulberry::report
