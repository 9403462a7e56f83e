#include "mulberry/data/bytes/csv_field.hpp"

#include "mulberry/core/text.hpp"

namespace mulberry::data {

std::string csv_field(std::string_view text, char delimiter) {
  const bool plain = !text.empty() && trim(text) == text &&
                     text.find_first_of(std::string("\"\r\n") + delimiter) == std::string::npos;
  if (plain) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace mulberry::data
