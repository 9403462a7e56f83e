#include "mulberry/report/study/study_curves.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

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
    if (!name) {
      out.lines.push_back(k);
      continue;
    }
    if (!out.curves.empty() && name->axis != out.axis) return std::nullopt;
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

StudyCurves on_axis(StudyCurves curves, const StudyFigure& figure, Index labels) {
  if (!figure.axis.empty()) curves.axis = figure.axis;
  if (figure.per_label.empty()) return curves;
  double end = std::numeric_limits<double>::infinity();
  for (StudyCurve& curve : curves.curves) {
    if (std::ranges::find(figure.per_label, curve.name) != figure.per_label.end()) {
      for (double& x : curve.at) x *= static_cast<double>(labels);
    }
    end = std::min(end, curve.at.back());
  }
  for (StudyCurve& curve : curves.curves) {
    while (curve.at.back() > end && curve.at.size() > 1) {
      curve.at.pop_back();
      curve.learners.pop_back();
    }
  }
  return curves;
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
  for (const std::size_t k : curves.lines) {
    const auto [first, last] = std::ranges::minmax(all);
    const double value = compare::mean(found.cells[k]);
    chart.series.push_back({.name = scores.learners[k], .x = {first, last}, .y = {value, value}});
  }
  return line_chart(chart);
}

std::vector<std::string> measures_over_beta(const Study& study, const StudyResults& results) {
  std::vector<std::string> out;
  if (study.betas.size() < k_least_points) return out;
  const std::string end = evaluate::name_at_beta("", study.betas[0]);
  for (const compare::Scores& scores : results.scores) {
    if (!scores.measure.ends_with("_fbeta" + end)) continue;
    out.push_back(scores.measure.substr(0, scores.measure.size() - end.size()));
  }
  return out;
}

std::string beta_picture(const Study& study, const StudyResults& results,
                         const std::string& measure, std::size_t set) {
  LineChart chart{.title = results.sets[set], .x_title = "beta", .y_title = measure, .log_x = true};
  for (const double beta : study.betas) {
    const auto scores = std::ranges::find(results.scores, evaluate::name_at_beta(measure, beta),
                                          &compare::Scores::measure);
    if (scores == results.scores.end()) continue;
    for (std::size_t k = 0; k < scores->learners.size(); ++k) {
      const std::string& learner = scores->learners[k];
      const auto one = std::ranges::find(study.learners, learner, &StudyLearner::name);
      // "rml, beta 0.1" is a point of the curve "rml".
      const auto name = one->beta > 0 ? numbered(learner) : std::nullopt;
      const std::string curve = name ? name->curve : learner;
      auto series = std::ranges::find(chart.series, curve, &Series::name);
      if (series == chart.series.end()) series = chart.series.insert(series, {.name = curve});
      series->x.push_back(beta);
      series->y.push_back(compare::mean(scores->sets[set].cells[k]));
    }
  }
  return line_chart(chart);
}

}  // namespace mulberry::report
