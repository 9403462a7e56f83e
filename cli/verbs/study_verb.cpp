#include "cli/verbs/study_verb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/page_file.hpp"
#include "cli/verdict_options.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/report/page/comparison_page.hpp"
#include "mulberry/report/scores_pictures.hpp"

namespace mulberry::cli {
namespace {

RunOptions options_from(const Args& args) {
  RunOptions out;
  const Shard shard = shard_from(args);
  out.shard = shard.number;
  out.shards = shard.count;
  out.budget_minutes = args.number("budget", 0, 0.001, 1e9);
  return out;
}

void describe(const RunCount& count, const std::string& work) {
  std::string text =
      fmt::format("{} cells: {} were there, {} made now", count.cells, count.there, count.made);
  if (count.settled > 0) {
    text += fmt::format(", {} not needed, because another split is over the limit", count.settled);
  }
  if (count.damaged > 0) text += fmt::format("; {} damaged files were replaced", count.damaged);
  if (count.left > 0) {
    text += fmt::format("; {} are left for another run, because the budget is used up", count.left);
  }
  note(text + "; kept in " + work);
}

// A name of a measure may have letters that a file name cannot.
std::string file_name(const Scores& scores, const char* what) {
  std::string out = scores.measure;
  std::ranges::replace_if(
      out, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '.'; }, '_');
  return out + "-" + what + ".svg";
}

void write_pictures(const std::filesystem::path& folder, std::span<const Scores> scores,
                    std::span<const Verdicts> verdicts) {
  for (std::size_t m = 0; m < scores.size(); ++m) {
    const auto write = [&](const char* what, const std::string& svg) {
      write_whole_file((folder / file_name(scores[m], what)).string(), svg);
    };
    write("ranks", critical_difference_picture(scores[m], verdicts[m]));
    write("wins", win_tie_loss_picture(scores[m], verdicts[m]));
    write("boxes", boxes_picture(scores[m], verdicts[m]));
  }
}

// The pictures of mean ranks as a page of Markdown refers to them, if they were drawn.
std::vector<std::string> rank_pictures(const Args& args, std::span<const Scores> scores) {
  std::vector<std::string> out;
  if (!args.has("pictures")) return out;
  const std::filesystem::path page(args.text("page"));
  const auto folder = std::filesystem::proximate(
      args.text("pictures"),
      page.has_parent_path() ? page.parent_path() : std::filesystem::path("."));
  for (const Scores& one : scores) {
    out.push_back((folder / file_name(one, "ranks")).generic_string());
  }
  return out;
}

// The files that the user asked for.
void write_files(const Args& args, const Study& study, const StudyResults& results,
                 std::span<const Verdicts> verdicts, const std::string& command) {
  if (args.has("pictures")) write_pictures(args.text("pictures"), results.scores, verdicts);
  if (args.has("page")) {
    write_whole_file(args.text("page"), results_page(study, results, verdicts, command,
                                                     rank_pictures(args, results.scores)));
  }
  write_report(args, [&] { return study_page(study, results, verdicts, command); });
  if (args.has("latex")) {
    write_whole_file(args.text("latex"), scores_latex(results.scores, verdicts));
  }
  if (args.has("csv")) {
    write_whole_file(args.text("csv"), scores_rows(results.scores, verdicts).csv());
  }
}

void show(const Args& args, const Study& study, const StudyResults& results,
          std::span<const Verdicts> verdicts) {
  if (args.flag("json")) {
    const report::StudyFiles files = {.costs = args.flag("costs") || study.costs};
    print_data(results_json(study, results, verdicts, files) + "\n");
    return;
  }
  print(results_text(results, verdicts, colours()));
  if (args.flag("costs") || study.costs) print("\n" + cost_table(results).text(colours()));
  print(published_text(study, results, colours()));
}

}  // namespace

