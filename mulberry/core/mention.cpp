#include "mulberry/core/mention.hpp"

namespace mulberry::core {
namespace {

// mark name [value value] mark; the name of an action is one character, its number after k_action.
constexpr char k_mark = '\x1e', k_value = '\x1f', k_action = '\x10';

std::string marked(std::string_view name, std::string_view value) {
  std::string out(1, k_mark);
  out += name;
  if (!value.empty()) (out += k_value) += value;
  return out + k_mark;
}

std::string plain_option(std::string_view name, std::string_view value) {
  std::string out(name);
  if (!value.empty()) (out += " = ") += value;
  return out;
}

// Functions of include/mulberry.
std::string plain_action(Action action, std::string_view of) {
  switch (action) {
    case Action::list:
      return "list_learners()";
    case Action::parameters:
      return of.empty() ? "describe_learner()" : "describe_learner(\"" + std::string(of) + "\")";
    case Action::save:
      return "Model::save";
    case Action::load:
      return "Model::load";
    case Action::convert:
      return "Dataset::write";
  }
  return {};
}

}  // namespace

const Spelling spelled_plainly = {plain_option, plain_action};

std::string mention(std::string_view name, std::string_view value) { return marked(name, value); }

std::string mention(Action action, std::string_view of) {
  const auto number = static_cast<char>(k_action + static_cast<char>(action));
  return marked({&number, 1}, of);
}

std::string spell(std::string_view text, const Spelling& spelling) {
  std::string out;
  for (;;) {
    const auto begin = text.find(k_mark);
    const auto end =
        begin == std::string_view::npos ? std::string_view::npos : text.find(k_mark, begin + 1);
    if (end == std::string_view::npos) return out.append(text);
    const std::string_view inner = text.substr(begin + 1, end - begin - 1);
    const auto cut = inner.find(k_value);
    const std::string_view name = inner.substr(0, cut);
    const std::string_view value =
        cut == std::string_view::npos ? std::string_view() : inner.substr(cut + 1);
    out += text.substr(0, begin);
    const bool is_action = name.size() == 1 && name[0] >= k_action && name[0] < k_mark;
    out += is_action ? spelling.action(static_cast<Action>(name[0] - k_action), value)
                     : spelling.option(name, value);
    text.remove_prefix(end + 1);
  }
}

}  // namespace mulberry::core
