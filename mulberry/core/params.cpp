#include "mulberry/core/params.hpp"
#include <algorithm>

#include <cmath>
#include <cstring>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::core {
namespace {

using detail::Storage;

[[noreturn]] void bad_value(const ParamInfo& info, const SpecValue& value, std::string_view owner) {
  const std::string got = value_text(value);
  std::string expected = info.expected();
  // A very high upper bound is not shown, except to whoever exceeds it.
  if (const auto number = parse_number(got); number && *number > info.range.high) {
    const std::string bound = "at most " + detail::number_text(info.range.high);
    if (expected.find(bound) == std::string::npos) expected += " and " + bound;
  }
  throw Error(Code::parameter,
              "the parameter " + in_quotes(info.name) + " of " + std::string(owner) + " must be " +
                  expected + ", got " + in_quotes(got),
              did_you_mean(got, info.choices,
                           mention(Action::parameters, owner) + " shows all parameters"));
}

const std::string& word(const ParamInfo& info, const SpecValue& value, std::string_view owner) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) bad_value(info, value, owner);
  return *text;
}

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
  const auto find = [&](std::string_view name) {
    const auto found = std::find(info.choices.begin(), info.choices.end(), name);
    return found == info.choices.end() ? -1 : static_cast<int>(found - info.choices.begin());
  };
  if (const int exact = find(text); exact >= 0) return exact;
  // Measures have the names that they have elsewhere, too: macro_f1 is f1, hamming_loss hamming.
  std::string_view rest = text;
  constexpr std::string_view k_macro = "macro_", k_loss = "_loss";
  if (info.name == "measure" && rest.starts_with(k_macro)) rest.remove_prefix(k_macro.size());
  if (info.name == "measure" && rest.ends_with(k_loss)) rest.remove_suffix(k_loss.size());
  if (const int other = find(rest); other >= 0) return other;
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

bool is_auto(const SpecValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && *text == "auto";
}

std::string list_text(const std::vector<double>& values) {
  std::vector<std::string> parts;
  parts.reserve(values.size());
  for (const double v : values) parts.push_back(shortest(v));
  return "[" + join(parts, ",") + "]";
}

// Throws Error (parameter) with the nearest name for the first parameter nobody has.
void require_known(const Spec& spec, const Fields& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields.all()) names.push_back(field.info.name);
  for (const auto& [key, value] : spec.params) {
    bool known = false;
    for (const std::string& name : names) known = known || name == key;
    if (known) continue;
    const std::string all = names.empty() ? "It has no parameters" : "It has " + join(names, ", ");
    throw Error(Code::parameter, spec.id + " has no parameter " + in_quotes(key),
                did_you_mean(key, names, all));
  }
}

// The member of a struct as what it is.
template <class T>
T& member_at(void* params, const Field& field) {
  return *reinterpret_cast<T*>(static_cast<std::byte*>(params) + field.offset);
}
template <class T>
const T& member_at(const void* params, const Field& field) {
  return *reinterpret_cast<const T*>(static_cast<const std::byte*>(params) + field.offset);
}

template <class T, class Read>
void read_maybe(const Read& read, const Field& field, const SpecValue& value,
                std::string_view owner, std::optional<T>& out) {
  if (is_auto(value)) {
    out.reset();
  } else {
    out = read(field.info, value, owner);
  }
}

std::string flag_text(bool value) { return value ? "true" : "false"; }

void read_value(const Field& field, const SpecValue& value, std::string_view owner, void* params) {
  const ParamInfo& info = field.info;
  switch (field.storage) {
    case Storage::flag:
      member_at<bool>(params, field) = read_flag(info, value, owner);
      break;
    case Storage::integer:
      member_at<Index>(params, field) = read_integer(info, value, owner);
      break;
    case Storage::number:
      member_at<double>(params, field) = read_number(info, value, owner);
      break;
    case Storage::text:
      member_at<std::string>(params, field) = word(info, value, owner);
      break;
    case Storage::choice: {
      const int chosen = read_choice(info, value, owner);
      std::memcpy(&member_at<std::byte>(params, field), &chosen, sizeof chosen);
      break;
    }
    case Storage::list:
      member_at<std::vector<double>>(params, field) = read_list(info, value, owner);
      break;
    case Storage::spec:
      member_at<Spec>(params, field) = as_spec(value);
      break;
    case Storage::maybe_flag:
      read_maybe(read_flag, field, value, owner, member_at<std::optional<bool>>(params, field));
      break;
    case Storage::maybe_integer:
      read_maybe(read_integer, field, value, owner, member_at<std::optional<Index>>(params, field));
      break;
    case Storage::maybe_number:
      read_maybe(read_number, field, value, owner, member_at<std::optional<double>>(params, field));
      break;
  }
}

