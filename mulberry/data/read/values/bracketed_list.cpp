#include "mulberry/data/read/values/bracketed_list.hpp"

#include <algorithm>

#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the element at the start of `rest`, which is not empty; false if there is none.
bool take_element(std::string_view& rest, std::string& out) {
  const char quote = rest.front();
  if (is_digit(quote)) {
    const auto end = std::ranges::find_if_not(rest, is_digit);
    out.assign(rest.begin(), end);
    rest.remove_prefix(out.size());
    return true;
  }
  if (quote != '\'' && quote != '"') return false;
  for (std::size_t k = 1; k < rest.size(); ++k) {
    if (rest[k] == quote) {
      rest.remove_prefix(k + 1);
      return true;
    }
    if (rest[k] == '\\') {
      ++k;
      if (k == rest.size()) return false;
      if (std::string_view("\\'\"").find(rest[k]) == std::string_view::npos) return false;
    }
    out += rest[k];
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::string>> bracketed_list(std::string_view text) {
  constexpr std::string_view k_open = "[{(", k_close = "]})";
  text = trim(text);
  if (text == "set()") return std::vector<std::string>{};
  if (text.size() < 2) return std::nullopt;
  const auto kind = k_open.find(text.front());
  if (kind == std::string_view::npos || text.back() != k_close[kind]) return std::nullopt;
  std::vector<std::string> out;
  std::string_view rest = trim(text.substr(1, text.size() - 2));
  while (!rest.empty()) {
    if (!take_element(rest, out.emplace_back())) return std::nullopt;
    const bool apart = !rest.empty() && (rest.front() == ' ' || rest.front() == '\n');
    rest = trim(rest);
    if (!rest.empty() && rest.front() == ',') {
      rest = trim(rest.substr(1));
    } else if (!rest.empty() && !apart) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace mulberry::data
