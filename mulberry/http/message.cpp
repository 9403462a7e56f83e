#include "mulberry/http/message.hpp"

#include <algorithm>

namespace mulberry::http {
namespace {

std::optional<std::string> only(const Pairs& pairs, std::string_view name) {
  const auto named = [&](const auto& pair) { return pair.first == name; };
  const auto found = std::find_if(pairs.begin(), pairs.end(), named);
  if (found == pairs.end() || std::any_of(found + 1, pairs.end(), named)) return std::nullopt;
  return found->second;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '%') {
      out += text[k];
      continue;
    }
    const int high = k + 2 < text.size() ? digit(text[k + 1]) : -1;
    const int low = k + 2 < text.size() ? digit(text[k + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    k += 2;
  }
  return out;
}

}  // namespace

std::optional<std::string> Request::header(std::string_view name) const {
  return only(headers, name);
}
std::optional<std::string> Request::parameter(std::string_view name) const {
  return only(query, name);
}

std::optional<Target> parse_target(std::string_view text) {
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f && c != '#'; });
  if (!printable || !text.starts_with('/')) return std::nullopt;
  const auto mark = text.find('?');
  const auto path = decoded(text.substr(0, mark));
  if (!path) return std::nullopt;
  Target out{.path = *path};
  for (std::string_view rest = mark == std::string_view::npos ? "" : text.substr(mark + 1);
       !rest.empty();) {
    const auto end = std::min(rest.find('&'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto equals = std::min(part.find('='), part.size());
    const auto name = decoded(part.substr(0, equals));
    const auto value = decoded(part.substr(std::min(equals + 1, part.size())));
    if (!name || !value) return std::nullopt;
    out.query.emplace_back(*name, *value);
  }
  return out;
}

}  // namespace mulberry::http
