#include "cli/verbs/cv_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/common.hpp"
#include "cli/measure_options.hpp"
#include "cli/output_forms.hpp"
#include "cli/page_file.hpp"
#include "cli/picture_file.hpp"
#include "cli/split_options.hpp"
#include "cli/verdict_options.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/evaluate/cross_validate.hpp"
#include "mulberry/report/page/comparison_page.hpp"
#include "mulberry/report/scores_pictures.hpp"
#include "mulberry/report/scores_report.hpp"

namespace mulberry::cli {
namespace {

bool is_data(const std::string& word) {
  std::error_code ignored;
  return word.substr(0, word.find('(')).find_first_of("./") != std::string::npos &&
         std::filesystem::is_regular_file(word, ignored);
}

// Names of the data sets in the tables: of their files without endings, or the paths if two would
// be called the same. Names within the files are no help: parts of one data set share them.
std::vector<std::string> set_names(std::span<const std::string> paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    const std::string name = std::filesystem::path(path).filename().string();
    const std::string stem = name.substr(0, name.find('.', 1));
    if (std::ranges::find(out, stem) != out.end()) return {paths.begin(), paths.end()};
    out.push_back(stem);
  }
  return out;
}

// One table per measure. A measure that a data set does not have is missing there.
std::vector<Scores> scores_of(const std::vector<Comparison>& comparisons) {
  std::vector<Scores> out;
  for (const Comparison& comparison : comparisons) {
    for (std::size_t m = 0; m < comparison.measures.size(); ++m) {
      const bool known = std::ranges::any_of(
          out, [&](const Scores& scores) { return scores.measure == comparison.measures[m]; });
      if (known) continue;
      Scores& scores = out.emplace_back(comparison.scores(m));
      scores.sets.clear();
    }
  }
  for (Scores& scores : out) {
    for (const Comparison& comparison : comparisons) {
      const auto found = std::ranges::find(comparison.measures, scores.measure);
      if (found != comparison.measures.end()) {
        const auto m = static_cast<std::size_t>(found - comparison.measures.begin());
        auto& set = scores.sets.emplace_back(comparison.scores(m).sets.front());
        // A mean over fewer splits is not compared with others.
        for (std::size_t k = 0; k < comparison.learners.size(); ++k) {
          if (comparison.learners[k].unfinished > 0) set.cells[k] = {};
        }
      } else {
        scores.sets.push_back({.name = comparison.data,
                               .splits = comparison.split_rows,
                               .cells = std::vector<ScoreCell>(scores.learners.size())});
      }
    }
  }
  return out;
}

// How many words at the end are files: the data sets. The last word always counts, so that a
// misspelt name is reported as such. A learner's text has no dot or slash outside of its brackets.
std::size_t trailing_files(const Args& args) {
  const std::vector<std::string>& words = args.words();
  std::size_t out = 1;
  while (out + 1 < words.size() && is_data(words[words.size() - 1 - out])) ++out;
  return out;
}

int run_sets(const Args& args, std::size_t files) {
  for (const char* option : {"over", "intervals"}) {
    if (!args.has(option) && !args.flag(option)) continue;
    throw Error(Code::usage,
                fmt::format("expected one data set with --{}, found {}", option, files),
                "Give one data set, or leave out the option");
  }
  require_one_form(args);
  const VerdictOptions wanted = verdict_options_from(args);
  const std::vector<std::string>& words = args.words();
  std::vector<CompleteSpec> specs;
  for (std::size_t k = 0; k + files < words.size(); ++k) specs.emplace_back(parse_spec(words[k]));
  const std::vector<std::string> names = set_names(std::span(words).last(files));
  const std::unique_ptr<CellStore> store = store_from(args);
  Run run(args, "cross-validating");
  std::vector<Comparison> comparisons;
  bool stopped = false;
  for (std::size_t k = 0; k < files; ++k) {
    const std::string& path = words[words.size() - files + k];
    const Dataset data = read_data(path, training_options(args, specs), args);
    EvaluateOptions options{.split = split_options_from(args, data, 10),
                            .holdout = args.has("holdout"),
                            .measures = args.list("measures"),
                            .measure = measure_options_from(args),
                            .preprocess = preprocess_from(args),
                            .store = store.get()};
    const auto share = [&](std::size_t part) {
      return static_cast<double>(part) / static_cast<double>(files);
    };
    const Context part = run.context().part(share(k), share(k + 1));
    // With a store, Ctrl-C shows what is finished, of the sets that follow as well.
    const auto finished_or_all = [&] {
      const Context quiet(1, part.seed());
      options.only_stored = stopped;
      try {
        return cross_validate(specs, data, options, stopped ? quiet : part);
      } catch (const Cancelled&) {
        if (store == nullptr) throw;
        note("stopped; finished splits are kept in " + store->folder() +
             ", and the same command goes on; a learner has a value where all its splits are "
             "finished");
        stopped = options.only_stored = true;
        return cross_validate(specs, data, options, quiet);
      }
    };
    Comparison one = with_file(path, finished_or_all);
    one.data = names[k];
    comparisons.push_back(std::move(one));
  }
  const std::vector<Scores> scores = scores_of(comparisons);
  std::vector<Verdicts> verdicts;
  const Context calm(1, run.context().seed());
  for (const Scores& one : scores) verdicts.push_back(judge(one, wanted, calm));
  const int code = stopped ? 128 + (stopping_signal() != 0 ? stopping_signal() : 2) : 0;
  run.done();
  if (args.has("picture") && !scores.empty()) {
    write_picture(args.text("picture"),
                  critical_difference_picture(scores.front(), verdicts.front()));
  }
  write_report(args, [&] {
    return sets_page(scores, verdicts,
                     fmt::format("{} data sets; {}; convention {}.", files,
                                 comparisons.front().splits, comparisons.front().convention));
  });
  if (args.flag("json")) {
    print_data(scores_json(scores, verdicts) + "\n");
    return code;
  }
  if (args.flag("csv")) {
    print_data(scores_rows(scores, verdicts).csv());
    return code;
  }
  print(fmt::format("{} data sets; {}; convention {}\n", files, comparisons.front().splits,
                    comparisons.front().convention));
  for (std::size_t m = 0; m < scores.size(); ++m) {
    print("\n" + scores_text(scores[m], verdicts[m], colours()));
  }
  for (const char* option : {"picture", "report"}) {
    if (args.has(option)) print("\n" + args.text(option) + "\n");
  }
  return code;
}

}  // namespace

std::optional<int> cv_over_sets(const Args& args) {
  const std::size_t files = trailing_files(args);
  if (files > 1) return run_sets(args, files);
  for (const Option& option : verdict_options()) {
    if (!args.has(option.name)) continue;
    throw Error(Code::usage, "expected several data sets with --" + option.name + ", found one",
                "Leave it out: one data set has a t-test over its splits");
  }
  return std::nullopt;
}

}  // namespace mulberry::cli
