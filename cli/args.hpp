// Parser of the command line: a verb declares its options once; parsing, --help, completion and
// "did you mean" all use that table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::cli {

struct Option {
  std::string name;        // without dashes; "output" is --output
  char letter = 0;         // 'o' for -o
  std::string value = {};  // "FILE", "N", or "a|b|c"; empty for a flag
  std::string help = {};
  std::string fallback = {};  // shown in the help
  std::string section = {};   // heading in the help; empty: "Options"
  bool repeats = false;       // may be given several times
};

struct Verb {
  std::string name;
  std::string summary;  // one line
  std::string usage;    // follows `mulberry NAME`
  std::string example;  // a command that works
  std::vector<Option> options = {};
  Index least = 0, most = 0;  // positionals
  std::string details = {};   // further lines of help
  std::function<int(const class Args&)> run = {};
  // Options that depend on the words given, such as the parameters of a learner.
  std::function<std::vector<Option>(const std::vector<std::string>&)> more = {};
};

class Args {
 public:
  const std::vector<std::string>& words() const { return words_; }
  bool has(const std::string& name) const;
  bool flag(const std::string& name) const { return has(name); }
  std::string text(const std::string& name, const std::string& otherwise = {}) const;
  Index integer(const std::string& name, Index otherwise, Index least, Index most) const;
  double number(const std::string& name, double otherwise, double least, double most) const;
  // One of the words of the option's `value` ("a|b|c").
  std::string choice(const std::string& name, const std::string& otherwise) const;
  std::vector<std::string> list(const std::string& name) const;  // comma-separated; empty: absent
  // The same of an option that repeats: a list for each time that it is given.
  std::vector<std::vector<std::string>> lists(const std::string& name) const;
  // The options in the order given, as the parameters of a learner need them.
  const std::vector<std::pair<std::string, std::string>>& given() const { return given_; }

 private:
  friend Args parse(const Verb& verb, const std::vector<std::string>& input);
  const Verb* verb_ = nullptr;
  std::vector<std::string> words_;
  std::vector<std::pair<std::string, std::string>> given_;
};

// Takes `--name value`, `--name=value` and `-o value`; `--` ends the options, and `-` is a word.
// Throws Error (usage) for unknown or repeated options and for missing or surplus values and words.
Args parse(const Verb& verb, const std::vector<std::string>& input);

std::string help_text(const Verb& verb);

}  // namespace mulberry::cli
