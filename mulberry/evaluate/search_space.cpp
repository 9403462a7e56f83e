#include "mulberry/evaluate/search_space.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/model/base_learner.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::evaluate {
namespace {

// Three digits are enough for a search and easy to read.
double rounded(double value, bool integer) {
  if (integer) return std::round(value);
  if (value == 0) return 0;
  const double power = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 2);
  return std::round(value / power) * power;
}

std::string value_at(const SearchAxis& axis, double share) {
  const double value = axis.logarithmic ? axis.low * std::pow(axis.high / axis.low, share)
                                        : axis.low + (axis.high - axis.low) * share;
  const double plain = std::clamp(rounded(value, axis.integer), axis.low, axis.high);
  // Rounding to a power of ten leaves errors in the last bits; twelve digits remove them.
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", plain);
  return text;
}

const std::vector<ParamInfo>& params_of(const ParamInfo& info, const Spec& inner) {
  return info.type == ParamType::base ? find_base(inner.id).params : find_learner(inner.id).params;
}

void collect(const Spec& spec, const std::vector<ParamInfo>& params, const std::string& prefix,
             std::vector<SearchAxis>& out) {
  for (const ParamInfo& info : params) {
    const SpecValue* given = spec.find(info.name);
    if (info.type == ParamType::base || info.type == ParamType::learner) {
      Spec inner = given != nullptr ? as_spec(*given) : parse_spec(info.fallback);
      if (given == nullptr) inner.params.clear();  // defaults are not the user's choice
      if (info.type == ParamType::learner) inner = resolve(inner);
      collect(inner, params_of(info, inner), prefix + info.name + ".", out);
      continue;
    }
    if (given != nullptr) continue;
    SearchAxis axis{.name = prefix + info.name};
    if (info.type == ParamType::flag && info.searched) {
      axis.values = {"false", "true"};
    } else if (info.type == ParamType::choice && info.searched) {
      axis.values = info.choices;
    } else if (std::isfinite(info.range.search_low)) {
      axis.low = info.range.search_low;
      axis.high = info.range.search_high;
      axis.logarithmic = info.range.search_log && axis.low > 0;
      axis.integer = info.type == ParamType::integer;
    } else {
      continue;
    }
    out.push_back(std::move(axis));
  }
}

// Parts of `text` between separators that are outside parentheses, brackets and quotes.
std::vector<std::string> split_outside(std::string_view text, char separator) {
  std::vector<std::string> out(1);
  int depth = 0;
  bool quote = false;
  for (const char c : text) {
    if (c == '"') quote = !quote;
    if (!quote && (c == '(' || c == '[')) ++depth;
    if (!quote && (c == ')' || c == ']')) --depth;
    if (c == separator && depth <= 0 && !quote) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  for (std::string& part : out) part = std::string(trim(part));
  return out;
}

SpecValue parse_value(const std::string& text) {
  // In the grammar, values occur only inside a learner.
  return parse_spec("x(v=" + text + ")").params[0].second;
}

Spec with(Spec spec, const SearchAxis& axis, const std::string& value) {
  spec.set(axis.name, parse_value(value));
  return spec;
}

// The spec with every nested learner on the path of a dotted name written out, so that the name can
// be set: a default is not in the spec yet.
Spec opened(Spec spec, const std::vector<ParamInfo>& params, std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return spec;
  const std::string head(name.substr(0, dot));
  for (const ParamInfo& info : params) {
    if (info.name != head || (info.type != ParamType::base && info.type != ParamType::learner)) {
      continue;
    }
    const SpecValue* given = spec.find(head);
    Spec inner = given != nullptr ? as_spec(*given) : parse_spec(info.fallback);
    if (info.type == ParamType::learner) inner = resolve(inner);
    spec.set(head, opened(inner, params_of(info, inner), name.substr(dot + 1)));
    return spec;
  }
  throw Error(Code::parameter, spec.id + " has no learner " + in_quotes(head) + " within it",
              mention(Action::parameters, spec.id) + " shows all parameters");
}

bool has_parameter(const Spec& spec, const std::vector<ParamInfo>& params, std::string_view name) {
  const auto dot = name.find('.');
  for (const ParamInfo& info : params) {
    if (info.name != name.substr(0, dot)) continue;
    if (dot == std::string_view::npos) return true;
    if (info.type != ParamType::base && info.type != ParamType::learner) return false;
    const SpecValue* given = spec.find(info.name);
    Spec inner = given != nullptr ? as_spec(*given) : parse_spec(info.fallback);
    if (info.type == ParamType::learner) inner = resolve(inner);
    return has_parameter(inner, params_of(info, inner), name.substr(dot + 1));
  }
  return false;
}

Spec opened(const Spec& spec, const std::vector<SearchAxis>& axes) {
  Spec out = resolve(spec);
  for (const SearchAxis& axis : axes) out = opened(out, find_learner(out.id).params, axis.name);
  return out;
}

}  // namespace

