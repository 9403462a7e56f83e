// mulberry predict: writes one line per row of the data, with one column per label.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/set_tables.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/atomic_file.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/trained_model.hpp"

namespace mulberry::cli {
namespace {

// The file of predictions. If the data has ids, they are the first column.
class Output {
 public:
  Output(AtomicFile& file, const Dataset& data) : file_(file), data_(data) {}
  void header(const std::vector<std::string>& names) {
    std::vector<std::string> all;
    if (!data_.ids.empty()) all.push_back(data_.id_name);
    all.insert(all.end(), names.begin(), names.end());
    file_.write(csv_row(all));
  }
  void row(const std::vector<std::string>& cells) { line(csv_row(cells)); }
  void line(const std::string& text) {
    if (!data_.ids.empty()) {
      std::string id = csv_row({data_.ids[row_]});
      id.back() = ',';
      file_.write(id);
    }
    ++row_;
    file_.write(text);
  }

 private:
  AtomicFile& file_;
  const Dataset& data_;
  std::size_t row_ = 0;
};

void write_sets(const TrainedModel& model, const Labels& decided, Output& out) {
  std::vector<std::string> header = model.sets.names, cells;
  std::vector<Id> loose;  // labels outside any set keep a column of 0/1
  std::vector<std::vector<Id>> classes;
  std::vector<bool> in_set(model.label_names.size(), false);
  for (std::size_t s = 0; s < model.sets.size(); ++s) {
    classes.push_back(classes_of(decided, model.sets, s));
    for (const Id l : model.sets.members[s]) in_set[at(l)] = true;
  }
  for (std::size_t l = 0; l < in_set.size(); ++l) {
    if (in_set[l]) continue;
    loose.push_back(static_cast<Id>(l));
    header.push_back(model.label_names[l]);
  }
  out.header(header);
  for (Index i = 0; i < decided.rows(); ++i) {
    cells.clear();
    for (std::size_t s = 0; s < model.sets.size(); ++s) {
      const Id c = classes[s][at(i)];
      cells.push_back(
          c < 0 ? "" : class_name(model.sets, s, model.sets.members[s][at(c)], model.label_names));
    }
    for (const Id l : loose) cells.emplace_back(decided.cell(i, l) == Cell::positive ? "1" : "0");
    out.row(cells);
  }
}

void write_binary(const TrainedModel& model, const Labels& decided, Output& out) {
  out.header(model.label_names);
  std::string line;
  for (Index i = 0; i < decided.rows(); ++i) {
    line.assign(at(2 * decided.count()), ',');
    for (std::size_t k = 0; k < line.size(); k += 2) line[k] = '0';
    for (const Id l : decided.row(i)) line[at(2 * l)] = '1';
    line.back() = '\n';
    out.line(line);
  }
}

void write_scores(const TrainedModel& model, MatrixView scores, Output& out) {
  out.header(model.label_names);
  std::string line;
  for (Index i = 0; i < scores.rows(); ++i) {
    line.clear();
    for (const double v : scores.row(i)) line += shortest(v) + ",";
    line.back() = '\n';
    out.line(line);
  }
}

void write_top(const TrainedModel& model, MatrixView scores, Index k, Output& out) {
  k = std::min(k, scores.cols());
  std::vector<std::string> cells;
  for (Index r = 1; r <= k; ++r) {
    cells.push_back(fmt::format("label_{}", r));
    cells.push_back(fmt::format("score_{}", r));
  }
  out.header(cells);
  std::vector<Id> order(at(scores.cols()));
  for (Index i = 0; i < scores.rows(); ++i) {
    std::iota(order.begin(), order.end(), 0);
    const auto row = scores.row(i);
    std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](Id a, Id b) {
      const double x = row[at(a)], y = row[at(b)];
      return x != y ? x > y : a < b;
    });
    cells.clear();
    for (Index r = 0; r < k; ++r) {
      const auto l = at(order[at(r)]);
      cells.push_back(model.label_names[l]);
      cells.push_back(shortest(row[l]));
    }
    out.row(cells);
  }
}

int run_predict(const Args& args) {
  if (!args.has("output")) {
    throw Error(Code::usage, "expected -o OUT.csv, the file to write the predictions to",
                "For example: mulberry predict model.mb data.arff -o predictions.csv");
  }
  const int forms = (args.flag("scores") ? 1 : 0) + (args.flag("probabilities") ? 1 : 0) +
                    (args.has("top") ? 1 : 0);
  if (forms > 1) {
    throw Error(Code::usage, "expected at most one of --scores, --probabilities and --top",
                "Choose one");
  }
  require_output(args.text("output"), args.words());
  const TrainedModel model = TrainedModel::load(args.words()[0]);
  if (args.flag("probabilities") &&
      !find_learner(model.spec.id).tags_of(model.spec).probabilities) {
    throw Error(Code::unsupported, model.spec.id + " gives scores, not probabilities",
                "Train 'calibrated(base=" + model.spec.id + ")', or ask for --scores");
  }
  ReadOptions options = model.reading(read_options(args));
  options.labels_optional = true;
  const Dataset data = read_data(args.words()[1], options, args);
  Run run(args, "predicting");
  const Prediction prediction =
      with_file(args.words()[1], [&] { return model.predict(data, run.context()); });
  run.done();
  AtomicFile file(args.text("output"));
  Output out(file, data);
  if (args.flag("scores") || args.flag("probabilities")) {
    write_scores(model, prediction.scores, out);
  } else if (args.has("top")) {
    write_top(model, prediction.scores, args.integer("top", 1, 1, 1000000), out);
  } else if (!model.sets.empty() && !args.flag("binary")) {
    write_sets(model, model.decide(prediction), out);
  } else {
    write_binary(model, model.decide(prediction), out);
  }
  file.commit();
  return 0;
}

}  // namespace

Verb predict_verb() {
  return {
      .name = "predict",
      .summary = "apply a model to data",
      .usage = "MODEL DATA -o OUT.csv [--scores | --probabilities | --top K]",
      .example =
          "mulberry generate photos -o photos.arff && mulberry fit br_logistic photos.arff -o "
          "photos.mb && "
          "mulberry predict photos.mb photos.arff -o predicted.csv --top 3",
      .options =
          std::vector<Option>{
              {.name = "output",
               .letter = 'o',
               .value = "FILE",
               .help = "CSV file to write (required)"},
              {.name = "scores", .help = "write scores instead of 0 and 1"},
              {.name = "probabilities", .help = "write probabilities instead of 0 and 1"},
              {.name = "top",
               .value = "K",
               .help = "write the K best labels of each row with their scores"},
              {.name = "binary",
               .help = "write 0 and 1 per label even if the model has label sets"}} +
          run_options() + data_options(),
      .least = 2,
      .most = 2,
      .details =
          "DATA need not have labels. A model of exclusive label sets writes one column per set.",
      .run = run_predict};
}

}  // namespace mulberry::cli
