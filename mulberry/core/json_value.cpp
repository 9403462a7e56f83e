#include "mulberry/core/json_value.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace mulberry::core {
namespace {

using Json = nlohmann::json;

// The digits of the library. Of a single number, unlike of objects and arrays, its values survive a
// failed allocation.
void add_number(double value, std::string& out) { out += Json(value).dump(); }

// How many bytes of `text` from `begin` on are one character of UTF-8, and whether they are: of a
// broken one, the bytes that could have begun it.
std::pair<std::size_t, bool> character_at(std::string_view text, std::size_t begin) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned lead = byte(begin);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const std::size_t more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  for (std::size_t k = 1; k <= more; ++k) {
    unsigned low = 0x80, high = 0xBF;
    if (k == 1 && lead == 0xE0) low = 0xA0;   // shorter forms exist
    if (k == 1 && lead == 0xED) high = 0x9F;  // halves of pairs
    if (k == 1 && lead == 0xF0) low = 0x90;
    if (k == 1 && lead == 0xF4) high = 0x8F;  // beyond the last character
    if (begin + k >= text.size() || byte(begin + k) < low || byte(begin + k) > high) {
      return {k, false};
    }
  }
  return {more + 1, true};
}

void add_text(std::string_view text, std::string& out) {
  constexpr const char* k_hex = "0123456789abcdef";
  constexpr std::string_view k_short = "\"\\\b\f\n\r\t", k_letters = "\"\\bfnrt";
  out += '"';
  for (std::size_t k = 0; k < text.size();) {
    const auto [bytes, sound] = character_at(text, k);
    const char c = text[k];
    if (!sound) {
      out += "\xEF\xBF\xBD";  // the replacement character
    } else if (const auto place = k_short.find(c); place != std::string_view::npos) {
      out += {'\\', k_letters[place]};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += {k_hex[c / 16], k_hex[c % 16]};
    } else {
      out += text.substr(k, bytes);
    }
    k += bytes;
  }
  out += '"';
}

// Builds values while a text is read.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  JsonValue take() { return std::move(root_); }

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(Index{value}); }
  bool number_unsigned(number_unsigned_t value) override { return put(std::uint64_t{value}); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonValue::object()); }
  bool key(string_t& name) override {
    names_.back() = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(JsonValue::array()); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    throw JsonError(error.what());
  }

 private:
  bool put(JsonValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_array()) {
      open_.back().push_back(std::move(value));
    } else {
      open_.back().add(std::move(names_.back()), std::move(value));
    }
    return true;
  }
  bool open(JsonValue value) {
    names_.emplace_back();
    open_.push_back(std::move(value));
    return true;
  }
  bool close() {
    JsonValue done = std::move(open_.back());
    open_.pop_back();
    names_.pop_back();
    return put(std::move(done));
  }

  JsonValue root_;
  std::vector<JsonValue> open_;
  std::vector<std::string> names_;  // of the member that comes next, in each of them
};

}  // namespace

// Here, where members are a complete type.
JsonValue::JsonValue() = default;
JsonValue::JsonValue(Value value) : value_(std::move(value)) {}
JsonValue::JsonValue(bool value) : value_(value) {}
JsonValue::JsonValue(int value) : value_(Index{value}) {}
JsonValue::JsonValue(Index value) : value_(value) {}
JsonValue::JsonValue(std::uint64_t value) : value_(value) {}
JsonValue::JsonValue(double value) : value_(value) {}
JsonValue::JsonValue(std::string value) : value_(std::move(value)) {}
JsonValue::JsonValue(const char* value) : value_(std::string(value)) {}
JsonValue JsonValue::array() { return JsonValue(Value(Array())); }
JsonValue JsonValue::object() { return JsonValue(Value(Object())); }
// The variant of libstdc++ 12 takes one of texts and vectors for always valid, and is destroyed as
// such when its copy constructor throws: what can throw happens before the variant is touched.
JsonValue::JsonValue(const JsonValue& other) {
  std::visit(
      [this](const auto& value) {
        auto copy = value;
        value_ = std::move(copy);
      },
      other.value_);
}
JsonValue::JsonValue(JsonValue&&) noexcept = default;
JsonValue& JsonValue::operator=(const JsonValue& other) {
  JsonValue copy(other);
  return *this = std::move(copy);
}
JsonValue& JsonValue::operator=(JsonValue&&) noexcept = default;
JsonValue::~JsonValue() = default;

