// mulberry completion: a script that teaches bash or zsh the verbs, options and learners.
#include <fmt/format.h>

#include <fstream>

#include "cli/common.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::cli {
namespace {

std::string verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  return join(names, " ");
}

std::string learner_names() {
  std::vector<std::string> names;
  for (const Learner& learner : learners()) names.push_back(learner.id);
  for (const Alias& alias : aliases()) names.push_back(alias.id);
  return join(names, " ");
}

std::string option_names(const Verb& verb) {
  std::string out = "--help";
  for (const Option& option : verb.options) out += " --" + option.name;
  return out;
}

// Words of an option such as "none|standardise|minmax"; others are completed as file names.
std::string value_cases() {
  std::string out;
  std::vector<std::string> seen;
  for (const Verb& verb : verbs()) {
    for (const Option& option : verb.options) {
      if (option.value.find('|') == std::string::npos) continue;
      if (std::find(seen.begin(), seen.end(), option.name) != seen.end()) continue;
      seen.push_back(option.name);
      std::string words = option.value;
      for (char& c : words) c = c == '|' ? ' ' : c;
      out += fmt::format("    --{}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return;;\n",
                         option.name, words);
    }
  }
  return out;
}

std::string bash_script() {
  std::string cases;
  for (const Verb& verb : verbs())
    cases += fmt::format("    {}) options=\"{}\";;\n", verb.name, option_names(verb));
  return fmt::format(
      R"(# bash completion of mulberry; load it with: source <(mulberry completion bash)
_mulberry() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" verb="${{COMP_WORDS[1]}}" options=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case "$previous" in
{}  esac
  case "$verb" in
{}  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word"));;
    *) case "$verb" in
         fit|cv|tune|tradeoff|list) COMPREPLY=($(compgen -W "{}" -- "$word"));;
       esac
       COMPREPLY+=($(compgen -f -- "$word"));;
  esac
}}
complete -o filenames -F _mulberry mulberry
)",
      verb_names(), value_cases(), cases, learner_names());
}

int run_completion(const Args& args) {
  const std::string& shell = args.words()[0];
  if (shell == "bash") {
    print(bash_script());
  } else if (shell == "zsh") {
    print(
        "#compdef mulberry\n# zsh completion of mulberry; load it with: source <(mulberry "
        "completion zsh)\n"
        "autoload -Uz compinit bashcompinit\ncompinit\nbashcompinit\n" +
        bash_script());
  } else {
    throw Error(Code::usage, "expected bash or zsh, found " + mulberry::quoted(shell),
                "Name one of the two");
  }
  return 0;
}

}  // namespace

Verb completion_verb() {
  return {.name = "completion",
          .summary = "script that completes commands in bash or zsh",
          .usage = "bash|zsh",
          .example = "source <(mulberry completion bash)",
          .least = 1,
          .most = 1,
          .run = run_completion};
}

}  // namespace mulberry::cli
