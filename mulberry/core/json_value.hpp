// JsonValue: JSON whose memory may run out at any moment. The library that reads and writes our
// JSON elsewhere allocates while it frees a document, so that a process without memory ends there;
// model files are read and written through this type instead. It still leaves the grammar, and the
// text of numbers and strings, to that library.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::core {

// What is wrong with a text that should be JSON, or with a document that should have a member.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct JsonMember;

class JsonValue {
 public:
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;  // in the order in which they were added

  JsonValue();
  JsonValue(bool value);                              // NOLINT: what is written
  JsonValue(int value);                               // NOLINT
  JsonValue(Index value);                             // NOLINT
  JsonValue(std::uint64_t value);                     // NOLINT
  JsonValue(double value);                            // NOLINT
  JsonValue(std::string value);                       // NOLINT
  JsonValue(const char* value);                       // NOLINT
  JsonValue(const std::vector<std::string>& values);  // NOLINT
  JsonValue(const std::vector<Id>& values);           // NOLINT
  static JsonValue array();
  static JsonValue object();

  JsonValue(const JsonValue&);
  JsonValue(JsonValue&&) noexcept;
  JsonValue& operator=(const JsonValue&);
  JsonValue& operator=(JsonValue&&) noexcept;
  ~JsonValue();

  bool is_object() const { return std::holds_alternative<Object>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_count() const { return std::holds_alternative<std::uint64_t>(value_); }  // from 0
  bool is_whole() const { return is_count() || std::holds_alternative<Index>(value_); }
  bool is_number() const { return is_whole() || std::holds_alternative<double>(value_); }

  // Throw JsonError if the value is something else.
  bool flag() const;
  std::uint64_t count() const;
  Index whole() const;  // JsonError if it is out of range
  double number() const;
  const std::string& text() const;
  const Array& items() const;
  const Object& members() const;

  // A member by name; the last of equal names, as everywhere. Null, or JsonError, if there is none.
  const JsonValue* find(std::string_view name) const;
  const JsonValue& at(std::string_view name) const;

  // To build: a member of this name, new ones after the others; a member that is known to be new;
  // an item.
  JsonValue& operator[](const std::string& name);
  void add(std::string name, JsonValue value);
  void push_back(JsonValue item);

  // Without spaces; bytes that are not UTF-8 become a replacement character. `sorted`: members by
  // name.
  std::string dump(bool sorted = false) const;
  void dump_to(std::string& out, bool sorted) const;

  // Throws JsonError with the place of what is wrong.
  static JsonValue parse(std::string_view text);

 private:
  using Value =
      std::variant<std::monostate, bool, Index, std::uint64_t, double, std::string, Array, Object>;
  explicit JsonValue(Value value);
  template <class T>
  const T& get(const char* what) const;

  Value value_;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

}  // namespace mulberry::core