std::vector<std::string> SearchAxis::grid(Index count) const {
  if (!values.empty()) return values;
  std::vector<std::string> out;
  for (Index k = 0; k < count; ++k) {
    const double share = count == 1 ? 0.5 : static_cast<double>(k) / static_cast<double>(count - 1);
    const std::string value = value_at(*this, share);
    if (out.empty() || out.back() != value) out.push_back(value);
  }
  return out;
}

std::string SearchAxis::draw(Random& random) const {
  if (values.empty()) return value_at(*this, random.uniform());
  return values[at(random.below(count_of(values)))];
}

bool has_parameter(const Spec& spec, const std::string& name) {
  const Spec plain = resolve(spec);
  return has_parameter(plain, find_learner(plain.id).params, full_name(spec.id, name));
}

std::vector<SearchAxis> declared_axes(const Spec& spec) {
  const Spec plain = resolve(spec);
  std::vector<SearchAxis> out;
  collect(plain, find_learner(plain.id).params, "", out);
  return out;
}

std::vector<SearchAxis> parse_grid(std::string_view text, const Spec& spec) {
  std::vector<SearchAxis> out;
  for (const std::string& part : split_outside(text, ';')) {
    if (part.empty()) continue;
    const auto equals = part.find('=');
    SearchAxis axis{.name = std::string(trim(part.substr(0, equals)))};
    if (equals != std::string::npos) axis.values = split_outside(part.substr(equals + 1), ',');
    std::erase(axis.values, "");
    if (axis.name.empty() || axis.values.empty()) {
      throw Error(Code::usage, "expected a parameter and its values, found " + in_quotes(part),
                  "A grid is written like \"C=0.1,1,10; base.C=1,2\"");
    }
    axis.name = full_name(spec.id, axis.name);
    out.push_back(std::move(axis));
  }
  const Spec start = opened(spec, out);
  for (const SearchAxis& axis : out) {
    for (const std::string& value : axis.values) CompleteSpec(with(start, axis, value));
  }
  return out;
}

std::vector<Spec> grid_specs(const Spec& spec, const std::vector<SearchAxis>& axes, Index points,
                             Index most) {
  std::vector<Spec> out = {opened(spec, axes)};
  double total = 1;
  for (const SearchAxis& axis : axes) total *= static_cast<double>(axis.grid(points).size());
  if (total > static_cast<double>(most)) {
    throw Error(Code::usage,
                "the grid has " + shortest(total) + " combinations, at most " +
                    std::to_string(most) + " are tried",
                "Search at random, allow more trials, or give a smaller grid");
  }
  for (const SearchAxis& axis : axes) {
    std::vector<Spec> wider;
    for (const Spec& so_far : out) {
      for (const std::string& value : axis.grid(points)) wider.push_back(with(so_far, axis, value));
    }
    out = std::move(wider);
  }
  return out;
}

std::vector<Spec> random_specs(const Spec& spec, const std::vector<SearchAxis>& axes, Index count,
                               std::uint64_t seed) {
  const Spec start = opened(spec, axes);
  std::vector<Spec> out;
  for (Index t = 0; t < count; ++t) {
    Random random(seed, "search", static_cast<std::uint64_t>(t));
    Spec trial = start;
    for (const SearchAxis& axis : axes) trial = with(trial, axis, axis.draw(random));
    if (std::find(out.begin(), out.end(), trial) == out.end()) out.push_back(std::move(trial));
  }
  return out;
}

}  // namespace mulberry::evaluate
