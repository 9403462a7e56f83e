#include "mulberry/report/chosen.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/measures/catalogue.hpp"

namespace mulberry::report {
namespace {

bool is_automatic(const SpecValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && *text == "auto";
}

// The range of a column, as text; empty if the result has no such column or no number in it.
std::string column_text(const Result& result, const std::string& name) {
  const auto found = std::ranges::find(result.column_names, name);
  if (found == result.column_names.end() || result.columns != Axis::named) return "";
  const Index column = found - result.column_names.begin();
  double low = INFINITY, high = -INFINITY;
  for (Index i = 0; i < result.values.rows(); ++i) {
    const double value = result.values(i, column);
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return "";
  if (low == high) return name + "=" + shortest(low);
  return name + "=" + shortest(low) + " to " + shortest(high) + ", by label";
}

bool lower_is_better(const std::string& measure) {
  for (const MeasureInfo& info : measure_table()) {
    if (info.name == measure) return !info.higher_is_better;
  }
  return measure.ends_with("loss");
}

// The best row "name=value" of a search.
std::string search_text(const Result& result, const std::string& name) {
  if (!result.id.ends_with("_search") || result.rows != Axis::named ||
      result.column_names.size() != 1) {
    return "";
  }
  const bool down = lower_is_better(result.column_names.front());
  std::string out;
  double best = 0;
  for (std::size_t k = 0; k < result.row_names.size(); ++k) {
    if (!result.row_names[k].starts_with(name + "=")) continue;
    const double value = result.values(static_cast<Index>(k), 0);
    if (!std::isfinite(value)) continue;
    if (out.empty() || (down ? value < best : value > best)) {
      out = result.row_names[k];
      best = value;
    }
  }
  return out;
}

std::string chosen(const std::string& name, const std::vector<Result>& results) {
  for (const Result& result : results) {
    if (result.id != "certificate" && result.id != "kernel") continue;
    if (std::string text = column_text(result, name); !text.empty()) return text;
  }
  for (const Result& result : results) {
    if (std::string text = search_text(result, name); !text.empty()) return text;
  }
  return "";
}

}  // namespace

std::vector<std::string> chosen_parameters(const Spec& spec, const std::vector<Result>& results) {
  std::vector<std::string> out;
  for (const auto& [name, value] : spec.params) {
    if (const auto* inner = std::get_if<Spec>(&value)) {
      for (std::string& text : chosen_parameters(*inner, results)) out.push_back(std::move(text));
    } else if (is_automatic(value)) {
      std::string text = chosen(name == "width" ? "gamma" : name, results);
      if (!text.empty()) out.push_back(std::move(text));
    }
  }
  return out;
}

}  // namespace mulberry::report
