// mulberry score: computes every measure that applies to a model or to another tool's predictions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "cli/common.hpp"
#include "cli/measure_options.hpp"
#include "cli/output_forms.hpp"
#include "cli/picture_file.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/measures/bootstrap.hpp"
#include "mulberry/measures/catalogue.hpp"
#include "mulberry/measures/label_table.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/report/score_picture.hpp"
#include "mulberry/report/set_tables.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::cli {
namespace {

using Json = nlohmann::ordered_json;

// Truth and predictions, wherever they came from.
struct Comparison {
  Labels truth;
  std::optional<Matrix> scores;
  std::optional<Labels> decided;
  bool probabilities = false;
  LabelSets sets;
  LabelRules rules;
  std::vector<std::string> label_names;
  std::vector<double> propensities;  // if the training data is known
  std::string what;
};

// A table about the rows of the truth, in their order. Where both have ids, these say which row is
// which.
Dataset read_rows_of(const Dataset& truth, const std::string& path, ReadOptions options,
                     const Args& args) {
  options.labels_optional = true;
  options.id_column = truth.id_name;
  options.remembered = true;  // the table may have no ids
  Dataset table = read_data(path, options, args);
  if (table.ids.empty() || table.ids == truth.ids) return table;
  std::unordered_map<std::string_view, Id> row_of;
  for (std::size_t i = 0; i < table.ids.size(); ++i) {
    if (row_of.emplace(table.ids[i], static_cast<Id>(i)).second) continue;
    throw Error(Code::data,
                "expected a different id in every row, found " + in_quotes(table.ids[i]) +
                    " twice, and not the rows of the truth",
                "Give every row its own id, or put the rows in the order of the truth", {path});
  }
  std::vector<Id> rows;
  for (const std::string& id : truth.ids) {
    const auto found = row_of.find(id);
    if (found == row_of.end()) {
      throw Error(Code::data,
                  "expected a row for every id of the truth, found none for " + in_quotes(id),
                  "Predict all rows of the truth", {path});
    }
    rows.push_back(found->second);
  }
  return take_rows(table, rows);
}

// Decisions of another tool: one column of 0 and 1 per label, or one column of words per set.
Labels read_decisions(const std::string& path, const Dataset& truth, const Args& args) {
  ReadOptions options;
  options.known_labels = truth.label_names;
  options.known_sets = truth.sets.names;
  const Dataset table = read_rows_of(truth, path, options, args);
  Labels decided;
  try {
    decided = align_labels(table, truth.label_names, truth.sets);
  } catch (const Error& error) {
    throw error
        .with_remedy(
            "The file needs a column for each label, named as in the truth, or for each set of "
            "--label-sets")
        .in_file(path);
  }
  if (decided.has_missing()) {
    throw Error(Code::data, "expected 0 or 1 in every cell, found an empty one",
                "Decide every label of every row", {path});
  }
  return decided;
}

// A CSV table with one column per label, in the order of the truth's.
Matrix read_columns(const std::string& path, const Dataset& truth, const Args& args) {
  const Dataset table = read_rows_of(truth, path, {}, args);
  const std::vector<std::string>& names = truth.label_names;
  try {
    return Matrix(to_dense(align_features(table, names, count_of(names))));
  } catch (const Error& error) {
    throw error.with_remedy("The file needs a column for each label, named as in the truth")
        .in_file(path);
  }
}

Comparison from_files(const Args& args) {
  if (!args.has("truth")) {
    throw Error(Code::usage, "expected --truth DATA with --predictions or --scores-file",
                "Name the file with the true labels");
  }
  if (!args.words().empty()) {
    throw Error(Code::usage,
                "expected either MODEL DATA or --predictions P.csv --truth DATA, found both",
                "Choose one form");
  }
  if (!args.has("predictions") && !args.has("scores-file")) {
    throw Error(Code::usage, "expected --predictions or --scores-file with --truth",
                "Name the file with the predictions");
  }
  Comparison out;
  const Dataset data = read_with_missing(args.text("truth"), args);
  out.truth = data.y;
  out.sets = data.sets;
  out.rules = data.rules;
  out.label_names = data.label_names;
  out.what = args.text("predictions", args.text("scores-file"));
  if (args.has("predictions")) out.decided = read_decisions(args.text("predictions"), data, args);
  if (args.has("scores-file")) out.scores = read_columns(args.text("scores-file"), data, args);
  out.probabilities = args.flag("probabilities");
  return out;
}

Comparison from_model(const Args& args) {
  if (args.words().size() != 2) {
    throw Error(Code::usage,
                fmt::format("expected MODEL and DATA, found {} arguments", args.words().size()),
                "The form is: mulberry score MODEL DATA, or: mulberry score --predictions P.csv "
                "--truth DATA");
  }
  const TrainedModel model = TrainedModel::load(args.words()[0]);
  const Dataset data = read_data(args.words()[1], model.reading(read_options(args)), args);
  Run run(args, "scoring");
  const std::string& path = args.words()[1];
  Prediction prediction = with_file(path, [&] { return model.predict(data, run.context()); });
  Comparison out;
  out.truth = with_file(path, [&] { return align_labels(data, model.label_names, model.sets); });
  out.decided = args.flag("consistent") ? model.decide_consistently(prediction, run.context())
                                        : model.decide(prediction);
  out.probabilities = prediction.scale == Scale::probability;
  out.scores = std::move(prediction.scores);
  out.sets = model.sets;
  out.rules = model.rules.empty() ? reordered(data.rules, data.label_names, model.label_names)
                                  : model.rules;
  out.propensities = model.propensities;
  out.label_names = model.label_names;
  out.what = args.words()[0];
  return out;
}

Table labels_table(const Comparison& compared, const Outcome& outcome,
                   const MeasureOptions& options, const Context& ctx) {
  Table table({{.title = "label", .key = "label", .right = false},
               {.title = "support", .key = "support"},
               {.title = "precision", .key = "precision"},
               {.title = "recall", .key = "recall"},
               {.title = "F1", .key = "f1"},
               {.title = "AUC", .key = "auc"}});
  for (const LabelLine& row : label_table(compared.truth, outcome, options, ctx)) {
    table.add({compared.label_names[at(row.label)], TableCell::of(row.support),
               TableCell::of(row.precision, 4), TableCell::of(row.recall, 4),
               TableCell::of(row.f1, 4), TableCell::of(row.auc, 4)});
  }
  return table;
}

std::vector<SetTable> set_tables(const Comparison& compared, const Outcome& outcome) {
  auto out = confusion_tables(compared.truth, outcome, compared.label_names);
  for (SetTable& table : pair_tables(outcome, compared.label_names))
    out.push_back(std::move(table));
  return out;
}

int run_score(const Args& args) {
  require_one_form(args);
  const bool files = args.has("predictions") || args.has("scores-file") || args.has("truth");
  const Comparison compared = files ? from_files(args) : from_model(args);
  MeasureOptions options = measure_options_from(args);
  options.propensities = compared.propensities;
  const Outcome outcome{.scores = compared.scores ? &*compared.scores : nullptr,
                        .decided = compared.decided ? &*compared.decided : nullptr,
                        .sets = compared.sets.empty() ? nullptr : &compared.sets,
                        .rules = compared.rules.empty() ? nullptr : &compared.rules,
                        .probabilities = compared.probabilities};
  const Run run(args, "scoring");
  const auto names = args.list("measures");
  const auto values = names.empty()
                          ? measure_all(compared.truth, outcome, options, run.context())
                          : measure_some(names, compared.truth, outcome, options, run.context());
  std::vector<Interval> intervals;
  if (args.flag("intervals")) {
    std::vector<std::string> wanted = names;
    if (wanted.empty()) {
      for (const MeasureInfo& info : measure_table()) {
        if (applies(info, outcome, options)) wanted.emplace_back(info.name);
      }
    }
    intervals = bootstrap(wanted, compared.truth, outcome, options, {}, run.context());
  }
  if (args.has("picture")) {
    write_picture(args.text("picture"),
                  outcome.sets != nullptr
                      ? tables_picture(compared.what, set_tables(compared, outcome))
                      : score_picture(compared.what, compared.truth, outcome, compared.label_names,
                                      options, run.context()));
  }
  if (args.flag("json")) {
    Json measures = Json::object(), undefined = Json::object(), unobserved = Json::object(),
         reasons = Json::object();
    for (const MeasureValue& value : values) {
      measures[value.name] = number_or_null<Json>(value.value);
      if (value.undefined > 0) undefined[value.name] = value.undefined;
      if (value.unobserved > 0) unobserved[value.name] = value.unobserved;
      if (!value.reason.empty()) reasons[value.name] = value.reason;
    }
    Json tables = Json::array();
    if (outcome.sets != nullptr) {
      for (const SetTable& table : set_tables(compared, outcome)) {
        Json counts = Json::array();
        for (Index i = 0; i < table.counts.rows(); ++i) counts.push_back(table.counts.row(i));
        tables.push_back({{"title", table.title},
                          {"rows", table.rows},
                          {"columns", table.columns},
                          {"counts", counts}});
      }
    }
    Json limits = Json::object();
    for (const Interval& interval : intervals)
      limits[interval.measured.name] = {interval.low, interval.high};
    print_data(json_text(Json{{"convention", name_of(options.convention)},
                              {"rows", compared.truth.rows()},
                              {"labels", compared.truth.count()},
                              {"measures", measures},
                              {"undefined", undefined},
                              {"unobserved", unobserved},
                              {"reasons", reasons},
                              {"intervals", limits},
                              {"set_tables", tables}}) +
               "\n");
    return 0;
  }
  std::vector<TableColumn> heads = {{.title = "measure", .key = "measure", .right = false},
                                    {.title = "value", .key = "value"},
                                    {.title = "better", .key = "", .right = false},
                                    {.title = "undefined", .key = "undefined"}};
  if (!intervals.empty())
    heads.insert(heads.begin() + 2, {.title = "95 % interval", .key = "interval"});
  Table table(heads);
  for (const MeasureValue& value : values) {
    std::vector<TableCell> cells = {value.name, TableCell::of(value.value, 6)};
    if (!intervals.empty()) {
      const auto found = std::find_if(
          intervals.begin(), intervals.end(),
          [&](const Interval& interval) { return interval.measured.name == value.name; });
      cells.emplace_back(
          found == intervals.end() ? "" : fmt::format("{:.4f} to {:.4f}", found->low, found->high));
    }
    cells.emplace_back(value.higher_is_better ? "higher" : "lower");
    cells.push_back(value.undefined > 0 ? TableCell::of(value.undefined) : TableCell(""));
    table.add(std::move(cells));
  }
  if (args.flag("csv")) {
    print_data(args.flag("per-label") && outcome.decided != nullptr
                   ? labels_table(compared, outcome, options, run.context()).csv()
                   : table.csv());
    return 0;
  }
  print(fmt::format("{}: {} rows, {} labels; convention {}\n", compared.what, compared.truth.rows(),
                    compared.truth.count(), name_of(options.convention)) +
        table.text(colours()));
  if (args.flag("per-label") && outcome.decided != nullptr)
    print("\nLabels, worst first\n" +
          labels_table(compared, outcome, options, run.context()).text(colours()));
  if (outcome.sets != nullptr) {
    for (const SetTable& one : set_tables(compared, outcome)) print(table_text(one, colours()));
  }
  if (args.has("picture")) print("\n" + args.text("picture") + "\n");
  return 0;
}

}  // namespace

