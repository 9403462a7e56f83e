#include "mulberry/study/toml_tree.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/text.hpp"

// A header of the distribution, in this file only: it takes seconds to compile.
#define TOML_ENABLE_FORMATTERS 0
// Its assertions are about files, not about its code: what breaks them has an error further on.
// With NDEBUG, clang would be told to rely on them.
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

namespace mulberry::study {
namespace {

using Kind = TomlValue::Kind;

Place place_of(const toml::source_region& source, const std::string& path) {
  return {path, static_cast<std::int64_t>(source.begin.line),
          static_cast<std::int64_t>(source.begin.column)};
}

TomlValue tree_of(const toml::node& node, const std::string& path) {
  TomlValue out{.where = place_of(node.source(), path)};
  if (const auto* table = node.as_table()) {
    for (const auto& [key, value] : *table) {
      TomlValue inner = tree_of(value, path);
      // The key is where people look; a table has no line if only its parts are in the file.
      if (key.source().begin.line != 0) inner.where = place_of(key.source(), path);
      out.entries.emplace_back(std::string(key.str()), std::move(inner));
    }
    // The library sorts by name; tables of results keep the order of the file.
    std::stable_sort(out.entries.begin(), out.entries.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.where.line, a.second.where.column) <
             std::pair(b.second.where.line, b.second.where.column);
    });
  } else if (const auto* array = node.as_array()) {
    out.kind = Kind::array;
    for (const toml::node& item : *array) out.items.push_back(tree_of(item, path));
  } else if (const auto* text = node.as_string()) {
    out.kind = Kind::text;
    out.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    out.kind = Kind::integer;
    out.integer = integer->get();
    out.number = static_cast<double>(out.integer);
  } else if (const auto* number = node.as_floating_point()) {
    out.kind = Kind::number;
    out.number = number->get();
  } else if (const auto* flag = node.as_boolean()) {
    out.kind = Kind::flag;
    out.flag = flag->get();
  } else {
    out.kind = Kind::other;
  }
  return out;
}

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string TomlValue::kind_name() const {
  switch (kind) {
    case Kind::table:
      return "a table";
    case Kind::array:
      return "a list";
    case Kind::text:
      return in_quotes(text);
    case Kind::integer:
      return std::to_string(integer);
    case Kind::number:
      return shortest(number);
    case Kind::flag:
      return flag ? "true" : "false";
    case Kind::other:
      return "a date or time";
  }
  return "";
}

// TOML has letters beyond ASCII in quotes and comments only. Elsewhere toml++ asks what kind of
// letter they are, from a table that does not hold them all, which is undefined behaviour; so they
// are refused before it sees them, and so are quotes where no key or value begins.
static void require_quotes_around_letters(std::string_view text, const std::string& path) {
  constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
  std::int64_t line = 1, column = 1;
  std::string_view end;  // of the text in quotes that we are in
  char before = '\n';    // the last character outside of quotes that is no blank
  bool comment = false;
  const auto refuse = [&](const char* found) {
    throw Error(Code::format, std::string("expected TOML, found ") + found,
                "Put the whole key or text in quotes", {path, line, column});
  };
  for (std::size_t i = text.starts_with(k_byte_order_mark) ? 3 : 0, step = 1; i < text.size();
       i += step, column += static_cast<std::int64_t>(step)) {
    const char c = text[i];
    step = 1;
    if (c == '\n') {
      ++line;
      column = 0;
      comment = false;
      if (end.size() == 1) end = {};
      if (end.empty()) before = c;
    } else if (comment) {
      continue;
    } else if (!end.empty()) {
      if (c == '\\' && end[0] == '"' && i + 1 < text.size() && text[i + 1] != '\n') {
        step = 2;
      } else if (text.substr(i).starts_with(end)) {
        step = end.size();
        end = {};
        before = c;
      }
    } else if (c == '#') {
      comment = true;
    } else if (c == '"' || c == '\'') {
      if (std::string_view("\n=[,{.").find(before) == std::string_view::npos) {
        refuse("a quote in the middle of a word");
      }
      const std::string_view three = c == '"' ? "\"\"\"" : "'''";
      end = text.substr(i).starts_with(three) ? three : three.substr(0, 1);
      step = end.size();
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      refuse("a letter outside ASCII without quotes");
    } else if (c != ' ' && c != '\t' && c != '\r') {
      before = c;
    }
  }
}

