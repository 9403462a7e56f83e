#include "cli/args.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::cli {
namespace {

[[noreturn]] void fail(const Verb& verb, const std::string& problem, std::string remedy = {}) {
  if (remedy.empty()) remedy = "`mulberry " + verb.name + " --help` shows the options";
  throw Error(Code::usage, problem, std::move(remedy));
}

const Option* find(const Verb& verb, const std::string& name) {
  for (const Option& option : verb.options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

const Option& named(const Verb& verb, const std::string& name) {
  if (const Option* option = find(verb, name)) return *option;
  std::vector<std::string> names;
  for (const Option& option : verb.options) names.push_back("--" + option.name);
  // --labels is none of --label-columns, --label-count, ..., and one of these is meant.
  const std::string_view stem = std::string_view(name).substr(0, name.size() - name.ends_with('s'));
  std::vector<std::string> longer;
  for (const std::string& other : names) {
    if (stem.size() > 2 && other.starts_with("--" + std::string(stem) + "-"))
      longer.push_back(other);
  }
  fail(verb, "`mulberry " + verb.name + "` has no option " + in_quotes("--" + name),
       longer.empty() ? did_you_mean("--" + name, names, "")
                      : "It has " + join(longer, ", ") + "; `mulberry " + verb.name +
                            " --help` shows what they do");
}

const Option& lettered(const Verb& verb, char letter) {
  for (const Option& option : verb.options) {
    if (option.letter == letter && letter != 0) return option;
  }
  fail(verb, "`mulberry " + verb.name + "` has no option " + in_quotes(std::string("-") + letter));
}

// "-5" and "-.5" are words or values, "-o" is an option.
bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && !parse_number(word);
}

}  // namespace

Args parse(const Verb& verb, const std::vector<std::string>& input) {
  Args out;
  out.verb_ = &verb;
  bool options_over = false;
  for (std::size_t k = 0; k < input.size(); ++k) {
    const std::string& word = input[k];
    if (options_over || !is_option(word)) {
      out.words_.push_back(word);
      continue;
    }
    if (word == "--") {
      options_over = true;
      continue;
    }
    const bool is_long = word[1] == '-';
    const auto equals = word.find('=');
    if (!is_long && word.size() > 2)
      fail(verb, "expected one letter after the dash, found " + in_quotes(word));
    const Option& option =
        is_long ? named(verb, word.substr(2, equals == std::string::npos ? equals : equals - 2))
                : lettered(verb, word[1]);
    if (out.has(option.name) && !option.repeats)
      fail(verb, "the option --" + option.name + " is given twice");
    std::string value;
    if (option.value.empty()) {
      if (equals != std::string::npos)
        fail(verb, "the option --" + option.name + " takes no value");
    } else if (is_long && equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else {
      if (k + 1 >= input.size() || (is_option(input[k + 1]) && input[k + 1] != "-")) {
        fail(verb, "the option --" + option.name + " needs a value: " + option.value);
      }
      value = input[++k];
    }
    out.given_.emplace_back(option.name, value);
  }
  const auto count = count_of(out.words_);
  if (count < verb.least || count > verb.most) {
    const std::string wanted =
        verb.least == verb.most ? std::to_string(verb.least)
        : verb.most > 1000      ? "at least " + std::to_string(verb.least)
                                : std::to_string(verb.least) + " to " + std::to_string(verb.most);
    fail(verb,
         fmt::format("expected {} argument{}, found {}", wanted, wanted == "1" ? "" : "s", count),
         "The form is: mulberry " + verb.name + " " + verb.usage);
  }
  return out;
}

bool Args::has(const std::string& name) const {
  return std::any_of(given_.begin(), given_.end(),
                     [&](const auto& pair) { return pair.first == name; });
}

std::string Args::text(const std::string& name, const std::string& otherwise) const {
  for (const auto& [key, value] : given_) {
    if (key == name) return value;
  }
  return otherwise;
}

Index Args::integer(const std::string& name, Index otherwise, Index least, Index most) const {
  if (!has(name)) return otherwise;
  const auto value = parse_integer(text(name));
  if (!value || *value < least || *value > most) {
    fail(*verb_, fmt::format("--{} must be a whole number from {} to {}, got {}", name, least, most,
                             in_quotes(text(name))));
  }
  return *value;
}

double Args::number(const std::string& name, double otherwise, double least, double most) const {
  if (!has(name)) return otherwise;
  const auto value = parse_number(text(name));
  if (!value || *value < least || *value > most) {
    fail(*verb_, fmt::format("--{} must be a number from {} to {}, got {}", name, least, most,
                             in_quotes(text(name))));
  }
  return *value;
}

std::string Args::choice(const std::string& name, const std::string& otherwise) const {
  if (!has(name)) return otherwise;
  const std::vector<std::string> words = split(named(*verb_, name).value, '|');
  const std::string given = text(name);
  if (std::find(words.begin(), words.end(), given) != words.end()) return given;
  fail(*verb_, "--" + name + " must be one of " + join(words, ", ") + ", got " + in_quotes(given),
       did_you_mean(given, words, ""));
}

std::vector<std::string> Args::list(const std::string& name) const {
  const auto all = lists(name);
  return all.empty() ? std::vector<std::string>() : all.front();
}

std::vector<std::vector<std::string>> Args::lists(const std::string& name) const {
  std::vector<std::vector<std::string>> out;
  for (const auto& [key, value] : given_) {
    if (key != name) continue;
    out.emplace_back();
    for (const std::string& part : split(value, ',')) out.back().emplace_back(trim(part));
  }
  return out;
}

std::string help_text(const Verb& verb) {
  std::string out = fmt::format("mulberry {}: {}\n\nusage: mulberry {} {}\n", verb.name,
                                verb.summary, verb.name, verb.usage);
  if (!verb.details.empty()) out += "\n" + verb.details + "\n";
  std::vector<std::string> sections;
  for (const Option& option : verb.options) {
    if (std::find(sections.begin(), sections.end(), option.section) == sections.end()) {
      sections.push_back(option.section);
    }
  }
  for (const std::string& section : sections) {
    out += "\n" + (section.empty() ? std::string("Options") : section) + ":\n";
    for (const Option& option : verb.options) {
      if (option.section != section) continue;
      std::string left =
          option.letter != 0 ? fmt::format("-{}, ", option.letter) : std::string("    ");
      left += "--" + option.name + (option.value.empty() ? "" : " " + option.value);
      const std::string fallback =
          option.fallback.empty() ? "" : " (default: " + option.fallback + ")";
      // A long left side gets its own line.
      out += left.size() > 30 ? fmt::format("  {}\n{:34}{}{}\n", left, "", option.help, fallback)
                              : fmt::format("  {:<31} {}{}\n", left, option.help, fallback);
    }
  }
  return out + "\nexample:\n  " + verb.example + "\n";
}

}  // namespace mulberry::cli