std::vector<Option> study_options() {
  return std::vector<Option>{
             {.name = "work",
              .value = "FOLDER",
              .help = "where finished cells are kept",
              .fallback = "the name of the study with .work"},
             {.name = "quick", .help = "the small form of the study, if it has one"},
             {.name = "repeats",
              .value = "N",
              .help = "number of repeats of the splits, instead of the number that the study says"},
             {.name = "only", .value = "A,B", .help = "only these learners and data sets"},
             {.name = "shard", .value = "I/N", .help = "only part I of N, for a cluster"},
             {.name = "budget",
              .value = "MINUTES",
              .help = "begin no further cell after this time"},
             {.name = "collect", .help = "run nothing, show what is finished"},
             {.name = "dry-run", .help = "run nothing, show what would run"},
             {.name = "latex", .value = "FILE.tex", .help = "write the tables for LaTeX, too"},
             {.name = "csv", .value = "FILE.csv", .help = "write one line per value, too"},
             {.name = "pictures",
              .value = "FOLDER",
              .help = "draw mean ranks, wins and losses, and boxes per set for each measure"},
             {.name = "page", .value = "FILE.md", .help = "write the results as Markdown, too"},
             report_option("mean ranks, critical differences, boxes, tables"),
             {.name = "costs", .help = "show times and memory"},
             {.name = "json", .help = "print one JSON object to standard output"},
             {.name = "threads",
              .value = "N",
              .help = "number of threads; results do not depend on it",
              .fallback = "all cores"},
             {.name = "quiet", .letter = 'q', .help = "print no progress and no notes"}} +
         verdict_options();
}

StudySize size_from(const Args& args) {
  return args.flag("quick") ? StudySize::quick : StudySize::full;
}

Study sized(const Args& args, Study study) {
  if (!args.has("repeats")) return study;
  return with_repeats(std::move(study), args.integer("repeats", 1, 1, 10000));
}

void require_folder(const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) {
    throw Error(Code::io, "cannot make the folder " + in_quotes(folder) + ": " + problem.message(),
                "Name a folder where you may write");
  }
}

void write_page_files(const std::string& path, const StudyPage& page) {
  const auto folder = std::filesystem::path(path).parent_path();
  for (const PagePicture& picture : page.pictures) {
    write_whole_file((folder / picture.file).string(), picture.svg);
  }
  write_whole_file(path, page.text);
}

int execute_study(const Args& args, const Study& study, const std::string& work,
                  const std::string& command) {
  const RunOptions options = options_from(args);
  const bool writes = !args.flag("dry-run");
  for (const char* file : {"page", "latex", "csv"}) {
    if (!args.has(file) || !writes) continue;
    require_output(args.text(file), std::vector<std::string>{study.path});
  }
  if (args.has("pictures") && writes) require_folder(args.text("pictures"));
  Run run(args, study.title);
  const Plan plan = only(make_plan(study, run.context()), args.list("only"));
  const CellStore store(work, writes && !args.flag("collect") ? StoreUse::make : StoreUse::read);
  if (args.flag("dry-run")) {
    const Table table = plan_table(plan, store, options);
    if (args.flag("json")) {
      print_data(table.json() + "\n");
    } else {
      print(table.text(colours()));
    }
    return 0;
  }
  bool stopped = false;
  if (!args.flag("collect")) {
    try {
      const RunCount count = run_cells(plan, store, options, run.context());
      run.done();
      if (!args.flag("quiet")) describe(count, work);
    } catch (const Cancelled&) {
      stopped = true;
      run.done();
    }
  }
  const StudyResults results = collect(plan, store);
  if (stopped) {
    note(
        fmt::format("stopped; {} of {} cells are finished and kept in {}; run the same command "
                    "again to go on",
                    results.cells - results.missing, results.cells, work));
  }
  const std::vector<Verdicts> verdicts =
      verdicts_of(results, verdict_options_from(args), Context(1, study.protocol.seed));
  // What is half finished replaces no file.
  if (!stopped) write_files(args, plan.study, results, verdicts, command);
  show(args, plan.study, results, verdicts);
  return stopped ? 128 + (stopping_signal() != 0 ? stopping_signal() : 2) : 0;
}

}  // namespace mulberry::cli
