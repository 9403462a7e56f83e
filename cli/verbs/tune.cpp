// mulberry tune: searches the parameters of a learner and trains it with the best.
#include <nlohmann/json.hpp>

#include "cli/common.hpp"
#include "cli/measure_options.hpp"
#include "cli/output_forms.hpp"
#include "cli/page_file.hpp"
#include "cli/split_options.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/evaluate/tune.hpp"
#include "mulberry/report/page/comparison_page.hpp"
#include "mulberry/report/tune_report.hpp"

namespace mulberry::cli {
namespace {

// Decisions are what most users want, and each counts the same.
constexpr const char* k_measure = "micro_f1";
constexpr Index k_resamples = 500, k_inner_folds = 5, k_most_of_grid = 200, k_drawn = 30;

TuneOptions options_from(const Args& args, const Spec& spec, const Dataset& data) {
  const std::string search = args.choice("search", args.has("grid") ? "grid" : "random");
  TuneOptions out;
  out.measure = args.text("measure", k_measure);
  out.search = search == "grid"     ? Search::grid
               : search == "random" ? Search::random
                                    : Search::halving;
  if (args.has("grid")) out.axes = parse_grid(args.text("grid"), spec);
  out.trials = args.integer("trials", search == "grid" ? k_most_of_grid : k_drawn, 1, 1000000);
  out.outer = args.has("outer") ? args.integer("outer", 0, 2, data.rows()) : 0;
  out.evaluate.split = split_options_from(args, data, k_inner_folds);
  out.evaluate.holdout = args.has("holdout");
  out.evaluate.measure = measure_options_from(args);
  out.evaluate.preprocess = preprocess_from(args);
  out.evaluate.bootstrap = out.outer > 0 ? k_resamples : 0;
  return out;
}

int run_tune(const Args& args) {
  require_one_form(args);
  measure_info(args.text("measure", k_measure));
  const CompleteSpec spec(learner_before_data(args.words()[0]));
  const Dataset data = read_data(args.words()[1], training_options(args, {&spec, 1}), args);
  const std::unique_ptr<CellStore> store = store_from(args);
  TuneOptions options = options_from(args, spec.given(), data);
  options.evaluate.store = store.get();
  if (!args.flag("quiet")) note_before_training(spec, data, options.evaluate.preprocess);
  Run run(args, "tuning");
  // With a store, Ctrl-C shows what is finished.
  const auto finished_or_all = [&] {
    try {
      return with_file(args.words()[1], [&] { return tune(spec, data, options, run.context()); });
    } catch (const Cancelled&) {
      if (store == nullptr) throw;
      note("stopped; finished splits are kept in " + store->folder() +
           ", and the same command goes on; this is what is finished");
      options.evaluate.only_stored = true;
      options.outer = 0;
      return tune(spec, data, options, Context(1, run.context().seed()));
    }
  };
  const TuneResult result = finished_or_all();
  const bool stopped = options.evaluate.only_stored;
  run.done();
  if (args.has("output") && !stopped) {
    Run last(args, "training the winner");
    TrainedModel model = train(CompleteSpec(result.trials[result.best].spec), data,
                               {.preprocess = options.evaluate.preprocess}, last.context());
    last.done();
    model.save(args.text("output"));
  }
  write_report(args, [&] {
    return tune_page(result, args.words()[0], data.name.empty() ? args.words()[1] : data.name);
  });
  if (args.flag("json")) {
    auto json = nlohmann::ordered_json::parse(result.json());
    if (args.has("output") && !stopped) json["model"] = args.text("output");
    print_data(json_text(json) + "\n");
  } else if (args.flag("csv")) {
    print_data(tune_table(result).csv());
  } else {
    print(tune_text(result, colours()));
    if (args.has("output") && !stopped) print(args.text("output") + "\n");
    if (args.has("report")) print(args.text("report") + "\n");
  }
  return stopped ? 128 + (stopping_signal() != 0 ? stopping_signal() : 2) : 0;
}

// The measure options without the choice of several measures.
std::vector<Option> one_measure_options() {
  std::vector<Option> out = measure_options();
  std::erase_if(out, [](const Option& option) { return option.name == "measures"; });
  return out;
}

}  // namespace

Verb tune_verb() {
  return {
      .name = "tune",
      .summary = "search the parameters of a learner",
      .usage = "LEARNER DATA [--measure M] [-o MODEL]",
      .example =
          "mulberry generate photos -o photos.arff && mulberry tune br_svm photos.arff "
          "--measure micro_f1 --trials 10 -o photos.mb",
      .options =
          std::vector<Option>{{.name = "measure",
                               .value = "M",
                               .help = "measure to optimise",
                               .fallback = k_measure},
                              {.name = "output",
                               .letter = 'o',
                               .value = "MODEL",
                               .help = "train the winner on all rows and write it here"},
                              {.name = "search",
                               .value = "grid|random|halving",
                               .help = "how to search",
                               .fallback = "random, or grid with --grid"},
                              {.name = "grid",
                               .value = "\"A=1,2; base.B=3,4\"",
                               .help = "values to try instead of the declared ranges"},
                              {.name = "trials",
                               .value = "N",
                               .help = "number of random draws, or the largest size of a grid",
                               .fallback = "30, or 200 for a grid"},
                              {.name = "outer",
                               .value = "K",
                               .help = "repeat the search in K outer folds for an honest figure"},
                              report_option("trials, effects of parameters, the honest figure"),
                              csv_option("print one line per trial"),
                              work_option()} +
          split_options("5") + json_option() + run_options() + one_measure_options() +
          data_options() + preprocess_options(),
      .least = 2,
      .most = 2,
      .details =
          "Searches the ranges that `mulberry list LEARNER` shows, also for "
          "nested\nlearners; parameters that LEARNER sets stay fixed. The best of many trials "
          "looks better\nthan it is: --outer K judges the search on rows that it never saw.",
      .run = run_tune};
}

}  // namespace mulberry::cli
