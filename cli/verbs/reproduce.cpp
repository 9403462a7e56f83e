// mulberry reproduce: the ready-made studies of experiments/, which are part of the program.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

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
    {"mlr-gl-figure1", "it shows photographs of ESP Game, which are not public"},
    {"mlr-gl-figures2-3",
     "they list the labels of single photographs of ESP Game, which are not public; `mulberry "
     "missing` and `mulberry predict` make such lists for other data"},
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
    print_data(table.json() + "\n");
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
  throw Error(Code::usage, "there is no study " + in_quotes(name),
              did_you_mean(name, names, "`mulberry reproduce` lists all of them"));
}

// What the page of a study says that was run; empty if there is no such page.
std::string summary_on(const std::filesystem::path& page) {
  std::ifstream in(page, std::ios::binary);
  return summary_of_page(std::string{std::istreambuf_iterator<char>(in), {}});
}

// The page of a study, if the work folder has results of it: of the repeats that are complete.
void write_study_page(const Experiment& e, Study study, const CellStore& store,
                      const std::filesystem::path& file) {
  Plan plan;
  try {
    plan = make_plan(std::move(study), Context(1));
  } catch (const Error& error) {
    if (error.code() != Code::io) throw;
    note("the page of " + e.name + " stays as it is: " + error.what());  // its data is not here
    return;
  }
  const Index repeats = plan.finished_repeats(store);
  if (repeats == 0) return;
  std::string command = "mulberry reproduce " + e.name;
  if (repeats < plan.study.protocol.repeats) {
    command += fmt::format(" --repeats {}", repeats);
    plan = make_plan(with_repeats(std::move(plan.study), repeats), Context(1));
  }
  const StudyResults results = collect(plan, store);
  const auto verdicts = verdicts_of(results, {}, Context(1, plan.study.protocol.seed));
  write_page_files(file.string(), published_page(plan.study, results, verdicts, command));
}

// Pages of all studies with results in the work folder, next to each other in a folder with the
// name of the list, and the list itself. The pages of other studies stay as they are.
int write_pages(const Args& args) {
  const std::filesystem::path list = args.text("page");
  require_output(list.string(), {});
  const std::filesystem::path folder = list.parent_path() / list.stem();
  require_folder(folder.string());
  const CellStore store(args.text("work", k_work), StoreUse::read);
  std::string rows;
  for (const Experiment& e : experiments()) {
    Study study = parse_study(e.text, e.name + ".toml", size_from(args));
    if (study.limits.any()) continue;  // the benchmark has a separate page
    const std::string what = summary_of(study);
    const std::filesystem::path file = folder / (e.name + ".md");
    write_study_page(e, std::move(study), store, file);
    const std::string summary = summary_on(file);
    rows += summary.empty() ? fmt::format("| {} | {} | not run yet | | | |\n", e.name, what)
                            : fmt::format("| [{}]({}/{}.md) | {} {}\n", e.name,
                                          list.stem().string(), e.name, what, summary);
  }
  std::string out =
      "# Reproductions\n\nThe tables and figures of five papers, made from public data; `mulberry "
      "reproduce` lists the studies,\n[experiments.md](experiments.md) explains them. This page "
      "and "
      "those behind it are made by `mulberry\nreproduce --page` from the cells of full runs; where "
      "`--repeats` stands, the study has more repeats of\nits splits than were run. Published "
      "values agree if ours are within the tolerance of\nthe study or their printed deviation.\n\n"
      "| study | what | command | protocol | CPU time, half of that on two cores | published "
      "values "
      "|\n|---|---|---|---|--:|---|\n" +
      rows + "\n## What cannot be run\n\n";
  for (const Missing& m : k_missing) out += fmt::format("- {}: {}\n", m.name, m.reason);
  write_whole_file(list.string(), out);
  return 0;
}

int run_reproduce(const Args& args) {
  if (args.words().empty()) return args.has("page") ? write_pages(args) : list_studies(args);
  const Experiment& found = find_experiment(args.words()[0]);
  const Study study = sized(args, parse_study(found.text, found.name + ".toml", size_from(args)));
  std::string command = "mulberry reproduce " + found.name;
  if (args.has("repeats")) command += fmt::format(" --repeats {}", study.protocol.repeats);
  return execute_study(args, study, args.text("work", k_work), command);
}

}  // namespace

Verb reproduce_verb() {
  std::vector<Option> options = study_options();
  for (Option& option : options) {
    if (option.name == "work") option.fallback = k_work;
  }
  return {
      .name = "reproduce",
      .summary = "run a table or figure of a paper",
      .usage = "[NAME]",
      .example = "mulberry reproduce",
      .options = std::move(options),
      .least = 0,
      .most = 1,
      .details =
          "Without NAME it lists the studies; with --page FILE.md alone it writes a list of all "
          "results and a\npage for each. Data sets are found in the folder that MULBERRY_DATA "
          "names. --quick is a small form\nthat ends within minutes.",
      .run = run_reproduce};
}

}  // namespace mulberry::cli
