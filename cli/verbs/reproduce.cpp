// mulberry reproduce: the ready-made studies of experiments/, which are part of the program.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/common.hpp"
#include "cli/experiments.hpp"
#include "cli/files.hpp"
#include "cli/verbs.hpp"
#include "cli/verbs/study_verb.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::cli {
namespace {

constexpr const char* k_work = "reproduce.work";

// Tables and figures that nobody can run, and why.
struct Missing {
  const char* name;
  const char* reason;
};
constexpr Missing k_missing[] = {
    {"mahr-table1, Image2 and Reuters", "the data is not public"},
    {"mlr-gl-table2", "VOC2007 in the published features is not at hand"},
    {"mlr-gl-figures1-3", "they show photographs of ESP Game, which are not public"},
    {"dsml-table2 and -table3, Calligrapher-Font and Brand-Type",
     "the authors collected the data, and it is not public"},
};

std::string summary_of(const Study& study) {
  const auto end = study.text.find(". ");
  return study.text.substr(0, end == std::string::npos ? study.text.size() : end + 1);
}

// What of a sentence fits in a line of the list, cut between words.
std::string beginning(std::string_view text, std::size_t letters = 84) {
  if (text.size() <= letters) return std::string(text);
  return std::string(text.substr(0, text.rfind(' ', letters))) + " …";
}

int list_studies(const Args& args) {
  const bool whole = args.flag("json");
  Table table({{"study", "study", false},
               {"cells", "cells"},
               {"published values", "published"},
               {"what", "what", false}});
  for (const Experiment& e : experiments()) {
    const Study study = parse_study(e.text, e.name + ".toml", size_from(args));
    const std::size_t splits = study.protocol.kind == ProtocolKind::official ? 1
                               : study.protocol.kind == ProtocolKind::folds
                                   ? at(study.protocol.folds * study.protocol.repeats)
                                   : at(study.protocol.repeats);
    table.add({e.name,
               TableCell::of(count_of(study_sets(study)) * count_of(study.learners) *
                             static_cast<Index>(splits)),
               TableCell::of(count_of(study.published)),
               whole ? summary_of(study) : beginning(summary_of(study))});
  }
  if (whole) {
    print(table.json() + "\n");
    return 0;
  }
  print(table.text(colours()) + "\nNot to be had:\n");
  for (const Missing& m : k_missing) print(fmt::format("  {}: {}\n", m.name, m.reason));
  return 0;
}

const Experiment& find_experiment(const std::string& name) {
  std::vector<std::string> names;
  for (const Experiment& e : experiments()) {
    if (e.name == name) return e;
    names.push_back(e.name);
  }
  throw Error(Code::usage, "there is no study " + core::quoted(name),
              did_you_mean(name, names, "`mulberry reproduce` lists all of them"));
}

// The page of all studies, from what the work folder has.
int write_page(const Args& args) {
  require_output(args.text("page"), {});
  std::string out =
      "# Reproductions\n\nThe tables and figures of five papers, made by `mulberry reproduce NAME` "
      "from public data; `mulberry\nreproduce` lists the studies, [experiments.md](experiments.md) "
      "explains them. This page is made by\n`mulberry reproduce --page` from the cells of full "
      "runs. A number in brackets after a difference refers\nto the sentence below its table.\n\n";
  const CellStore store(args.text("work", k_work));
  for (const Experiment& e : experiments()) {
    const Study study = parse_study(e.text, e.name + ".toml", size_from(args));
    if (study.limits.any()) continue;  // the benchmark has a separate page
    const Plan plan = make_plan(study, Context(1));
    out += published_page(study, collect(plan, store), "mulberry reproduce " + e.name) + "\n";
  }
  out += "## What cannot be run\n\n";
  for (const Missing& m : k_missing) out += fmt::format("- {}: {}\n", m.name, m.reason);
  write_whole_file(args.text("page"), out);
  return 0;
}

int run_reproduce(const Args& args) {
  if (args.words().empty()) return args.has("page") ? write_page(args) : list_studies(args);
  const Experiment& found = find_experiment(args.words()[0]);
  const Study study = parse_study(found.text, found.name + ".toml", size_from(args));
  return execute_study(args, study, args.text("work", k_work), "mulberry reproduce " + found.name);
}

}  // namespace

Verb reproduce_verb() {
  std::vector<Option> options = study_options();
  for (Option& option : options) {
    if (option.name == "work") option.fallback = k_work;
  }
  return {.name = "reproduce",
          .summary = "run a table or figure of a paper",
          .usage = "[NAME]",
          .example = "mulberry reproduce",
          .options = std::move(options),
          .least = 0,
          .most = 1,
          .details =
              "Without NAME it lists the studies; with --page alone it writes the page of all "
              "results.\nData sets are found in the folder that MULBERRY_DATA names. --quick is a "
              "small form that ends\nwithin minutes.",
          .run = run_reproduce};
}

}  // namespace mulberry::cli
