// mulberry enhance: how strongly each label applies to each row.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/picture_file.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/report/label_bars.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::cli {
namespace {

constexpr const char* k_result = "numerical_labels";
constexpr const char* k_meaning =
    "Above 0 the label applies to the row, below it does not. 1 and -1 would be the label exactly\n"
    "as given; a value between says that the features and the rows nearby speak for less than a\n"
    "plain yes or no. The values rank the labels of a row, and compare rows of the same label.\n"
    "They are no probabilities, do not sum to 1, say nothing about causes, and depend on the\n"
    "weights of the model: values of two models are not to be compared.\n";

Matrix numerical_labels(const TrainedModel& model) {
  for (const Result& result : model.results) {
    if (result.id == k_result) return result.values;
  }
  throw Error(
      Code::unsupported,
      fmt::format("expected a model with the result '{}', found {}", k_result, model.spec.text()),
      "Train a learner that provides it: mll_le");
}

// What is shown: the values of all rows, and the labels of the data if it has any.
struct Enhanced {
  TrainedModel model;
  Matrix values = {};
  std::optional<Labels> given = {};
  std::string what = {};        // "training rows of X"
  std::string id_name = "row";  // what the first column is called
  std::vector<std::string> ids = {};

  void name_rows(const Dataset& data) {
    ids = data.ids;
    if (!ids.empty()) id_name = data.id_name;
  }
  std::string row_name(Id row) const {
    return ids.empty() ? std::to_string(row + 1) : ids[at(row)];
  }
};

Enhanced enhanced(const Args& args) {
  const auto& words = args.words();
  if (!is_model_file(words[0])) {
    if (words.size() < 2) {
      throw Error(Code::usage, "expected a learner and data, or a model, found " + words[0],
                  "For example: mulberry enhance mll_le data.arff -o numeric.csv");
    }
    const CompleteSpec spec(parse_spec(words[0]));
    const PreprocessOptions preprocess = preprocess_from(args);
    const Dataset data = read_data(words[1], training_options(args, {&spec, 1}), args);
    if (!args.flag("quiet")) note_before_training(spec, data, preprocess);
    Run run(args, "training " + spec.id());
    Enhanced out{.model = with_file(words[1], [&] {
                   return train(spec, data, {.preprocess = preprocess}, run.context());
                 })};
    run.done();
    out.values = numerical_labels(out.model);
    out.given = data.y;
    out.name_rows(data);
    out.what = "training rows of " + out.model.data_name;
    return out;
  }
  Enhanced out{.model = TrainedModel::load(words[0])};
  out.values = numerical_labels(out.model);
  out.what = "training rows of " + out.model.data_name;
  if (words.size() < 2) return out;
  ReadOptions options = out.model.reading(read_options(args));
  options.labels_optional = true;
  const Dataset data = read_data(words[1], options, args);
  out.name_rows(data);
  Run run(args, "predicting");
  with_file(words[1], [&] {
    out.values = out.model.predict(data, run.context()).scores;
    if (data.labels() > 0) out.given = align_labels(data, out.model.label_names, out.model.sets);
  });
  run.done();
  out.what = "rows of " + words[1] + ", as predicted";
  return out;
}

// "3,7-9" as row numbers from 0.
std::vector<Id> chosen_rows(const Args& args, Index rows) {
  std::vector<Id> out;
  const auto number = [&](std::string_view text) {
    Index value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || value < 1 || value > rows) {
      throw Error(Code::usage,
                  fmt::format("--rows: expected row numbers from 1 to {}, found '{}'", rows, text),
                  "For example: --rows 1,5,8-10");
    }
    return value;
  };
  for (const std::string& word : args.list("rows")) {
    const std::size_t dash = word.find('-', 1);
    const Index first = number(std::string_view(word).substr(0, dash));
    const Index last =
        dash == std::string::npos ? first : number(std::string_view(word).substr(dash + 1));
    for (Index i = first; i <= last; ++i) out.push_back(static_cast<Id>(i - 1));
  }
  return out;
}

LabelBars bars_of(const Enhanced& from, Id row) {
  LabelBars out{.title = (from.ids.empty() ? "row " : "") + from.row_name(row)};
  const auto values = from.values.row(row);
  out.values.assign(values.begin(), values.end());
  if (!from.given) return out;
  out.given.assign(out.values.size(), 0);
  for (const Id l : from.given->row(row)) out.given[at(l)] = 1;
  return out;
}

std::string csv_of(const Enhanced& from, const std::vector<Id>& rows) {
  std::vector<std::string> cells = {from.id_name};
  cells.insert(cells.end(), from.model.label_names.begin(), from.model.label_names.end());
  std::string out = csv_row(cells);
  for (const Id i : rows) {
    cells = {from.row_name(i)};
    for (const double v : from.values.row(i)) cells.push_back(shortest(v));
    out += csv_row(cells);
  }
  return out;
}

