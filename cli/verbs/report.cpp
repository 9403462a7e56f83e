// mulberry report: a data set or a model as one page of HTML to look at.
#include <fmt/format.h>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/measure_options.hpp"
#include "cli/page_file.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/byte_source.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/report/page/data_page.hpp"
#include "mulberry/report/page/model_page.hpp"

namespace mulberry::cli {
namespace {

Page page_of_model(const Args& args) {
  const TrainedModel model = TrainedModel::load(args.words()[0]);
  Run run(args, "measuring");
  if (!args.has("data")) return learner_page(model);
  const std::string path = args.text("data");
  const Dataset test = read_data(path, model.reading(read_options(args)), args);
  return with_file(path, [&] {
    return model_page(model, test, measure_options_from(args),
                      args.flag("importance") ? ImportanceOf::all : ImportanceOf::few_features,
                      run.context());
  });
}

Page page_of_data(const Args& args) {
  if (args.has("data")) {
    open_bytes(args.words()[0]);  // throws if it is not there
    throw Error(Code::usage, "expected a model before --data, found " + in_quotes(args.words()[0]),
                "The forms are: mulberry report DATA -o OUT.html, and: mulberry report MODEL "
                "--data TEST -o OUT.html");
  }
  const Dataset data = read_with_missing(args.words()[0], args);
  const Run run(args, "describing");
  return data_page(data, run.context());
}

int run_report(const Args& args) {
  if (!args.has("output")) {
    throw Error(Code::usage, "expected -o OUT.html, the page to write",
                "For example: -o report.html");
  }
  const std::string path = args.text("output");
  require_page(path);
  const Page page = is_model_file(args.words()[0]) ? page_of_model(args) : page_of_data(args);
  write_page(path, page);
  if (!args.flag("quiet")) print(path + "\n");
  return 0;
}

// The measure options without the choice of measures: a page has them all.
std::vector<Option> all_measures_options() {
  std::vector<Option> out = measure_options();
  std::erase_if(out, [](const Option& option) { return option.name == "measures"; });
  return out;
}

}  // namespace

Verb report_verb() {
  return {
      .name = "report",
      .summary = "a data set or a model as one page to look at",
      .usage = "DATA | MODEL [--data TEST] -o OUT.html",
      .example =
          "mulberry generate photos -o photos.arff && mulberry split photos.arff -o photos && "
          "mulberry fit br_logistic photos-train.arff -o photos.mb && mulberry report photos.mb "
          "--data photos-test.arff -o photos.html",
      .options =
          std::vector<Option>{
              {.name = "output",
               .letter = 'o',
               .value = "OUT.html",
               .help = "the page to write (required)"},
              {.name = "data", .value = "TEST", .help = "measure the model on this data"},
              {.name = "importance",
               .help = "find out which features matter, however many there are; takes a prediction "
                       "of up to 1,000 rows for each (without it: up to 200 features, 300 rows)"}} +
          run_options() + all_measures_options() + data_options(),
      .least = 1,
      .most = 1,
      .details =
          "The page is one file that needs no network: open it, print it, send it on. cv, tune, "
          "run\nand relations write such pages with --report.",
      .run = run_report};
}

}  // namespace mulberry::cli
