// mulberry tradeoff: how learners trade precision for recall, as macro-F_beta over beta.
#include "mulberry/evaluate/tradeoff.hpp"
#include "cli/common.hpp"
#include "cli/measure_options.hpp"
#include "cli/output_forms.hpp"
#include "cli/picture_file.hpp"
#include "cli/split_options.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/report/tradeoff_report.hpp"

namespace mulberry::cli {
namespace {

constexpr Index k_points = 9, k_folds = 5;

// "0.01..100" is a range of `points` numbers; "0.5,1,2" names them.
std::vector<double> betas_from(const std::string& text, const Args& args) {
  const auto number = [&](const std::string& word) {
    const auto value = parse_number(trim(word));
    if (!value || !(*value >= 1e-6 && *value <= 1e6)) {
      throw Error(Code::usage,
                  "--beta: expected numbers from 1e-6 to 1e6, found " + in_quotes(word),
                  "For example: --beta 0.01..100, or --beta 0.5,1,2");
    }
    return *value;
  };
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    if (args.has("points")) {
      throw Error(Code::usage, "expected --points with a range of beta, found a list",
                  "Leave out --points");
    }
    std::vector<double> out;
    for (const std::string& word : core::split(text, ',')) out.push_back(number(word));
    return out;
  }
  const double low = number(text.substr(0, dots)), high = number(text.substr(dots + 2));
  if (!(low < high)) {
    throw Error(Code::usage, "--beta: expected a range that goes up, found " + in_quotes(text),
                "For example: --beta 0.01..100");
  }
  return beta_grid(low, high, args.integer("points", k_points, 2, 1000));
}

int run_tradeoff(const Args& args) {
  require_one_form(args);
  const std::vector<std::string>& words = args.words();
  const std::vector<CompleteSpec> specs = leading_learners(args);
  const std::vector<double> betas = betas_from(args.text("beta", "0.01..100"), args);
  const Dataset data = read_data(words.back(), training_options(args, specs), args);
  EvaluateOptions options;
  options.split = split_options_from(args, data, k_folds);
  options.holdout = args.has("holdout");
  options.preprocess = preprocess_from(args);
  options.measure.convention = convention_of(args.choice("convention", "sklearn"));
  for (const CompleteSpec& spec : specs) {
    if (!args.flag("quiet")) note_before_training(spec, data, options.preprocess);
  }
  Run run(args, "measuring");
  const Tradeoff result = with_file(
      words.back(), [&] { return trade_off(specs, data, betas, options, run.context()); });
  run.done();
  if (args.has("picture")) write_picture(args.text("picture"), tradeoff_picture(result));
  if (args.flag("json")) {
    print_data(result.json() + "\n");
  } else if (args.flag("csv")) {
    print_data(tradeoff_table(result).csv());
  } else {
    print(tradeoff_text(result, colours()));
    if (args.has("picture")) print("\n" + args.text("picture") + "\n");
  }
  return 0;
}

// How labels without a value count; the other measure options have no meaning here.
std::vector<Option> convention_option() {
  std::vector<Option> out = measure_options();
  std::erase_if(out, [](const Option& option) { return option.name != "convention"; });
  return out;
}

}  // namespace

Verb tradeoff_verb() {
  return {
      .name = "tradeoff",
      .summary = "macro-F_beta of learners over beta: precision against recall",
      .usage = "LEARNER [LEARNER ...] DATA --beta LOW..HIGH --folds K | --holdout F",
      .example =
          "mulberry generate photos -o photos.arff && mulberry tradeoff rml br_svm ml_knn "
          "photos.arff --beta 0.1..10 --points 5 --holdout 0.3 --picture tradeoff.svg",
      .options = std::vector<Option>{{.name = "beta",
                                      .value = "LOW..HIGH",
                                      .help = "range of beta, or a list: 0.5,1,2",
                                      .fallback = "0.01..100"},
                                     {.name = "points",
                                      .value = "N",
                                      .help = "number of betas in the range, in equal ratios",
                                      .fallback = "9"},
                                     picture_option("draw the curves"),
                                     csv_option("print one line per beta")} +
                 split_options("5") + json_option() + run_options() + convention_option() +
                 data_options() + preprocess_options(),
      .least = 2,
      .most = 100000,
      .details =
          "A learner that can be trained for F_beta (rml) is trained for every beta, unless its\n"
          "expression names a measure: rml(measure=f1). The others are trained once.",
      .run = run_tradeoff};
}

}  // namespace mulberry::cli
