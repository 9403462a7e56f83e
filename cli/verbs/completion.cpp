// mulberry completion: a script that teaches bash or zsh the verbs, options and learners.
#include <fmt/format.h>

#include <algorithm>

#include "cli/common.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/generate/generate.hpp"
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
  for (const Learner& learner : all_learners()) names.push_back(learner.id);
  for (const Alias& alias : all_aliases()) names.push_back(alias.id);
  return join(names, " ");
}

std::string recipe_names() {
  std::vector<std::string> names;
  for (const Generator& generator : generator_table()) names.emplace_back(generator.id);
  return join(names, " ");
}

std::string option_names(const std::vector<Option>& options) {
  std::string out;
  for (const Option& option : options) out += " --" + option.name;
  return out;
}

// The words that may follow the verb, apart from file names.
std::string words_of(const Verb& verb) {
  if (verb.usage.find("LEARNER") != std::string::npos) return "$learners";
  if (verb.usage.starts_with("RECIPE")) return recipe_names();
  if (verb.usage.starts_with("bash|zsh")) return "bash zsh";
  return "";
}

// The words of an option such as "none|standardise|minmax"; other values complete as file names.
std::string value_cases() {
  std::string out;
  std::vector<std::string> seen;
  for (const Verb& verb : verbs()) {
    for (const Option& option : verb.options) {
      const bool learner = option.value == "LEARNER";
      if (!learner && option.value.find('|') == std::string::npos) continue;
      if (std::find(seen.begin(), seen.end(), option.name) != seen.end()) continue;
      seen.push_back(option.name);
      std::string words = learner ? "$learners" : option.value;
      for (char& c : words) c = c == '|' ? ' ' : c;
      out += fmt::format("    --{}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return;;\n",
                         option.name, words);
    }
  }
  return out;
}

std::string verb_cases() {
  std::string out = fmt::format("    help) words=\"{}\";;\n", verb_names());
  for (const Verb& verb : verbs()) {
    out += fmt::format("    {}) options=\"--help{}\" words=\"{}\";;\n", verb.name,
                       option_names(verb.options), words_of(verb));
  }
  return out;
}

// The parameters of the learner that `fit` will train.
std::string parameter_cases() {
  const Verb fit = fit_verb();
  std::string out;
  for (const std::string& learner : split(learner_names(), ' ')) {
    out += fmt::format("      {}) options+=\"{}\";;\n", learner, option_names(fit.more({learner})));
  }
  return out;
}

std::string bash_script() {
  return fmt::format(
      R"(# bash completion of mulberry; load it with: source <(mulberry completion bash)
_mulberry() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local verb="${{COMP_WORDS[1]}}" options="" words=""
  local learners="{}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} help --help --version" -- "$word"))
    return
  fi
  case "$previous" in
{}  esac
  case "$verb" in
{}  esac
  if [ "$verb" = fit ]; then
    case "${{COMP_WORDS[2]}}" in
{}    esac
  fi
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word"));;
    *) COMPREPLY=($(compgen -W "$words" -- "$word"))
       local IFS=$'\n'  # file names may have blanks
       COMPREPLY+=($(compgen -f -- "$word"));;
  esac
}}
complete -o filenames -F _mulberry mulberry
)",
      learner_names(), verb_names(), value_cases(), verb_cases(), parameter_cases());
}

int run_completion(const Args& args) {
  const std::string& shell = args.words()[0];
  if (shell == "bash") {
    print_data(bash_script());
  } else if (shell == "zsh") {
    print(
        "#compdef mulberry\n# zsh completion of mulberry; load it with: source <(mulberry "
        "completion zsh)\n"
        "autoload -Uz compinit bashcompinit\ncompinit\nbashcompinit\n" +
        bash_script());
  } else {
    throw Error(Code::usage, "expected bash or zsh, found " + in_quotes(shell),
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