TomlValue parse_toml(std::string_view text, const std::string& path) {
  require_quotes_around_letters(text, path);
  try {
    return tree_of(toml::parse(text, path), path);
  } catch (const toml::parse_error& error) {
    throw Error(Code::format, "expected TOML, and this is not: " + std::string(error.description()),
                "See https://toml.io for the form of the file", place_of(error.source(), path));
  }
}

TomlSection::TomlSection(const TomlValue& table, std::string name, std::vector<std::string> known)
    : table_(&table), name_(std::move(name)) {
  if (!table.is(Kind::table)) {
    throw Error(Code::format, "expected a table for " + name_ + ", found " + table.kind_name(),
                "For example: " + known[0] + " = ...", table.where);
  }
  for (const auto& [key, value] : table.entries) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw Error(Code::format, name_ + " has no key " + in_quotes(key),
                did_you_mean(key, known, "Its keys are " + join(known, ", ")), value.where);
  }
}

void TomlSection::refuse(const std::string& key, const std::string& expected) const {
  const TomlValue& value = *table_->find(key);
  throw Error(
      Code::format,
      "expected " + expected + " for " + key + " of " + name_ + ", found " + value.kind_name(),
      "Correct the value", value.where);
}

std::string TomlSection::text(const std::string& key, const std::string& otherwise) const {
  const TomlValue* value = table_->find(key);
  if (value == nullptr) return otherwise;
  if (!value->is(Kind::text)) refuse(key, "text in quotes");
  return value->text;
}

bool TomlSection::flag(const std::string& key, bool otherwise) const {
  const TomlValue* value = table_->find(key);
  if (value == nullptr) return otherwise;
  if (!value->is(Kind::flag)) refuse(key, "true or false");
  return value->flag;
}

Index TomlSection::integer(const std::string& key, Index otherwise, Index least, Index most) const {
  const TomlValue* value = table_->find(key);
  if (value == nullptr) return otherwise;
  if (!value->is(Kind::integer) || value->integer < least || value->integer > most) {
    refuse(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value->integer;
}

double TomlSection::number(const std::string& key, double otherwise, double least,
                           double most) const {
  const TomlValue* value = table_->find(key);
  if (value == nullptr) return otherwise;
  if ((!value->is(Kind::number) && !value->is(Kind::integer)) ||
      !(value->number >= least && value->number <= most)) {
    refuse(key, "a number from " + shortest(least) + " to " + shortest(most));
  }
  return value->number;
}

std::vector<std::string> TomlSection::texts(const std::string& key) const {
  const TomlValue* value = table_->find(key);
  if (value == nullptr) return {};
  if (value->is(Kind::text)) return {value->text};
  if (!value->is(Kind::array)) refuse(key, "a list of texts");
  std::vector<std::string> out;
  for (const TomlValue& item : value->items) {
    if (!item.is(Kind::text)) refuse(key, "a list of texts");
    out.push_back(item.text);
  }
  return out;
}

std::vector<double> TomlSection::numbers(const std::string& key) const {
  const TomlValue* value = table_->find(key);
  if (value == nullptr) return {};
  if (!value->is(Kind::array)) refuse(key, "a list of numbers");
  std::vector<double> out;
  for (const TomlValue& item : value->items) {
    if (!item.is(Kind::number) && !item.is(Kind::integer)) refuse(key, "a list of numbers");
    out.push_back(item.number);
  }
  return out;
}

std::string TomlSection::choice(const std::string& key, const std::string& otherwise,
                                const std::vector<std::string>& words) const {
  const std::string out = text(key, otherwise);
  if (std::find(words.begin(), words.end(), out) == words.end()) {
    throw Error(Code::format,
                "expected one of " + join(words, ", ") + " for " + key + " of " + name_ +
                    ", found " + in_quotes(out),
                did_you_mean(out, words, "Choose one of them"), table_->find(key)->where);
  }
  return out;
}

}  // namespace mulberry::study