JsonValue::JsonValue(const std::vector<std::string>& values) : value_(Array()) {
  for (const std::string& value : values) push_back(value);
}

JsonValue::JsonValue(const std::vector<Id>& values) : value_(Array()) {
  for (const Id value : values) push_back(Index{value});
}

template <class T>
const T& JsonValue::get(const char* what) const {
  if (const T* found = std::get_if<T>(&value_)) return *found;
  throw JsonError(std::string("expected ") + what + ", found something else");
}

bool JsonValue::flag() const { return get<bool>("true or false"); }
std::uint64_t JsonValue::count() const { return get<std::uint64_t>("a whole number from 0 on"); }
Index JsonValue::whole() const {
  if (!is_count()) return get<Index>("a whole number");
  if (!std::in_range<Index>(count())) throw JsonError("expected a smaller number");
  return static_cast<Index>(count());
}
double JsonValue::number() const {
  if (is_count()) return static_cast<double>(count());
  return is_whole() ? static_cast<double>(whole()) : get<double>("a number");
}
const std::string& JsonValue::text() const { return get<std::string>("a text"); }
const JsonValue::Array& JsonValue::items() const { return get<Array>("a list"); }
const JsonValue::Object& JsonValue::members() const { return get<Object>("names with values"); }

const JsonValue* JsonValue::find(std::string_view name) const {
  const Object& all = members();
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [&](const JsonMember& member) { return member.name == name; });
  return found == all.rend() ? nullptr : &found->value;
}

const JsonValue& JsonValue::at(std::string_view name) const {
  if (const JsonValue* found = find(name)) return *found;
  throw JsonError("expected a member " + std::string(name) + ", found none");
}

JsonValue& JsonValue::operator[](const std::string& name) {
  Object& all = std::get<Object>(value_);
  for (JsonMember& member : all) {
    if (member.name == name) return member.value;
  }
  return all.emplace_back(JsonMember{name, {}}).value;
}

void JsonValue::add(std::string name, JsonValue value) {
  std::get<Object>(value_).push_back({std::move(name), std::move(value)});
}

void JsonValue::push_back(JsonValue item) { std::get<Array>(value_).push_back(std::move(item)); }

std::string JsonValue::dump(bool sorted) const {
  std::string out;
  dump_to(out, sorted);
  return out;
}

void JsonValue::dump_to(std::string& out, bool sorted) const {
  if (const auto* list = std::get_if<Array>(&value_)) {
    out += '[';
    for (std::size_t k = 0; k < list->size(); ++k) {
      if (k > 0) out += ',';
      (*list)[k].dump_to(out, sorted);
    }
    out += ']';
  } else if (const auto* all = std::get_if<Object>(&value_)) {
    std::vector<const JsonMember*> order;
    for (const JsonMember& member : *all) order.push_back(&member);
    const auto before = [](const auto* a, const auto* b) { return a->name < b->name; };
    if (sorted) std::stable_sort(order.begin(), order.end(), before);
    out += '{';
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k > 0) out += ',';
      add_text(order[k]->name, out);
      out += ':';
      order[k]->value.dump_to(out, sorted);
    }
    out += '}';
  } else if (const auto* value = std::get_if<std::string>(&value_)) {
    add_text(*value, out);
  } else if (const auto* real = std::get_if<double>(&value_)) {
    if (std::isfinite(*real)) {
      add_number(*real, out);
    } else {
      out += "null";
    }
  } else if (const auto* yes = std::get_if<bool>(&value_)) {
    out += *yes ? "true" : "false";
  } else if (is_count()) {
    out += std::to_string(count());
  } else if (is_whole()) {
    out += std::to_string(whole());
  } else {
    out += "null";
  }
}

JsonValue JsonValue::parse(std::string_view text) {
  Builder builder;
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) throw JsonError("expected JSON");
  return builder.take();
}

}  // namespace mulberry::core
