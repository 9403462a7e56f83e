#include "mulberry/evaluate/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mulberry/core/error.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/search_space.hpp"

namespace mulberry::evaluate {
namespace {

constexpr Index k_most_values = 1000;

[[noreturn]] void refuse(std::string_view text) {
  throw Error(
      Code::usage,
      "expected a parameter with its values, NAME=1,2,5 or NAME=1..10, found " + in_quotes(text),
      "For example: rounds=1..10, or B=1,1.05,1.2");
}

double number_of(std::string_view word, std::string_view whole) {
  const auto value = parse_number(trim(word));
  if (!value || !std::isfinite(*value)) refuse(whole);
  return *value;
}

std::vector<double> values_of(std::string_view list, std::string_view whole) {
  std::vector<double> out;
  const auto dots = list.find("..");
  if (dots == std::string_view::npos) {
    for (const std::string& word : split(list, ',')) out.push_back(number_of(word, whole));
    return out;
  }
  const double low = number_of(list.substr(0, dots), whole);
  const double high = number_of(list.substr(dots + 2), whole);
  if (std::floor(low) != low || !(low <= high) || high - low >= k_most_values) refuse(whole);
  for (double v = low; v <= high; ++v) out.push_back(v);
  return out;
}

}  // namespace

const Estimate& Sweep::at(std::size_t curve, std::size_t value, std::size_t measure) const {
  return comparison.learners[curves[curve].learner[value]].estimates[measure];
}

Index Sweep::best(std::size_t value, std::size_t measure) const {
  Index out = -1;
  double most = 0;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const double mean = at(c, value, measure).mean;
    if (!std::isfinite(mean)) continue;
    const double good = comparison.higher_is_better[measure] ? mean : -mean;
    if (out >= 0 && good <= most) continue;
    most = good;
    out = static_cast<Index>(c);
  }
  return out;
}

bool Sweep::is_best(std::size_t value, std::size_t measure, std::size_t curve) const {
  const Index first = best(value, measure);
  if (first < 0) return false;
  return at(curve, value, measure).mean == at(static_cast<std::size_t>(first), value, measure).mean;
}

std::string Sweep::json() const {
  auto out = nlohmann::ordered_json::parse(comparison.json());
  out["over"] = {{"parameter", parameter}, {"values", values}};
  for (const SweepCurve& curve : curves) {
    out["over"]["curves"].push_back(
        {{"learner", curve.name}, {"follows", curve.follows}, {"learners", curve.learner}});
  }
  return json_text(out);
}

Sweep sweep_parameter(std::span<const CompleteSpec> specs, std::string_view axis,
                      const Dataset& data, const EvaluateOptions& options, const Context& ctx) {
  const auto equals = axis.find('=');
  if (equals == std::string_view::npos || equals == 0) refuse(axis);
  Sweep out{.parameter = std::string(trim(axis.substr(0, equals))),
            .values = values_of(axis.substr(equals + 1), axis)};
  std::vector<std::string> words;
  for (const double v : out.values) words.push_back(shortest(v));
  std::vector<CompleteSpec> all;
  bool any = false;
  for (const CompleteSpec& complete : specs) {
    const Spec& spec = complete.given();
    SweepCurve& curve = out.curves.emplace_back();
    curve.name = spec.text();
    curve.follows = has_parameter(spec, out.parameter);
    any = any || curve.follows;
    for (std::size_t v = 0; v < out.values.size(); ++v) {
      curve.learner.push_back(all.size() + (curve.follows ? v : 0));
    }
    if (!curve.follows) {
      all.push_back(complete);
      continue;
    }
    const SearchAxis values{.name = full_name(spec.id, out.parameter), .values = words};
    for (const Spec& one : grid_specs(spec, {values}, k_most_values, k_most_values)) {
      all.emplace_back(one);
    }
  }
  if (!any) {
    throw Error(
        Code::parameter,
        "expected a learner with the parameter " + in_quotes(out.parameter) + ", found none",
        mention(Action::parameters) + " shows the parameters of a learner");
  }
  out.comparison = cross_validate(all, data, options, ctx);
  return out;
}

}  // namespace mulberry::evaluate