SpecValue write_value(const Field& field, const void* params) {
  switch (field.storage) {
    case Storage::flag:
      return flag_text(member_at<bool>(params, field));
    case Storage::integer:
      return std::to_string(member_at<Index>(params, field));
    case Storage::number:
      return detail::number_text(member_at<double>(params, field));
    case Storage::text:
      return member_at<std::string>(params, field);
    case Storage::choice: {
      int chosen = 0;
      std::memcpy(&chosen, &member_at<std::byte>(params, field), sizeof chosen);
      return field.info.choices[at(chosen)];
    }
    case Storage::list:
      return list_text(member_at<std::vector<double>>(params, field));
    case Storage::spec:
      return member_at<Spec>(params, field);
    case Storage::maybe_flag: {
      const auto& value = member_at<std::optional<bool>>(params, field);
      return value ? flag_text(*value) : std::string("auto");
    }
    case Storage::maybe_integer: {
      const auto& value = member_at<std::optional<Index>>(params, field);
      return value ? std::to_string(*value) : std::string("auto");
    }
    case Storage::maybe_number: {
      const auto& value = member_at<std::optional<double>>(params, field);
      return value ? detail::number_text(*value) : std::string("auto");
    }
  }
  return std::string();
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

Fields::Fields(std::initializer_list<Fields> parts) {
  for (const Fields& part : parts) all_.insert(all_.end(), part.all_.begin(), part.all_.end());
}

Fields Fields::moved(std::size_t offset) const {
  Fields out = *this;
  for (Field& field : out.all_) field.offset += offset;
  return out;
}

namespace detail {

std::string number_text(double value) {
  constexpr double k_written_out = 1e9;  // 1000000 rather than 1e+06
  const bool whole = value == std::trunc(value) && std::abs(value) <= k_written_out;
  return whole ? std::to_string(static_cast<Index>(value)) : shortest(value);
}

Fields one_field(const char* name, Storage storage, std::size_t offset, const char* help,
                 const Range& range) {
  ParamType type = ParamType::number;
  if (storage == Storage::flag || storage == Storage::maybe_flag) type = ParamType::flag;
  if (storage == Storage::integer || storage == Storage::maybe_integer) type = ParamType::integer;
  if (storage == Storage::text) type = ParamType::text;
  if (storage == Storage::list) type = ParamType::list;
  const bool automatic = storage == Storage::maybe_flag || storage == Storage::maybe_integer ||
                         storage == Storage::maybe_number;
  return Fields(
      Field{{.name = name, .type = type, .help = help, .range = range, .automatic = automatic},
            storage,
            offset});
}

Fields one_choice(const char* name, const void* type, std::size_t offset, const char* help,
                  std::initializer_list<const char*> choices, bool searched) {
  return Fields(Field{{.name = name,
                       .type = ParamType::choice,
                       .help = help,
                       .searched = searched,
                       .choices = {choices.begin(), choices.end()}},
                      Storage::choice,
                      offset,
                      type});
}

Fields one_learner(const char* name, std::size_t offset, const char* help, ParamType type) {
  return Fields(Field{{.name = name, .type = type, .help = help}, Storage::spec, offset});
}

void read_fields(const Fields& fields, const Spec& spec, void* params) {
  for (const Field& field : fields.all()) {
    if (const SpecValue* given = spec.find(field.info.name)) {
      read_value(field, *given, spec.id, params);
    }
  }
  require_known(spec, fields);
}

Spec write_fields(const Fields& fields, std::string id, const void* params) {
  Spec out(std::move(id));
  for (const Field& field : fields.all()) {
    out.params.emplace_back(field.info.name, write_value(field, params));
  }
  return out;
}

std::vector<ParamInfo> describe_fields(const Fields& fields, const void* params) {
  std::vector<ParamInfo> out;
  for (const Field& field : fields.all()) {
    out.push_back(field.info);
    out.back().fallback = value_text(write_value(field, params));
  }
  return out;
}

}  // namespace detail
}  // namespace mulberry::core
