#include "mulberry/core/mention.hpp"

namespace mulberry::core {
namespace {

constexpr char k_mark = '\x1e', k_value = '\x1f';  // mark name [value value] mark

}  // namespace

std::string mention(std::string_view name, std::string_view value) {
  std::string out(1, k_mark);
  out += name;
  if (!value.empty()) (out += k_value) += value;
  return out + k_mark;
}

std::string spelled_plainly(std::string_view name, std::string_view value) {
  std::string out(name);
  if (!value.empty()) (out += " = ") += value;
  return out;
}

std::string spell(std::string_view text, Spelling spelling) {
  std::string out;
  for (;;) {
    const auto begin = text.find(k_mark);
    const auto end =
        begin == std::string_view::npos ? std::string_view::npos : text.find(k_mark, begin + 1);
    if (end == std::string_view::npos) return out.append(text);
    const std::string_view inner = text.substr(begin + 1, end - begin - 1);
    const auto cut = inner.find(k_value);
    out += text.substr(0, begin);
    out += spelling(inner.substr(0, cut),
                    cut == std::string_view::npos ? std::string_view() : inner.substr(cut + 1));
    text.remove_prefix(end + 1);
  }
}

}  // namespace mulberry::core
