#include "python/src/spelling.hpp"

#include <algorithm>

#include "mulberry/core/text.hpp"
#include "python/src/base.hpp"

namespace mulberry::python {
namespace {

// Numbers, words in capitals that stand for a value, and what has quotes already.
bool needs_no_quotes(std::string_view value) {
  const bool capitals =
      std::all_of(value.begin(), value.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return capitals || value[0] == '\'' || parse_number(value).has_value();
}

// a,b is a list.
std::string list_of(std::string_view value) {
  std::vector<std::string> parts = split(value, ',');
  for (std::string& part : parts) part = '"' + part + '"';
  return "[" + join(parts, ", ") + "]";
}

// What messages advise to type in a shell, and what it is here; X is any word.
constexpr std::pair<std::string_view, std::string_view> k_advice[] = {
    {"`mulberry list X` shows all parameters", "help() of its class shows all parameters"},
    {"`mulberry list LEARNER` shows the parameters of a learner",
     "help() of its class shows the parameters of a learner"},
    {"`mulberry list` shows all of them", "mulberry.all_estimators() has all of them"},
    {"a file that `mulberry fit -o` has written",
     "a file that save() or `mulberry fit -o` has written"},
    {"`mulberry inspect` shows models", "mulberry.load reads models"},
    {"as `mulberry convert` does", "as datasets.save does"},
};

void replace_command(std::string& text, std::string_view command, std::string_view here) {
  const auto any = command.find('X');
  const std::string_view head = command.substr(0, any);
  const auto at = text.find(head);
  if (at == std::string::npos) return;
  auto end = at + head.size();
  if (any != std::string_view::npos) {
    const std::string_view tail = command.substr(any + 1);
    const auto rest = text.find(tail, end);
    if (rest == std::string::npos) return;
    end = rest + tail.size();
  }
  text.replace(at, end - at, here);
}

}  // namespace

std::string spelled_as_keyword(std::string_view name, std::string_view value) {
  // What has no counterpart here: in Python a pipeline fills in missing features.
  if (name == "impute") return "keep_missing=True and an imputer such as SimpleImputer";
  std::string out(name);
  if (value.empty()) return out;
  out += '=';
  if (needs_no_quotes(value)) return out.append(value);
  if (name == "label_sets") return out + list_of(value);
  return ((out += '"') += value) + '"';
}

std::string message_of(const Error& error) {
  std::string out = error.text(spelled_as_keyword);
  for (const auto& [command, here] : k_advice) replace_command(out, command, here);
  // Lists of base learners are without the names under which Python hands over its own.
  for (const std::string_view id : {k_python_scores, k_python_probabilities}) {
    const std::string entry = std::string(id) + ", ";
    if (const auto at = out.find(", " + entry); at != std::string::npos) {
      out.erase(at + 2, entry.size());
    }
  }
  for (const std::string_view id : {k_python_scores, k_python_probabilities}) {
    for (auto at = out.find(id); at != std::string::npos; at = out.find(id, at)) {
      out.replace(at, id.size(), "<Python estimator>");
    }
  }
  return out;
}

}  // namespace mulberry::python
