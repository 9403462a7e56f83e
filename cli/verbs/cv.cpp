// mulberry cv: compares learners on the same splits.
#include <functional>

#include "cli/common.hpp"
#include "cli/measure_options.hpp"
#include "cli/output_forms.hpp"
#include "cli/page_file.hpp"
#include "cli/picture_file.hpp"
#include "cli/split_options.hpp"
#include "cli/verbs.hpp"
#include "cli/verbs/cv_sets.hpp"
#include "cli/verdict_options.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/sweep.hpp"
#include "mulberry/report/comparison_report.hpp"
#include "mulberry/report/page/comparison_page.hpp"
#include "mulberry/report/sweep_report.hpp"

namespace mulberry::cli {
namespace {

constexpr Index k_resamples = 500;

// A result in each output form.
struct Forms {
  std::function<std::string()> text = {}, csv = {}, json = {}, picture = {};
  std::function<Page()> page = {};
};

void show(const Args& args, const Forms& forms) {
  if (args.has("picture")) write_picture(args.text("picture"), forms.picture());
  write_report(args, forms.page);
  if (args.flag("json")) {
    print_data(forms.json() + "\n");
  } else if (args.flag("csv")) {
    print_data(forms.csv());
  } else {
    print(forms.text());
    for (const char* option : {"picture", "report"}) {
      if (args.has(option)) print("\n" + args.text(option) + "\n");
    }
  }
}

int run_cv(const Args& args) {
  if (const std::optional<int> code = cv_over_sets(args)) return *code;
  const std::vector<std::string>& words = args.words();
  const std::vector<CompleteSpec> specs = leading_learners(args);
  require_one_form(args);
  const Dataset data = read_data(words.back(), training_options(args, specs), args);
  const std::unique_ptr<CellStore> store = store_from(args);
  EvaluateOptions options{.split = split_options_from(args, data, 10),
                          .holdout = args.has("holdout"),
                          .measures = args.list("measures"),
                          .measure = measure_options_from(args),
                          .preprocess = preprocess_from(args),
                          .bootstrap = args.flag("intervals") ? k_resamples : 0,
                          .level = args.number("level", 0.95, 0.01, 0.9999),
                          .store = store.get()};
  for (const CompleteSpec& spec : specs) {
    if (!args.flag("quiet")) note_before_training(spec, data, options.preprocess);
  }
  Run run(args, "cross-validating");
  // With a store, Ctrl-C shows what is finished.
  const auto finished_or_all = [&](const auto& compare) {
    try {
      return with_file(words.back(), [&] { return compare(run.context()); });
    } catch (const Cancelled&) {
      if (store == nullptr) throw;
      note("stopped; finished splits are kept in " + store->folder() +
           ", and the same command goes on; this is what is finished");
      options.only_stored = true;
      return compare(Context(1, run.context().seed()));
    }
  };
  const auto ending = [&] {
    return options.only_stored ? 128 + (stopping_signal() != 0 ? stopping_signal() : 2) : 0;
  };
  if (args.has("over")) {
    const Sweep sweep = finished_or_all([&](const Context& ctx) {
      return sweep_parameter(specs, args.text("over"), data, options, ctx);
    });
    run.done();
    show(args, {.text = [&] { return sweep_text(sweep, colours()); },
                .csv = [&] { return comparison_rows(sweep.comparison).csv(); },
                .json = [&] { return sweep.json(); },
                .picture = [&] { return sweep_picture(sweep); },
                .page = [&] { return sweep_page(sweep); }});
    return ending();
  }
  const Comparison result = finished_or_all(
      [&](const Context& ctx) { return cross_validate(specs, data, options, ctx); });
  run.done();
  show(args, {.text = [&] { return comparison_text(result, colours()); },
              .csv = [&] { return comparison_rows(result).csv(); },
              .json = [&] { return result.json(); },
              .picture = [&] { return comparison_picture(result); },
              .page = [&] { return comparison_page(result); }});
  return ending();
}

}  // namespace

Verb cv_verb() {
  return {
      .name = "cv",
      .summary = "compare learners by cross-validation",
      .usage = "LEARNER [LEARNER ...] DATA [DATA ...] --folds K | --holdout F --repeats R",
      .example =
          "mulberry generate photos -o photos.arff && mulberry cv br_logistic 'br_svm(C=2)' "
          "photos.arff --folds 5 --intervals --picture photos.svg",
      .options =
          split_options("10") +
          std::vector<Option>{
              {.name = "intervals", .help = "bootstrap intervals over the test rows"},
              {.name = "level",
               .value = "P",
               .help = "confidence level of the intervals",
               .fallback = "0.95"},
              {.name = "over",
               .value = "NAME=1,2,5",
               .help = "repeat for each of these values of a parameter; also NAME=1..10"},
              picture_option("draw the comparison; with --over, the curves of the first measure"),
              report_option("dots with intervals, tables, curves"),
              csv_option("print one line per learner and measure"),
              work_option()} +
          json_option() + run_options() + measure_options(join(usual_measures(), ", ")) +
          data_options() + preprocess_options() + verdict_options(),
      .least = 2,
      .most = 100000,
      .details =
          "Every learner sees the same splits. Whatever it learns, including scaling, thresholds "
          "and\nparameters that it chooses itself, comes from the training part only.\n"
          "With several data sets, the tables have one row per set, and tests over the sets say "
          "which\nlearners differ.",
      .run = run_cv};
}

}  // namespace mulberry::cli