std::string table_of(const Enhanced& from, const std::vector<Id>& rows, Index most) {
  std::vector<TableColumn> heads = {{.title = from.id_name, .key = "row"},
                                    {.title = "label", .key = "label", .right = false},
                                    {.title = "value", .key = "value"}};
  if (from.given) heads.push_back({.title = "given", .key = "given", .right = false});
  Table table(heads);
  for (const Id i : rows) {
    const LabelBars bars = bars_of(from, i);
    bool first = true;
    for (const Id l : strongest_labels(bars, most)) {
      const auto k = at(l);
      std::vector<TableCell> cells = {TableCell(first ? from.row_name(i) : std::string()),
                                      from.model.label_names[k], TableCell::of(bars.values[k], 3)};
      if (from.given) {
        const Cell cell = from.given->cell(i, l);
        cells.emplace_back(cell == Cell::positive  ? "yes"
                           : cell == Cell::missing ? "missing"
                                                   : "no");
      }
      table.add(std::move(cells));
      first = false;
    }
  }
  return table.text(colours());
}

std::string json_of(const Enhanced& from, const std::vector<Id>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Id i : rows) {
    nlohmann::ordered_json values = nlohmann::ordered_json::object();
    const auto row = from.values.row(i);
    for (std::size_t l = 0; l < row.size(); ++l) values[from.model.label_names[l]] = row[l];
    list.push_back({{"row", i + 1}});
    if (!from.ids.empty()) list.back()["id"] = from.ids[at(i)];
    list.back()["values"] = std::move(values);
  }
  const nlohmann::ordered_json out = {
      {"learner", from.model.spec.text()}, {"what", from.what}, {"rows", std::move(list)}};
  return json_text(out) + "\n";
}

int run_enhance(const Args& args) {
  const Enhanced from = enhanced(args);
  const Index total = from.values.rows();
  const std::vector<Id> asked = chosen_rows(args, total);
  std::vector<Id> all(at(total));
  std::iota(all.begin(), all.end(), Id{0});
  const std::vector<Id>& rows = asked.empty() ? all : asked;
  const auto few = [&](std::size_t most) {
    return std::vector<Id>(rows.begin(),
                           rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), most)));
  };
  const Index most = args.integer("most", 10, 1, 100000);
  if (args.has("output")) write_whole_file(args.text("output"), csv_of(from, rows));
  if (args.has("picture")) {
    std::vector<LabelBars> panels;
    for (const Id i : asked.empty() ? few(1) : few(12)) panels.push_back(bars_of(from, i));
    write_picture(args.text("picture"),
                  label_bars("How strongly each label applies",
                             from.what + (from.given ? "; bold: given in the data" : ""),
                             from.model.label_names, panels, most));
  }
  if (args.flag("json")) {
    print_data(json_of(from, rows));
    return 0;
  }
  std::string out = fmt::format("numerical labels of {} {}, {} labels\n\n", total, from.what,
                                from.model.label_names.size());
  out += table_of(from, asked.empty() ? few(3) : asked, most) + "\n" + k_meaning;
  for (const char* option : {"output", "picture"}) {
    if (args.has(option)) out += args.text(option) + "\n";
  }
  print(out);
  return 0;
}

}  // namespace

Verb enhance_verb() {
  return {
      .name = "enhance",
      .summary = "how strongly each label applies to each row",
      .usage = "LEARNER DATA | MODEL [DATA] [-o OUT.csv] [--rows 1,5-7] [--picture F.svg]",
      .example =
          "mulberry generate photos -o photos.arff && mulberry enhance mll_le photos.arff "
          "-o numeric.csv --rows 1-3 --picture rows.svg",
      .options =
          std::vector<Option>{
              {.name = "output",
               .letter = 'o',
               .value = "CSV",
               .help = "file to write: one line per row, one column per label"},
              {.name = "rows", .value = "LIST", .help = "only these rows: 1,5,8-10"},
              {.name = "most",
               .value = "N",
               .help = "number of labels to show per row",
               .fallback = "10"},
              picture_option("draw the labels of the first 12 of --rows, or of row 1, as bars")} +
          run_options() + json_option() + data_options() + preprocess_options(),
      .least = 1,
      .most = 2,
      .details = std::string("With LEARNER DATA, or a MODEL alone, shows the training rows. With "
                             "MODEL DATA, shows what\nthe model says about other rows.\n\n") +
                 k_meaning,
      .run = run_enhance};
}

}  // namespace mulberry::cli
