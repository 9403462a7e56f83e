// Parameters, declared once. A learner writes
//
//     struct Params {
//       double C = 1.0;
//       Bias bias = Bias::regularised;
//       static auto fields() {
//         return std::tuple{
//             field("C", &Params::C, "cost of errors", positive().search(1e-3, 1e3)),
//             choice("bias", &Params::bias, "what the constant term costs",
//                    {"regularised", "free", "none"})};
//       }
//     };
//
// and from it come command-line flags, the spec grammar, JSON, range errors, `mulberry list` and
// search spaces. The default lives in the member's initialiser and nowhere else.
//
// Types: bool, Index, double, std::string, Spec (a learner), an enum (choice), std::vector<double>
// (a list), and std::optional of a number, whose empty value is written `auto`.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/core/spec.hpp"

namespace mulberry::core {

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open = false;  // low itself is not allowed
  // Where a search looks; on a logarithmic scale when search_log. Not searched when NaN.
  double search_low = std::numeric_limits<double>::quiet_NaN();
  double search_high = std::numeric_limits<double>::quiet_NaN();
  bool search_log = true;

  Range search(double from, double to, bool logarithmic = true) const {
    Range out = *this;
    out.search_low = from;
    out.search_high = to;
    out.search_log = logarithmic;
    return out;
  }
  bool holds(double v) const { return (open ? v > low : v >= low) && v <= high; }
  std::string text() const;  // "> 0 and at most 10"
};

inline Range between(double low, double high) { return {.low = low, .high = high}; }
inline Range positive() { return {.low = 0, .high = 1e300, .open = true}; }
inline Range at_least(double low) { return {.low = low, .high = 1e15}; }

enum class ParamType { flag, integer, number, text, choice, list, base, learner };
std::string_view type_name(ParamType type);

struct ParamInfo {
  std::string name = {};
  ParamType type = ParamType::number;
  std::string help = {};
  std::string fallback = {};  // the default, as text
  Range range = {};
  bool automatic = false;  // takes `auto`
  bool searched = true;    // a choice or flag that a search may vary
  std::vector<std::string> choices = {};

  std::string expected() const;  // "a number > 0", "one of a, b", ...
};

template <class P, class T>
struct Field {
  ParamInfo info;
  T P::* member;
};

template <class P, class G>
struct Group {
  G P::* member;
};

namespace detail {
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
constexpr ParamType param_type() {
  if constexpr (IsOptional<T>::value) {
    return param_type<typename T::value_type>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return ParamType::flag;
  } else if constexpr (std::is_enum_v<T>) {
    return ParamType::choice;
  } else if constexpr (std::is_same_v<T, double>) {
    return ParamType::number;
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    return ParamType::list;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return ParamType::text;
  } else {
    static_assert(std::is_same_v<T, Index>, "a parameter type that fields do not know");
    return ParamType::integer;
  }
}

double read_number(const ParamInfo& info, const SpecValue& value, std::string_view owner);
Index read_integer(const ParamInfo& info, const SpecValue& value, std::string_view owner);
bool read_flag(const ParamInfo& info, const SpecValue& value, std::string_view owner);
int read_choice(const ParamInfo& info, const SpecValue& value, std::string_view owner);
std::vector<double> read_list(const ParamInfo& info, const SpecValue& value,
                              std::string_view owner);
std::string read_text(const ParamInfo& info, const SpecValue& value, std::string_view owner);
bool is_auto(const SpecValue& value);
std::string list_text(const std::vector<double>& values);
std::string number_text(double value);

template <class T>
void read_value(const ParamInfo& info, const SpecValue& value, std::string_view owner, T& out) {
  if constexpr (IsOptional<T>::value) {
    if (is_auto(value)) {
      out.reset();
      return;
    }
    typename T::value_type inner{};
    read_value(info, value, owner, inner);
    out = inner;
  } else if constexpr (std::is_same_v<T, bool>) {
    out = read_flag(info, value, owner);
  } else if constexpr (std::is_enum_v<T>) {
    out = static_cast<T>(read_choice(info, value, owner));
  } else if constexpr (std::is_same_v<T, double>) {
    out = read_number(info, value, owner);
  } else if constexpr (std::is_same_v<T, Index>) {
    out = read_integer(info, value, owner);
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    out = read_list(info, value, owner);
  } else if constexpr (std::is_same_v<T, Spec>) {
    out = as_spec(value);
  } else {
    out = read_text(info, value, owner);
  }
}

template <class T>
SpecValue write_value(const ParamInfo& info, const T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? write_value(info, *value) : SpecValue(std::string("auto"));
  } else if constexpr (std::is_same_v<T, bool>) {
    return std::string(value ? "true" : "false");
  } else if constexpr (std::is_enum_v<T>) {
    return info.choices[static_cast<std::size_t>(value)];
  } else if constexpr (std::is_same_v<T, double>) {
    return number_text(value);
  } else if constexpr (std::is_same_v<T, Index>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    return list_text(value);
  } else if constexpr (std::is_same_v<T, Spec>) {
    return value;
  } else {
    return value;
  }
}

