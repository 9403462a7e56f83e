// The command `mulberry`: finds the verb, parses its options, runs it, and turns exceptions into a
// message and an exit code: 0 for success, 1 for a user's mistake, 2 for a bug of ours, 130 and 143
// after signals.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <new>
#include <optional>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/page_file.hpp"
#include "cli/picture_file.hpp"
#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/core/visible.hpp"
#include "mulberry/data/read/label_xml.hpp"
#include "mulberry/math/dense/blas_core.hpp"
#include "mulberry/math/dense/blas_memory.hpp"

namespace mulberry::cli {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
      demo_verb(),    describe_verb(), fit_verb(),       predict_verb(),   score_verb(),
      cv_verb(),      tune_verb(),     tradeoff_verb(),  run_verb(),       reproduce_verb(),
      report_verb(),  list_verb(),     inspect_verb(),   relations_verb(), enhance_verb(),
      convert_verb(), split_verb(),    hide_verb(),      missing_verb(),   suspicious_verb(),
      review_verb(),  generate_verb(), completion_verb()};
  return all;
}

namespace {

std::string overview() {
  std::string out =
      "mulberry " MULBERRY_VERSION ": multi-label learning\n\nusage: mulberry VERB ...\n\n";
  for (const Verb& verb : verbs()) out += fmt::format("  {:<12} {}\n", verb.name, verb.summary);
  return out +
         "\n`mulberry VERB --help` explains a verb, `mulberry list` shows the learners.\n"
         "Start here:\n  mulberry demo\n";
}

const Verb& find_verb(const std::string& name) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) {
    if (verb.name == name) return verb;
    names.push_back(verb.name);
  }
  throw Error(Code::usage, "there is no verb " + in_quotes(name),
              did_you_mean(name, names, "`mulberry --help` shows all of them"));
}

// -o of `split` is a prefix of several file names, and may also be the name of a folder.
bool takes_prefix(const Verb& verb, std::string_view name) {
  return std::any_of(verb.options.begin(), verb.options.end(), [&](const Option& option) {
    return option.name == name && option.value == "PREFIX";
  });
}

bool is_picture(const Verb& verb, std::string_view name) {
  return std::any_of(verb.options.begin(), verb.options.end(), [&](const Option& option) {
    return option.name == name && option.value == picture_option("").value;
  });
}

// A wrong output is reported before hours of work, not after them.
void check_outputs(const Verb& verb, const Args& args) {
  std::vector<std::string> inputs;
  if (!args.words().empty()) {
    inputs.push_back(args.words().back());
    if (const auto labels = find_label_xml(inputs.back())) inputs.push_back(*labels);
  }
  for (const char* option : {"label-xml", "truth", "predictions", "scores-file", "apply", "data"}) {
    if (args.has(option)) inputs.push_back(args.text(option));
  }
  for (const char* option :
       {"output", "picture", "graph", "dot", "changes", "log", "static", "report"}) {
    if (!args.has(option)) continue;
    require_output(args.text(option) + (takes_prefix(verb, option) ? "-train" : ""), inputs);
    if (is_picture(verb, option)) require_picture(args.text(option));
    if (option == std::string_view("report")) require_page(args.text(option));
  }
}

// `cv svm DATA --C 10`: verbs of several learners take parameters in parentheses.
std::optional<std::string> parameter_hint(const Verb& verb, const std::vector<std::string>& words) {
  if (!verb.usage.starts_with("LEARNER")) return std::nullopt;
  const auto known = [&](const std::string& name) {
    return std::any_of(verb.options.begin(), verb.options.end(),
                       [&](const Option& option) { return option.name == name; });
  };
  for (std::size_t k = 0; k + 1 < words.size(); ++k) {
    const std::string name = words[k].starts_with("--") ? words[k].substr(2) : "";
    if (name.empty() || known(name)) continue;
    for (const std::string& word : words) {
      try {
        Spec spec = parse_spec(word);
        spec.set(name, words[k + 1]);
        const CompleteSpec fits(spec);
        return "Give parameters to the learner: " + in_quotes(spec.text());
      } catch (const Error&) {
        continue;  // no learner, or it has no such parameter
      }
    }
  }
  return std::nullopt;
}

Args parse_words(const Verb& verb, const std::vector<std::string>& words) {
  try {
    return parse(verb, words);
  } catch (const Error& error) {
    if (const auto hint = parameter_hint(verb, words)) throw error.with_remedy(*hint);
    throw;
  }
}

int run(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    if (words.size() > 1 && words[0] == "help") {
      print(help_text(find_verb(words[1])));
    } else {
      print(overview());
    }
    return words.empty() ? 1 : 0;
  }
  if (words[0] == "--version") {
    print("mulberry " MULBERRY_VERSION "\n");
    return 0;
  }
  Verb verb = find_verb(words[0]);
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (verb.more) verb.options = verb.options + verb.more(rest);
  for (const std::string& word : rest) {
    if (word == "--") break;
    if (word != "--help" && word != "-h") continue;
    print(help_text(verb));
    return 0;
  }
  const Args args = parse_words(verb, rest);
  check_outputs(verb, args);
  return verb.run(args);
}

// The next step of a verb that trains nothing is no other learner.
std::string out_of_memory(std::string_view verb) {
  constexpr std::array<std::string_view, 6> k_data = {"generate", "convert",  "split",
                                                      "hide",     "describe", "report"};
  if (std::ranges::find(k_data, verb) == k_data.end()) {
    return "out of memory. Use fewer rows or features, or a learner that needs less";
  }
  return "out of memory. " + std::string(verb == "generate" ? "Make" : "Use") +
         " fewer rows, features or labels, or allow more (ulimit -v)";
}

int complain(const std::string& text) {
  std::fprintf(stderr, "mulberry: %s\n", mulberry::core::visible(text).c_str());
  return 1;
}

}  // namespace
}  // namespace mulberry::cli

int main(int argc, char** argv) {
  using namespace mulberry::cli;
  try {
    mulberry::math::blas::save_addresses();
    mulberry::math::blas::choose_core();  // the process is ours, and has no other thread yet
    watch_signals();
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const Error& error) {
    return complain(error.text(spelled_as_flag));
  } catch (const Cancelled&) {
    complain("stopped; nothing was written");
    const int signal = stopping_signal();
    return signal != 0 ? 128 + signal : 130;
  } catch (const std::bad_alloc&) {
    return complain(out_of_memory(argc > 1 ? argv[1] : ""));
  } catch (const std::exception& error) {
    complain(error.what());
    return 2;
  }
}
