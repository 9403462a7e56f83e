#include "mulberry/core/spec.hpp"

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::core {
namespace {

constexpr int k_max_depth = 32;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Spec whole() {
    Spec spec = parse(0);
    skip_blanks();
    if (at_ < text_.size()) fail("expected the end of the expression");
    return spec;
  }

 private:
  Spec parse(int depth) {
    if (depth > k_max_depth)
      fail("expected at most " + std::to_string(k_max_depth) + " nested learners");
    Spec spec(name("the name of a learner"));
    if (!accept('(')) return spec;
    if (accept(')')) return spec;
    do {
      std::string key = name("the name of a parameter");
      if (!accept('=')) fail("expected '=' after " + in_quotes(key));
      if (spec.find(key) != nullptr) fail("the parameter " + in_quotes(key) + " is given twice");
      spec.params.emplace_back(std::move(key), value(depth));
    } while (accept(','));
    if (!accept(')')) fail("expected ',' or ')'");
    return spec;
  }

  SpecValue value(int depth) {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '"') return until_closing('"', false);
    if (at_ < text_.size() && text_[at_] == '[') return until_closing(']', true);
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view("(),=").find(text_[at_]) == std::string_view::npos &&
           !is_blank(text_[at_]))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty()) fail("expected a value");
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '(') {
      at_ = begin;
      Spec nested = parse(depth + 1);
      if (nested.params.empty()) return std::move(nested.id);  // tree() is tree
      return nested;
    }
    return std::string(word);
  }

  SpecValue until_closing(char closing, bool keep) {
    const std::size_t begin = at_;
    const auto end = text_.find(closing, at_ + 1);
    if (end == std::string_view::npos) fail(std::string("expected a closing ") + closing);
    at_ = end + 1;
    return std::string(keep ? text_.substr(begin, at_ - begin)
                            : text_.substr(begin + 1, end - begin - 1));
  }

  std::string name(std::string_view what) {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (begin == at_) fail("expected " + std::string(what));
    return std::string(text_.substr(begin, at_ - begin));
  }

  // Line breaks, too: long expressions in scripts span several lines.
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  [[noreturn]] void fail(const std::string& problem) const {
    const std::string found =
        at_ < text_.size() ? "found " + in_quotes(text_.substr(at_)) : "found its end";
    throw Error(Code::usage,
                problem + " at character " + std::to_string(at_ + 1) + " of " + in_quotes(text_) +
                    ", " + found,
                "A learner is written like ecc(chains=10, base=linear_svm(C=2))");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool needs_quotes(const std::string& text) {
  return text.empty() ||
         (text.front() != '[' && text.find_first_of("(),= \t\n\r[]") != std::string::npos);
}

}  // namespace

const SpecValue* Spec::find(std::string_view name) const {
  for (const auto& [key, value] : params) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Spec::set(std::string_view name, SpecValue value) {
  const auto dot = name.find('.');
  const std::string head(name.substr(0, dot));
  SpecValue* slot = nullptr;
  for (auto& [key, old] : params) {
    if (key == head) slot = &old;
  }
  if (slot == nullptr) slot = &params.emplace_back(head, std::string()).second;
  if (dot == std::string_view::npos) {
    *slot = std::move(value);
    return;
  }
  Spec inner = as_spec(*slot);
  inner.set(name.substr(dot + 1), std::move(value));
  *slot = std::move(inner);
}

std::string Spec::text() const {
  if (params.empty()) return id;
  std::vector<std::string> parts;
  for (const auto& [key, value] : params) parts.push_back(key + "=" + value_text(value));
  return id + "(" + join(parts, ", ") + ")";
}

std::string value_text(const SpecValue& value) {
  if (const auto* spec = std::get_if<Spec>(&value)) return spec->text();
  const auto& text = std::get<std::string>(value);
  return needs_quotes(text) ? '"' + text + '"' : text;
}

Spec as_spec(const SpecValue& value) {
  if (const auto* spec = std::get_if<Spec>(&value)) return *spec;
  return {std::get<std::string>(value)};
}

Spec parse_spec(std::string_view text) { return Parser(text).whole(); }

}  // namespace mulberry::core
