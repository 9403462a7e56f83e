// mulberry missing and mulberry suspicious: cells of a data set whose label looks wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/common.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/data/changes/apply_changes.hpp"
#include "mulberry/evaluate/suspects.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Found {
  std::string learner;
  std::string id_name = {};
  std::vector<std::string> ids = {};
  std::vector<std::string> label_names;
  std::vector<Suspect> suspects;  // all
  Index top = 0;                  // of them to show
  std::optional<Labels> truth;
  std::optional<Recovery> recovery;
  std::optional<Changes> changes = {};  // what the cells shown should become, if asked for
};

Changes changes_of(const Found& found, const Dataset& data, const RowNames& rows,
                   SuspectKind kind) {
  Changes out{.key = rows.key()};
  for (Index k = 0; k < found.top; ++k) {
    const Suspect& one = found.suspects[at(k)];
    out.entries.push_back({.row = rows.name(one.row),
                           .label = data.label_names[at(one.label)],
                           .from = data.y.cell(one.row, one.label),
                           .to = kind == SuspectKind::missing ? Cell::positive : Cell::negative,
                           .chance = one.chance});
  }
  return out;
}

Labels read_truth(const Dataset& data, const Args& args) {
  const Dataset other = read_with_missing(args.text("truth"), args);
  if (other.rows() != data.rows()) {
    throw Error(Code::data,
                fmt::format("expected the truth of {} rows, found {}", data.rows(), other.rows()),
                "The truth must be about the same rows, in the same order", {args.text("truth")});
  }
  return with_file(args.text("truth"),
                   [&] { return align_labels(other, data.label_names, data.sets); });
}

Found find(const Args& args, SuspectKind kind) {
  if (args.flag("json") && args.flag("csv")) {
    throw Error(Code::usage, "expected --json or --csv, found both", "Choose one");
  }
  const CompleteSpec spec(learner_before_data(args.words()[0]));
  const Index folds = args.integer("folds", 5, 2, 1000000);
  Found out;
  out.learner = spec.spec().text();
  out.top = args.integer("top", 20, 1, 1000000000);
  const std::string& path = args.words()[1];
  const Dataset data = read_data(path, training_options(args, {&spec, 1}), args);
  std::optional<RowNames> rows;  // checked before the work
  if (args.has("changes")) with_file(path, [&] { rows.emplace(data); });
  const PreprocessOptions preprocess = preprocess_from(args);
  if (!args.flag("quiet")) note_before_training(spec, data, preprocess);
  if (args.has("truth")) out.truth = read_truth(data, args);
  Run run(args, "looking");
  const Matrix scores = with_file(
      path, [&] { return out_of_fold_scores(spec, data, preprocess, folds, run.context()); });
  const Scale scale = spec.tags().probabilities ? Scale::probability : Scale::margin;
  out.suspects =
      rank_suspects(data.y, scores, label_chances(data.y, scores, scale, run.context()), kind);
  run.done();
  out.label_names = data.label_names;
  out.id_name = data.id_name;
  out.ids = data.ids;
  const auto all = count_of(out.suspects);
  out.top = std::min(out.top, all);
  if (rows) out.changes = changes_of(out, data, *rows, kind);
  if (out.truth) {
    std::vector<Index> at = {10, 100, 1000};
    std::erase_if(at, [&](Index k) { return k >= out.top; });
    at.push_back(out.top);
    out.recovery = judge_suspects(out.suspects, *out.truth, kind, at);
  }
  return out;
}

Table table_of(const Found& found, SuspectKind kind) {
  std::vector<TableColumn> columns = {
      {.title = found.ids.empty() ? "row" : found.id_name, .key = "row"},
      {.title = "label", .key = "label", .right = false},
      {.title = "chance", .key = "chance"},
      {.title = "score", .key = "score"},
      {.title = "gap", .key = "gap"}};
  if (found.truth) columns.push_back({.title = "right", .key = "right", .right = false});
  Table table(columns);
  for (Index k = 0; k < found.top; ++k) {
    const Suspect& one = found.suspects[at(k)];
    const TableCell row =
        found.ids.empty() ? TableCell::of(Index{one.row} + 1) : TableCell(found.ids[at(one.row)]);
    std::vector<TableCell> cells = {row, found.label_names[at(one.label)],
                                    TableCell::of(one.chance, 4), TableCell::of(one.score, 4),
                                    TableCell::of(one.gap, 4)};
    if (found.truth) {
      const std::optional<bool> right = is_wrong(one, *found.truth, kind);
      cells.emplace_back(!right ? "?" : *right ? "yes" : "no");
    }
    table.add(std::move(cells));
  }
  return table;
}

