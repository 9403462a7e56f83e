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

std::string keyword_of(std::string_view name, std::string_view value) {
  // What has no counterpart here: in Python a pipeline fills in missing features.
  if (name == "impute") return "keep_missing=True and an imputer such as SimpleImputer";
  std::string out(name);
  if (value.empty()) return out;
  out += '=';
  if (needs_no_quotes(value)) return out.append(value);
  if (name == "label_sets") return out + list_of(value);
  return ((out += '"') += value) + '"';
}

// Parameters of a learner are in the help of its class, whose name is not its id.
std::string call_of(Action action, std::string_view) {
  switch (action) {
    case Action::list:
      return "mulberry.all_estimators()";
    case Action::parameters:
      return "help() of its class";
    case Action::save:
      return "save() or `mulberry fit -o`";
    case Action::load:
      return "mulberry.load";
    case Action::convert:
      return "datasets.save";
  }
  return {};
}

}  // namespace

const Spelling spelled_as_keyword = {keyword_of, call_of};

std::string message_of(const Error& error) {
  std::string out = error.text(spelled_as_keyword);
  // Lists of base learners are without the names under which Python hands over its own.
  for (const std::string_view id : k_python_ids) {
    const std::string entry = std::string(id) + ", ";
    if (const auto at = out.find(", " + entry); at != std::string::npos) {
      out.erase(at + 2, entry.size());
    }
  }
  for (const std::string_view id : k_python_ids) {
    for (auto at = out.find(id); at != std::string::npos; at = out.find(id, at)) {
      out.replace(at, id.size(), "<Python estimator>");
    }
  }
  return out;
}

}  // namespace mulberry::python
