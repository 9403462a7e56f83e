// mulberry inspect: the contents of a model file, for people or programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/common.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/report/chosen.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::cli {
namespace {

constexpr std::size_t k_most_rules = 5;  // shown of those that imply something

using Json = nlohmann::ordered_json;

Json result_json(const Result& result, const TrainedModel& model) {
  Json values = Json::array();
  for (Index i = 0; i < result.values.rows(); ++i) {
    Json row = Json::array();
    for (const double v : result.values.row(i)) row.push_back(number_or_null<Json>(v));
    values.push_back(std::move(row));
  }
  return {
      {"sentence", result.sentence},
      {"rows", model.names_along(result.rows, result.row_names, result.values.rows(), 1)},
      {"columns", model.names_along(result.columns, result.column_names, result.values.cols(), 1)},
      {"values", values}};
}

std::string result_text(const Result& result, const TrainedModel& model, bool all) {
  constexpr Index k_most_rows = 25, k_most_columns = 10;
  const auto rows = model.names_along(result.rows, result.row_names, result.values.rows(), 1);
  const auto columns =
      model.names_along(result.columns, result.column_names, result.values.cols(), 1);
  const Index shown_rows = all ? result.values.rows() : std::min(k_most_rows, result.values.rows());
  const Index shown_columns =
      all ? result.values.cols() : std::min(k_most_columns, result.values.cols());
  std::vector<TableColumn> heads = {{.title = "", .key = "name", .right = false}};
  for (Index j = 0; j < shown_columns; ++j) {
    heads.push_back({.title = columns[at(j)], .key = columns[at(j)]});
  }
  Table table(heads);
  for (Index i = 0; i < shown_rows; ++i) {
    std::vector<TableCell> cells = {rows[at(i)]};
    for (Index j = 0; j < shown_columns; ++j) {
      const double v = result.values(i, j);
      cells.push_back(std::isfinite(v) && v == std::round(v) && std::abs(v) < 1e9
                          ? TableCell::of(static_cast<Index>(v))
                          : TableCell::of(v, 4));
    }
    table.add(std::move(cells));
  }
  std::string out = "\n" + result.id + ": " + result.sentence + "\n" + table.text(colours());
  if (shown_rows < result.values.rows() || shown_columns < result.values.cols()) {
    out += fmt::format("({} of {} rows, {} of {} columns; --all shows the rest)\n", shown_rows,
                       result.values.rows(), shown_columns, result.values.cols());
  }
  return out;
}

std::string shortened(const std::vector<std::string>& names) {
  constexpr std::size_t k_most = 12;
  std::vector<std::string> head(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), k_most)));
  return join(head, ", ") + (names.size() > k_most ? ", ..." : "");
}

std::string text_of(const TrainedModel& model, bool all) {
  std::string out = model.spec.text() + "\n";
  for (const std::string& chosen : chosen_parameters(model.spec, model.results)) {
    out += fmt::format("  chosen         {}\n", chosen);
  }
  out += fmt::format("  trained on     {} ({} rows, fingerprint {})\n", model.data_name, model.rows,
                     model.fingerprint);
  out += fmt::format("  features       {}{}\n", model.columns,
                     model.feature_names.empty() ? "" : ": " + shortened(model.feature_names));
  for (std::size_t k = 0; k < model.text.parts.size(); ++k) {
    const Vectoriser& part = model.text.parts[k];
    out += fmt::format("  text           {} ({} {})\n", model.text.names[k], part.columns(),
                       part.hashes() ? "hashed columns" : "words and n-grams");
  }
  for (std::size_t k = 0; k < model.words.names.size(); ++k) {
    out += fmt::format("  words          {} ({}, each with the shares of {} labels)\n",
                       model.words.names[k], model.words.parts[k].words.size(),
                       model.label_names.size());
  }
  out += fmt::format("  labels         {}: {}\n", model.label_names.size(),
                     shortened(model.label_names));
  for (std::size_t s = 0; s < model.sets.size(); ++s) {
    out += fmt::format("  label set      {} ({} labels)\n", model.sets.names[s],
                       model.sets.members[s].size());
  }
  const NamedRules rules = named_rules(model.rules, model.label_names);
  for (std::size_t k = 0; k < std::min(rules.implied.size(), k_most_rules); ++k) {
    out += fmt::format("  rule           {} implies {}\n", in_quotes(rules.implied[k].first),
                       in_quotes(rules.implied[k].second));
  }
  if (rules.implied.size() > k_most_rules) {
    out += fmt::format("                 ... and {} more\n", rules.implied.size() - k_most_rules);
  }
  for (const auto& group : rules.exclusive) {
    out += fmt::format("  rule           at most one of {}\n", shortened(group));
  }
  Spec steps = write_params("preprocessing", model.preprocess);
  if (model.text.empty()) {
    std::erase_if(steps.params, [](const auto& step) { return step.first.starts_with("text_"); });
  }
  const bool nothing =
      model.preprocessing.does_nothing() && model.text.empty() && model.words.empty();
  out += "  preprocessing  " + (nothing ? std::string("none") : steps.text()) + "\n";
  out += fmt::format("  converged      {}\n", model.summary.converged ? "yes" : "no");
  if (model.summary.interrupted)
    out += "  interrupted    yes: the best model when training was stopped\n";
  if (std::isfinite(model.summary.objective))
    out += fmt::format("  objective      {:.8g}\n", model.summary.objective);
  if (std::isfinite(model.summary.gap))
    out += fmt::format("  relative gap   {:.2e}\n", model.summary.gap);
  if (model.summary.rounds > 0) out += fmt::format("  rounds         {}\n", model.summary.rounds);
  for (const std::string& text : model.summary.remarks) out += "  remark         " + text + "\n";
  for (const Result& result : model.results) out += result_text(result, model, all);
  return out;
}

int run_inspect(const Args& args) {
  const TrainedModel model = TrainedModel::load(args.words()[0]);
  if (!args.flag("json")) {
    print(text_of(model, args.flag("all")));
    return 0;
  }
  Json out = Json::parse(model.about_json());
  Json results = Json::object();
  for (const Result& result : model.results) results[result.id] = result_json(result, model);
  out["results"] = results;
  print_data(json_text(out) + "\n");
  return 0;
}

}  // namespace

Verb inspect_verb() {
  return {.name = "inspect",
          .summary = "contents of a model file",
          .usage = "MODEL [--json]",
          .example =
              "mulberry generate photos -o photos.arff && mulberry fit br_logistic photos.arff -o "
              "photos.mb && "
              "mulberry inspect photos.mb",
          .options = std::vector<Option>{{.name = "all",
                                          .help = "show every row and column of its tables"}} +
                     json_option(),
          .least = 1,
          .most = 1,
          .run = run_inspect};
}

}  // namespace mulberry::cli
