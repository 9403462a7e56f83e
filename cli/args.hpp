// The command line's own parser: a verb declares its options once, and parsing, --help, completion
// and "did you mean" come from that table.
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
};

struct Verb {
  std::string name;
  std::string summary;  // one line
  std::string usage;    // what follows `mulberry NAME`
  std::string example;  // a command that works
  std::vector<Option> options = {};
  Index least = 0, most = 0;  // positionals
  std::string details = {};   // further lines of help
  std::function<int(const class Args&)> run = {};
  // Options that depend on the words of the command line: a learner's parameters.
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
  // Options in the order given: for a learner's parameters.
  const std::vector<std::pair<std::string, std::string>>& given() const { return given_; }

 private:
  friend Args parse(const Verb& verb, const std::vector<std::string>& input);
  const Verb* verb_ = nullptr;
  std::vector<std::string> words_;
  std::vector<std::pair<std::string, std::string>> given_;
};

// Throws Error (usage) for unknown or repeated options, missing or surplus values and words.
// `--name value`, `--name=value`, `-o value`, `--` ends the options; `-` is a word.
Args parse(const Verb& verb, const std::vector<std::string>& input);

std::string help_text(const Verb& verb);

}  // namespace mulberry::cli