Verb score_verb() {
  return {.name = "score",
          .summary = "measure a model, or another tool's predictions",
          .usage = "MODEL DATA | --predictions P.csv --truth DATA",
          .example =
              "mulberry generate photos -o photos.arff && mulberry fit br_logistic photos.arff -o "
              "photos.mb && "
              "mulberry score photos.mb photos.arff --per-label",
          .options =
              std::vector<Option>{
                  {.name = "predictions",
                   .value = "CSV",
                   .help = "0 and 1, one column per label, as `predict` writes"},
                  {.name = "scores-file",
                   .value = "CSV",
                   .help = "scores, one column per label, for the ranking measures"},
                  {.name = "probabilities", .help = "the scores are probabilities"},
                  {.name = "truth", .value = "DATA", .help = "data with the true labels"},
                  {.name = "intervals", .help = "add 95 % bootstrap intervals over rows"},
                  {.name = "consistent",
                   .help = "measure the best decisions that obey the rules the model was trained "
                           "with"},
                  {.name = "per-label", .help = "add a table of the labels, worst first"},
                  csv_option("print one line per measure; with --per-label, per label"),
                  picture_option(
                      "draw the labels, worst first, and their curves; or the tables of label "
                      "sets")} +
              measure_options() + run_options() + json_option() + data_options(),
          .least = 0,
          .most = 2,
          .run = run_score};
}

}  // namespace mulberry::cli