template <class P, class F, class Fn>
void visit_member(P& params, const F& field, const Fn& fn);
}  // namespace detail

template <class P, class T>
Field<P, T> field(std::string name, T P::* member, std::string help, Range range = {}) {
  return {{.name = std::move(name),
           .type = detail::param_type<T>(),
           .help = std::move(help),
           .range = range,
           .automatic = detail::IsOptional<T>::value},
          member};
}

template <class P, class T>
Field<P, T> choice(std::string name, T P::* member, std::string help,
                   std::vector<std::string> choices, bool searched = true) {
  return {{.name = std::move(name),
           .type = ParamType::choice,
           .help = std::move(help),
           .searched = searched,
           .choices = std::move(choices)},
          member};
}

// A base learner (single output) or, with ParamType::learner, a whole multi-label learner.
template <class P>
Field<P, Spec> learner_field(std::string name, Spec P::* member, std::string help,
                             ParamType type = ParamType::base) {
  return {{.name = std::move(name), .type = type, .help = std::move(help)}, member};
}

template <class P, class G>
Group<P, G> group(G P::* member) {
  return {member};
}

namespace detail {
template <class P, class Fn>
void for_each_field(P& params, const Fn& fn) {
  std::apply([&](const auto&... fields) { (visit_member(params, fields, fn), ...); },
             std::remove_const_t<P>::fields());
}

template <class F>
concept IsGroup = !requires(const F& f) { f.info; };

template <class P, class F, class Fn>
void visit_member(P& params, const F& field, const Fn& fn) {
  if constexpr (IsGroup<F>) {
    for_each_field(params.*(field.member), fn);
  } else {
    fn(field.info, params.*(field.member));
  }
}

// Throws Error (parameter) with the nearest name for the first parameter nobody has.
void require_known(const Spec& spec, const std::vector<std::string>& names);
}  // namespace detail

template <class P>
std::vector<ParamInfo> describe_params() {
  std::vector<ParamInfo> out;
  const P defaults;
  detail::for_each_field(defaults, [&](const ParamInfo& info, const auto& value) {
    out.push_back(info);
    out.back().fallback = value_text(detail::write_value(info, value));
  });
  return out;
}

// The parameters of a spec; what it does not name keeps its default. Errors name the parameter,
// what it must be, and what was given.
template <class P>
P read_params(const Spec& spec) {
  P out;
  std::vector<std::string> names;
  detail::for_each_field(out, [&](const ParamInfo& info, auto& value) {
    names.push_back(info.name);
    if (const SpecValue* given = spec.find(info.name)) {
      detail::read_value(info, *given, spec.id, value);
    }
  });
  detail::require_known(spec, names);
  return out;
}

// All parameters with their values, defaults included.
template <class P>
Spec write_params(std::string id, const P& params) {
  Spec out(std::move(id));
  detail::for_each_field(params, [&](const ParamInfo& info, const auto& value) {
    out.params.emplace_back(info.name, detail::write_value(info, value));
  });
  return out;
}

}  // namespace mulberry::core
