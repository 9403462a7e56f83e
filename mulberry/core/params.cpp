#include "mulberry/core/params.hpp"

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::core {
namespace {

[[noreturn]] void bad_value(const ParamInfo& info, const SpecValue& value, std::string_view owner) {
  const std::string got = value_text(value);
  std::string expected = info.expected();
  // An upper bound so high that it is not shown is named to whoever goes beyond it.
  if (const auto number = parse_number(got); number && *number > info.range.high) {
    const std::string bound = "at most " + detail::number_text(info.range.high);
    if (expected.find(bound) == std::string::npos) expected += " and " + bound;
  }
  throw Error(Code::parameter,
              "the parameter " + quoted(info.name) + " of " + std::string(owner) + " must be " +
                  expected + ", got " + quoted(got),
              did_you_mean(got, info.choices,
                           "`mulberry list " + std::string(owner) + "` shows all parameters"));
}

const std::string& word(const ParamInfo& info, const SpecValue& value, std::string_view owner) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) bad_value(info, value, owner);
  return *text;
}

}  // namespace

std::string Range::text() const {
  std::string out;
  if (std::isfinite(low)) out = (open ? "> " : "at least ") + detail::number_text(low);
  if (std::isfinite(high) && high < 1e15) {
    if (!out.empty()) out += " and ";
    out += "at most " + detail::number_text(high);
  }
  return out;
}

std::string_view type_name(ParamType type) {
  switch (type) {
    case ParamType::flag:
      return "flag";
    case ParamType::integer:
      return "integer";
    case ParamType::number:
      return "number";
    case ParamType::text:
      return "text";
    case ParamType::choice:
      return "choice";
    case ParamType::list:
      return "list";
    case ParamType::base:
      return "base";
    case ParamType::learner:
      return "learner";
  }
  return "unknown";
}

std::string ParamInfo::expected() const {
  std::string out;
  switch (type) {
    case ParamType::flag:
      out = "true or false";
      break;
    case ParamType::integer:
      out = "a whole number";
      break;
    case ParamType::number:
      out = "a number";
      break;
    case ParamType::text:
      out = "text";
      break;
    case ParamType::choice:
      out = "one of " + join(choices, ", ");
      break;
    case ParamType::list:
      out = "a list of numbers such as [1,2,3]";
      break;
    case ParamType::base:
      out = "a base learner";
      break;
    case ParamType::learner:
      out = "a learner";
      break;
  }
  if (const std::string limits = range.text(); !limits.empty()) out += " " + limits;
  return automatic ? out + ", or auto" : out;
}

namespace detail {

double read_number(const ParamInfo& info, const SpecValue& value, std::string_view owner) {
  const auto number = parse_number(word(info, value, owner));
  if (!number || !info.range.holds(*number)) bad_value(info, value, owner);
  return *number;
}

Index read_integer(const ParamInfo& info, const SpecValue& value, std::string_view owner) {
  const auto number = parse_integer(word(info, value, owner));
  if (!number || !info.range.holds(static_cast<double>(*number))) bad_value(info, value, owner);
  return *number;
}

bool read_flag(const ParamInfo& info, const SpecValue& value, std::string_view owner) {
  const std::string& text = word(info, value, owner);
  for (const char* yes : {"true", "1", "yes", "on"}) {
    if (same_word(text, yes)) return true;
  }
  for (const char* no : {"false", "0", "no", "off"}) {
    if (same_word(text, no)) return false;
  }
  bad_value(info, value, owner);
}

int read_choice(const ParamInfo& info, const SpecValue& value, std::string_view owner) {
  const std::string& text = word(info, value, owner);
  for (std::size_t k = 0; k < info.choices.size(); ++k) {
    if (info.choices[k] == text) return static_cast<int>(k);
  }
  bad_value(info, value, owner);
}

std::vector<double> read_list(const ParamInfo& info, const SpecValue& value,
                              std::string_view owner) {
  std::string_view text = trim(word(info, value, owner));
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
  }
  std::vector<double> out;
  for (const std::string& part : split(text, ',')) {
    const auto number = parse_number(trim(part));
    if (!number || !info.range.holds(*number)) bad_value(info, value, owner);
    out.push_back(*number);
  }
  return out;
}

std::string read_text(const ParamInfo& info, const SpecValue& value, std::string_view owner) {
  return word(info, value, owner);
}

bool is_auto(const SpecValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && *text == "auto";
}

std::string number_text(double value) {
  constexpr double k_written_out = 1e9;  // 1000000 rather than 1e+06
  const bool whole = value == std::trunc(value) && std::abs(value) <= k_written_out;
  return whole ? std::to_string(static_cast<Index>(value)) : shortest(value);
}

std::string list_text(const std::vector<double>& values) {
  std::vector<std::string> parts;
  parts.reserve(values.size());
  for (const double v : values) parts.push_back(shortest(v));
  return "[" + join(parts, ",") + "]";
}

void require_known(const Spec& spec, const std::vector<std::string>& names) {
  for (const auto& [key, value] : spec.params) {
    bool known = false;
    for (const std::string& name : names) known = known || name == key;
    if (known) continue;
    const std::string all = names.empty() ? "It has no parameters" : "It has " + join(names, ", ");
    throw Error(Code::parameter, spec.id + " has no parameter " + quoted(key),
                did_you_mean(key, names, all));
  }
}

}  // namespace detail
}  // namespace mulberry::core
