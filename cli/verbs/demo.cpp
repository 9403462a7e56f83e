// mulberry demo: the main job on made-up data, from generating it to comparing learners.
#include <fmt/format.h>

#include <filesystem>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/page_file.hpp"
#include "cli/verbs.hpp"
#include "cli/verbs/demo_report.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/describe/describe.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/write/write.hpp"
#include "mulberry/evaluate/cross_validate.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/report/comparison_report.hpp"
#include "mulberry/report/describe_picture.hpp"

namespace mulberry::cli {
namespace {

// The learners to compare, the yardstick first. Learners for exclusive sets need other data.
constexpr const char* k_learners[] = {"br(base=prior)", "br_logistic", "br_svm", "ml_knn", "rml"};

std::string labels_text(const Labels& y, Index row, const std::vector<std::string>& names) {
  std::string out;
  for (const Id l : y.row(row)) out += (out.empty() ? "" : ", ") + names[at(l)];
  return out.empty() ? "(none)" : out;
}

int run_demo(const Args& args) {
  const std::string folder = args.text("folder", "mulberry-demo");
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw Error(Code::io, "cannot make the folder " + folder + ": " + failed.message(),
                "Name another folder with --folder");
  }
  const std::string data_path = folder + "/photos.arff", model_path = folder + "/photos.mb";
  Run run(args, "comparing learners");
  const Context& ctx = run.context();

  print("1. Made-up photos, each with several labels          mulberry generate photos -o " +
        data_path + "\n");
  const Dataset data = generate("photos", ctx);
  write_dataset(data, data_path);
  const Description about = describe(data, {}, ctx);
  print(fmt::format(
      "   {} rows, {} features, {} labels, {:.2f} labels per row, {} distinct label sets\n\n",
      about.rows, about.features, about.labels, about.label_cardinality,
      about.distinct_label_sets));

  print("2. Which labels there are, which occur together      mulberry describe " + data_path +
        " --picture ...\n");
  write_whole_file(folder + "/labels.svg", describe_picture(data, ctx));
  for (std::size_t k = 0; k < about.co_occurrences.size() && k < 3; ++k) {
    const PairDescription& pair = about.co_occurrences[k];
    print(fmt::format("   {} and {}: together in {} photos, {:.1f} times as often as by chance\n",
                      pair.first, pair.second, pair.together, pair.lift));
  }

  print(
      "\n3. Learners side by side on the same five folds      mulberry cv 'br(base=prior)' "
      "br_logistic ... " +
      data_path + "\n\n");
  std::vector<CompleteSpec> specs;
  for (const char* text : k_learners) specs.emplace_back(parse_spec(text));
  EvaluateOptions options;
  options.split.folds = 5;
  options.bootstrap = 200;
  const Comparison comparison = cross_validate(specs, data, options, ctx);
  run.done();
  print(comparison_text(comparison, colours()));
  write_whole_file(folder + "/comparison.svg", comparison_picture(comparison));

  print("\n4. Train a learner, save it, use it                  mulberry fit br_logistic " +
        data_path + " -o " + model_path + "\n");
  TrainedModel model = train(CompleteSpec(parse_spec("br_logistic")), data, {}, ctx.quiet());
  model.save(model_path);
  const Labels predicted = model.decide(model.predict(data, ctx));
  for (Index i = 0; i < 3; ++i) {
    print(fmt::format("   photo {}: {}   (truth: {})\n", i + 1,
                      labels_text(predicted, i, data.label_names),
                      labels_text(data.y, i, data.label_names)));
  }
  const std::string notes_path = folder + "/notes.csv", notes_model = folder + "/notes.mb";
  print("\n5. Tags for text                                      mulberry fit br_logistic " +
        notes_path + " --text body --label-list tags -o " + notes_model + "\n");
  const Dataset notes = generate("tagged-text", ctx);
  write_dataset(notes, notes_path);
  TrainedModel tagger = train(CompleteSpec(parse_spec("br_logistic")), notes, {}, ctx.quiet());
  tagger.save(notes_model);
  const Labels tags = tagger.decide(tagger.predict(notes, ctx));
  for (Index i = 0; i < 2; ++i) {
    print(fmt::format("   \"{}\": {}\n", notes.texts[0].texts[i],
                      labels_text(tags, i, notes.label_names)));
  }
  print("\n6. Five questions, five methods, one page to look at\n");
  const std::string report = folder + "/report.html";
  {
    Run last(args, "answering five questions");
    write_page(report, demo_page(data, generate("cars", last.context()), last.context()));
  }
  print(fmt::format("   {}\n\nOpen it in a browser; it needs nothing else.\n", report));
  return 0;
}

}  // namespace

Verb demo_verb() {
  return {.name = "demo",
          .summary = "the main job on made-up data, in a minute",
          .usage = "[--folder FOLDER]",
          .example = "mulberry demo",
          .options = std::vector<Option>{{.name = "folder",
                                          .value = "FOLDER",
                                          .help = "folder for its files",
                                          .fallback = "mulberry-demo"}} +
                     run_options(),
          .least = 0,
          .most = 0,
          .run = run_demo};
}

}  // namespace mulberry::cli
