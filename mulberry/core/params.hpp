// Parameters, declared once. A learner writes
//
//     struct Params {
//       double C = 1.0;
//       Bias bias = Bias::regularised;
//       static auto fields() {
//         return Fields{
//             field("C", &Params::C, "cost of errors", positive().search(1e-3, 1e3)),
//             choice("bias", &Params::bias, "penalty of the constant term",
//                    {"regularised", "free", "none"})};
//       }
//     };
//
// and from it come command-line flags, the spec grammar, JSON, range errors, `mulberry list` and
// search spaces. The default lives in the member's initialiser and nowhere else.
//
// Types: bool, Index, double, std::string, Spec (a learner), an enum (choice), std::vector<double>
// (a list), and std::optional of a number or flag, whose empty value is written `auto`.
//
// Templates only note the type and the place of each member; reading and writing is ordinary code
// in params.cpp, because forty learners would otherwise each compile their own.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mulberry/core/index.hpp"
#include "mulberry/core/matrix.hpp"
#include "mulberry/core/spec.hpp"

namespace mulberry::core {

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open = false;  // low itself is not allowed
  // The range of a search; on a logarithmic scale if search_log. Not searched if NaN.
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

namespace detail {

// What a member is in memory. An enum is read and written as the int behind it.
enum class Storage {
  flag,
  integer,
  number,
  text,
  choice,
  list,
  spec,
  maybe_flag,
  maybe_integer,
  maybe_number
};

template <class T>
constexpr Storage storage_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return Storage::flag;
  } else if constexpr (std::is_same_v<T, Index>) {
    return Storage::integer;
  } else if constexpr (std::is_same_v<T, double>) {
    return Storage::number;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return Storage::text;
  } else if constexpr (std::is_enum_v<T>) {
    static_assert(std::is_same_v<std::underlying_type_t<T>, int>);
    return Storage::choice;
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    return Storage::list;
  } else if constexpr (std::is_same_v<T, Spec>) {
    return Storage::spec;
  } else if constexpr (std::is_same_v<T, std::optional<bool>>) {
    return Storage::maybe_flag;
  } else if constexpr (std::is_same_v<T, std::optional<Index>>) {
    return Storage::maybe_integer;
  } else {
    static_assert(std::is_same_v<T, std::optional<double>>,
                  "a parameter type that fields do not know");
    return Storage::maybe_number;
  }
}

// Its address stands for the type. Hidden by name: g++ shows what it makes from enums.
template <class T>
[[gnu::visibility("hidden")]] inline constexpr char type_key = 0;

// A P with its defaults.
template <class P>
const P& defaults() {
  static const P value{};
  return value;
}

template <class P, class T>
std::size_t offset_of(T P::* member) {
  const P& object = defaults<P>();
  return at(reinterpret_cast<const std::byte*>(&(object.*member)) -
            reinterpret_cast<const std::byte*>(&object));
}

}  // namespace detail

struct Field {
  ParamInfo info;
  detail::Storage storage;
  std::size_t offset;          // of the member, from the start of the struct
  const void* type = nullptr;  // the enum of a choice: detail::type_key
};

// The parameters of a struct and of its groups, in the order of their declaration.
class Fields {
 public:
  Fields() = default;
  explicit Fields(Field field) { all_.push_back(std::move(field)); }
  Fields(std::initializer_list<Fields> parts);
  Fields moved(std::size_t offset) const;  // inside another struct
  const std::vector<Field>& all() const { return all_; }

 private:
  std::vector<Field> all_;
};

namespace detail {

Fields one_field(const char* name, Storage storage, std::size_t offset, const char* help,
                 const Range& range);
Fields one_choice(const char* name, const void* type, std::size_t offset, const char* help,
                  std::initializer_list<const char*> choices, bool searched);
Fields one_learner(const char* name, std::size_t offset, const char* help, ParamType type);

// `params` is the struct that the fields belong to.
void read_fields(const Fields& fields, const Spec& spec, void* params);
Spec write_fields(const Fields& fields, std::string id, const void* params);
std::vector<ParamInfo> describe_fields(const Fields& fields, const void* params);

std::string number_text(double value);

}  // namespace detail

template <class P, class T>
Fields field(const char* name, T P::* member, const char* help, const Range& range = {}) {
  return detail::one_field(name, detail::storage_of<T>(), detail::offset_of(member), help, range);
}

template <class P, class T>
Fields choice(const char* name, T P::* member, const char* help,
              std::initializer_list<const char*> choices, bool searched = true) {
  static_assert(detail::storage_of<T>() == detail::Storage::choice);
  return detail::one_choice(name, &detail::type_key<T>, detail::offset_of(member), help, choices,
                            searched);
}

// A base learner (single output) or, with ParamType::learner, a whole multi-label learner.
template <class P>
Fields learner_field(const char* name, Spec P::* member, const char* help,
                     ParamType type = ParamType::base) {
  return detail::one_learner(name, detail::offset_of(member), help, type);
}

template <class P, class G>
Fields group(G P::* member) {
  return G::fields().moved(detail::offset_of(member));
}

template <class P>
const Fields& fields_of() {
  static const Fields fields = P::fields();
  return fields;
}

template <class P>
std::vector<ParamInfo> describe_params() {
  return detail::describe_fields(fields_of<P>(), &detail::defaults<P>());
}

// The parameters of a spec; parameters that it does not name keep their defaults. Errors name the
// parameter, what it must be, and what was given.
template <class P>
P read_params(const Spec& spec) {
  P out;
  detail::read_fields(fields_of<P>(), spec, &out);
  return out;
}

// All parameters with their values, including defaults.
template <class P>
Spec write_params(std::string id, const P& params) {
  return detail::write_fields(fields_of<P>(), std::move(id), &params);
}

}  // namespace mulberry::core
