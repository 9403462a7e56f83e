// mulberry relations: which labels help which, as measured by a model.
#include <fmt/format.h>

#include <optional>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/output_forms.hpp"
#include "cli/page_file.hpp"
#include "cli/picture_file.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/model/plain_spec.hpp"
#include "mulberry/report/find_relations.hpp"
#include "mulberry/report/page/relations_page.hpp"
#include "mulberry/report/relations_report.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::cli {
namespace {

constexpr const char* k_default = "mahr(kappa=0)";  // all reuse counts

Table arrow_table(const Relations& r, const std::vector<Arrow>& arrows) {
  std::vector<TableColumn> heads = {{.title = "helper", .key = "helper", .right = false},
                                    {.title = "learner", .key = "learner", .right = false},
                                    {.title = "score", .key = "score"},
                                    {.title = "reverse", .key = "reverse"}};
  if (!r.support.empty()) {
    heads.push_back({.title = "plain", .key = "plain_score"});
    heads.push_back({.title = "helper rows", .key = "helper_rows"});
    heads.push_back({.title = "learner rows", .key = "learner_rows"});
  }
  if (r.phi.size() > 0) {
    heads.push_back({.title = "phi", .key = "phi"});
    heads.push_back({.title = "together", .key = "co_occurrence"});
  }
  if (r.stability.repeats > 0) {
    heads.push_back({.title = "seen again", .key = "agreement"});
    heads.push_back({.title = "repeated", .key = "repeated_mean"});
    heads.push_back({.title = "±", .key = "repeated_deviation"});
  }
  Table table(heads);
  for (const Arrow& arrow : arrows) {
    std::vector<TableCell> cells = {r.names[at(arrow.helper)], r.names[at(arrow.learner)],
                                    TableCell::of(arrow.score, 3), TableCell::of(arrow.reverse, 3)};
    if (!r.support.empty()) {
      cells.push_back(TableCell::of(r.plain(arrow.learner, arrow.helper), 3));
      cells.push_back(TableCell::of(r.support[at(arrow.helper)]));
      cells.push_back(TableCell::of(r.support[at(arrow.learner)]));
    }
    if (r.phi.size() > 0) {
      cells.push_back(TableCell::of(r.phi(arrow.learner, arrow.helper), 3));
      cells.push_back(TableCell::of(r.co_occurrence(arrow.learner, arrow.helper), 3));
    }
    if (r.stability.repeats > 0) {
      cells.push_back(TableCell::of(r.stability.agreement(arrow.learner, arrow.helper), 2));
      cells.push_back(TableCell::of(r.stability.mean(arrow.learner, arrow.helper), 3));
      cells.push_back(TableCell::of(r.stability.deviation(arrow.learner, arrow.helper), 3));
    }
    table.add(std::move(cells));
  }
  return table;
}

int run_relations(const Args& args) {
  require_one_form(args);
  const auto& words = args.words();
  const double least = args.number("least", 0.05, 0, 1e6);
  const Index repeats = args.integer("repeats", 0, 0, 1000);
  const RelationOptions options{.least = least,
                                .repeats = repeats,
                                .resample = resample_of(args.text("resample", "bootstrap"))};
  std::optional<TrainedModel> model;
  if (is_model_file(words[0])) {
    if (args.has("learner")) {
      throw Error(Code::usage, "expected --learner with DATA only, found a model",
                  "Leave out --learner: the model knows what it was trained with");
    }
    model = TrainedModel::load(words[0]);
  } else if (words.size() > 1) {
    throw Error(Code::usage, "expected a model before the data, found " + words[0],
                "Give one data file, or a model and the data it was trained on");
  }
  std::optional<Dataset> data;
  const CompleteSpec spec = model ? CompleteSpec::inner(model->spec)
                                  : CompleteSpec(parse_spec(args.text("learner", k_default)));
  if (!model || words.size() > 1) {
    ReadOptions reading = read_options(args);
    reading.keep_missing = takes_missing_features(spec);
    data = read_data(words.back(), model ? model->reading(reading) : reading, args);
  }
  require_repeats(options, data ? &*data : nullptr);  // before the work
  Run run(args, "training " + spec.id());
  const double share = repeats > 0 ? 1 / static_cast<double>(repeats + 1) : 1.0;
  if (!model) model = train(spec, *data, {}, run.context().part(0, share));

  const auto found = [&] {
    return find_relations(*model, data ? &*data : nullptr, options, run.context().part(share, 1));
  };
  const Relations relations = data ? with_file(words.back(), found) : found();
  run.done();
  const auto arrows = strongest_arrows(relations, args.integer("most", 20, 1, 100000), least);
  if (args.has("picture")) write_picture(args.text("picture"), relations_picture(relations));
  if (args.has("graph")) write_picture(args.text("graph"), relations_graph(relations, arrows));
  if (args.has("dot")) write_whole_file(args.text("dot"), relations_dot(relations, arrows));
  write_report(args, [&] {
    const std::string& of = data && !data->name.empty() ? data->name : model->data_name;
    return relations_page(relations,
                          fmt::format("As {} measures it on {}.", without_defaults(spec).text(),
                                      of.empty() ? "the training data" : of),
                          least);
  });
  if (args.flag("json")) {
    print_data(relations_json(relations, arrows, least) + "\n");
    return 0;
  }
  if (args.flag("csv")) {
    print_data(arrow_table(relations, arrows).csv());
    return 0;
  }
  std::string out = without_defaults(spec).text() + "\n\n";
  if (arrows.empty()) {
    out += fmt::format("no arrow of at least {:.2f}: no label helps another noticeably\n", least);
  } else {
    out += arrow_table(relations, arrows).text(colours()) + "\n";
    for (const std::string& sentence : arrow_sentences(relations, arrows, least))
      out += sentence + "\n";
    if (repeats == 0 && !args.flag("quiet"))
      out += "Trained once: add the data and --repeats 10 to learn which arrows to trust.\n";
  }
  for (const char* option : {"picture", "graph", "dot", "report"}) {
    if (args.has(option)) out += fmt::format("{}: {}\n", option, args.text(option));
  }
  print(out);
  return 0;
}

}  // namespace

