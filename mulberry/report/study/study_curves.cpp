#include "mulberry/report/study/study_curves.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mulberry/report/draw/axis.hpp"
#include "mulberry/report/draw/chart.hpp"

namespace mulberry::report {
namespace {

constexpr std::size_t k_least_points = 3, k_most_bands = 6;

struct NumberedName {
  std::string curve = {}, axis = {};
  double number = 0;
};

// "reuse B=1, rounds=5" is 5 rounds of "reuse B=1"; "rml, beta 0.1" is beta 0.1 of "rml".
std::optional<NumberedName> numbered(const std::string& name) {
  const auto cut = name.find_last_of("= ");
  if (cut == std::string::npos || cut == 0) return std::nullopt;
  NumberedName out;
  const char* const end = name.data() + name.size();
  const auto [rest, problem] = std::from_chars(name.data() + cut + 1, end, out.number);
  if (problem != std::errc() || rest != end || !std::isfinite(out.number)) return std::nullopt;
  const std::string before = name.substr(0, cut);
  const auto word = before.find_last_of(" ,");
  if (word == std::string::npos) return std::nullopt;
  out.axis = before.substr(word + 1);
  out.curve = before.substr(0, before.find_last_not_of(" ,", word) + 1);
  if (out.axis.empty() || out.curve.empty()) return std::nullopt;
  return out;
}

}  // namespace

std::optional<StudyCurves> find_curves(const std::vector<std::string>& learners) {
  StudyCurves out;
  for (std::size_t k = 0; k < learners.size(); ++k) {
    const auto name = numbered(learners[k]);
    if (!name || (k > 0 && name->axis != out.axis)) return std::nullopt;
    out.axis = name->axis;
    auto curve = std::ranges::find(out.curves, name->curve, &StudyCurve::name);
    if (curve == out.curves.end()) curve = out.curves.insert(curve, {.name = name->curve});
    const auto place = std::ranges::lower_bound(curve->at, name->number) - curve->at.begin();
    curve->at.insert(curve->at.begin() + place, name->number);
    curve->learners.insert(curve->learners.begin() + place, k);
  }
  const bool enough = std::ranges::any_of(
      out.curves, [](const StudyCurve& curve) { return curve.at.size() >= k_least_points; });
  if (!enough) return std::nullopt;
  return out;
}

std::string curves_picture(const StudyCurves& curves, const compare::Scores& scores,
                           std::size_t set) {
  const compare::SetScores& found = scores.sets[set];
  std::vector<double> all;
  for (const StudyCurve& curve : curves.curves) {
    all.insert(all.end(), curve.at.begin(), curve.at.end());
  }
  LineChart chart{.title = found.name,
                  .x_title = curves.axis,
                  .y_title = scores.measure,
                  .log_x = suits_log(all, k_spread_of_settings)};
  for (const StudyCurve& curve : curves.curves) {
    Series series{.name = curve.name, .x = curve.at};
    bool band = curves.curves.size() <= k_most_bands;
    for (const std::size_t k : curve.learners) {
      series.y.push_back(compare::mean(found.cells[k]));
      band = band && std::isfinite(compare::deviation(found.cells[k]));
    }
    for (std::size_t p = 0; band && p < curve.learners.size(); ++p) {
      const double deviation = compare::deviation(found.cells[curve.learners[p]]);
      series.low.push_back(series.y[p] - deviation);
      series.high.push_back(series.y[p] + deviation);
    }
    chart.series.push_back(std::move(series));
  }
  return line_chart(chart);
}

}  // namespace mulberry::report