Json json_of(const Found& found, SuspectKind kind) {
  Json cells = Json::array();
  for (Index k = 0; k < found.top; ++k) {
    const Suspect& one = found.suspects[at(k)];
    cells.push_back({{"row", one.row + 1},
                     {"label", found.label_names[at(one.label)]},
                     {"chance", one.chance},
                     {"score", one.score},
                     {"gap", one.gap}});
    if (!found.ids.empty()) cells.back()["id"] = found.ids[at(one.row)];
    if (found.truth) {
      const std::optional<bool> right = is_wrong(one, *found.truth, kind);
      cells.back()["right"] = right ? Json(*right) : Json(nullptr);
    }
  }
  Json out{{"learner", found.learner},
           {"candidates", found.suspects.size()},
           {"cells", std::move(cells)}};
  if (found.recovery) {
    const Recovery& r = *found.recovery;
    Json precision = Json::object();
    for (std::size_t k = 0; k < r.at.size(); ++k) {
      precision[std::to_string(r.at[k])] = r.precision(k);
    }
    out["recovery"] = {{"wrong", r.wrong},
                       {"precision", precision},
                       {"random", r.random()},
                       {"auc", number_or_null<Json>(r.area)}};
  }
  return out;
}

std::string recovery_text(const Recovery& r, const char* what) {
  std::string out =
      fmt::format("\naccording to the truth, {} of {} cells are {}\n", r.wrong, r.candidates, what);
  const auto add = [&](const std::string& words, double value) {
    if (std::isfinite(value)) out += fmt::format("  {:<32} {:.4f}\n", words, value);
  };
  for (std::size_t k = 0; k < r.at.size(); ++k) {
    add(fmt::format("precision of the first {}", r.at[k]), r.precision(k));
  }
  add("precision of a random choice", r.random());
  add("AUC over all cells", r.area);
  return out;
}

int run_suspects(const Args& args, SuspectKind kind) {
  const Found found = find(args, kind);
  const Table table = table_of(found, kind);
  if (found.changes) write_changes(*found.changes, args.text("changes"));
  if (args.flag("json")) {
    print_data(json_text(json_of(found, kind)) + "\n");
  } else if (args.flag("csv")) {
    print_data(table.csv());
  } else {
    const bool missing = kind == SuspectKind::missing;
    print(fmt::format("{}\n{} of {} cells {}, each judged by a model that has not seen its row\n\n",
                      found.learner, found.top, found.suspects.size(),
                      missing ? "that probably lack a label" : "whose label looks wrong") +
          table.text(colours()));
    if (found.recovery) print(recovery_text(*found.recovery, missing ? "missing" : "wrong"));
  }
  return 0;
}

std::vector<Option> suspect_options() {
  return std::vector<Option>{
             {.name = "top", .value = "K", .help = "number of cells to show", .fallback = "20"},
             {.name = "folds",
              .value = "N",
              .help = "parts of the data, each judged by a model trained on the others",
              .fallback = "5"},
             {.name = "truth",
              .value = "DATA",
              .help = "data with the true labels, as `hide` writes it, to count the hits"},
             {.name = "changes",
              .value = "FILE",
              .help = "write these cells as a change file, for `convert --apply`"},
             {.name = "csv", .help = "print one line per cell"}} +
         json_option() + run_options() + data_options() + preprocess_options();
}

}  // namespace

Verb missing_verb() {
  return {.name = "missing",
          .summary = "find labels that rows probably lack",
          .usage = "LEARNER DATA --top K",
          .example =
              "mulberry generate photos -o photos.arff && mulberry hide photos.arff -o "
              "hidden.arff && mulberry missing mlr_gl hidden.arff --truth "
              "hidden-truth.arff --scale standardise",
          .options = suspect_options(),
          .least = 2,
          .most = 2,
          .details =
              "The gap is the score of the label minus the mean score of the labels that\n"
              "the row has: above 0, the row looks more like this label than like its own.",
          .run = [](const Args& args) { return run_suspects(args, SuspectKind::missing); }};
}

Verb suspicious_verb() {
  return {.name = "suspicious",
          .summary = "find labels that rows probably should not have",
          .usage = "LEARNER DATA --top K",
          .example =
              "mulberry generate photos -o photos.arff && mulberry hide photos.arff --mode "
              "flip --share 0.2 -o flipped.arff && mulberry suspicious br_logistic "
              "flipped.arff --truth flipped-truth.arff",
          .options = suspect_options(),
          .least = 2,
          .most = 2,
          .details =
              "The gap is the score of the label minus the mean score of the labels that\n"
              "the row does not have: below 0, the row looks less like it than like them.",
          .run = [](const Args& args) { return run_suspects(args, SuspectKind::suspicious); }};
}

}  // namespace mulberry::cli