Verb relations_verb() {
  return {
      .name = "relations",
      .summary = "which labels help which",
      .usage = "DATA|MODEL [DATA] [--picture F.svg] [--graph F.svg]",
      .example =
          "mulberry generate photos -o photos.arff && mulberry relations photos.arff --learner "
          "'mahr(kappa=0, rounds=50)' --graph photos.svg",
      .options =
          std::vector<Option>{
              {.name = "learner",
               .value = "LEARNER",
               .help = "learner to train on DATA; it must measure reuse scores",
               .fallback = k_default},
              {.name = "most", .value = "N", .help = "number of arrows to show", .fallback = "20"},
              {.name = "least",
               .value = "X",
               .help = "smallest score of an arrow; a reverse arrow below it does not count",
               .fallback = "0.05"},
              {.name = "repeats",
               .value = "N",
               .help = "train again on N samples of the rows: how often does each arrow return?",
               .fallback = "0"},
              {.name = "resample",
               .value = "bootstrap|folds|halves",
               .help = "samples: as many rows with replacement, all but one of N parts, or half",
               .fallback = "bootstrap"},
              picture_option("draw scores, correlation and co-occurrence as heat maps"),
              picture_option("draw labels and arrows", "graph"),
              {.name = "dot", .value = "FILE", .help = "write the graph for Graphviz"},
              report_option("graph with a slider, figures on hover, table and maps"),
              csv_option("print one line per arrow")} +
          run_options() + json_option() + data_options(),
      .least = 1,
      .most = 2,
      .details =
          "A score of 0.3 from sunset to sea means: the hypotheses of sunset contributed 0.3 "
          "times\nas much to the model of sea as its own hypotheses did. A negative score means "
          "that sunset\nspeaks against sea. With data, scores of labels with few rows are shrunk: "
          "at 20 rows to the\nshare of sunset in all that was learnt about sea; `plain` is the "
          "score "
          "before that. Scores\ndescribe the model, not causes.",
      .run = run_relations};
}

}  // namespace mulberry::cli
