// mulberry predict: writes one line per row of the data, with one column per label.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>
#include <utility>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/byte_sink.hpp"
#include "mulberry/data/read/row_blocks.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/model/plain_spec.hpp"
#include "mulberry/report/set_tables.hpp"

namespace mulberry::cli {
namespace {

// The file of predictions. If the data has ids, they are the first column.
class Output {
 public:
  explicit Output(ByteSink& file) : file_(file) {}
  // The block of data whose rows follow. The first one names the columns.
  void begin(const Dataset& block) {
    block_ = &block;
    row_ = 0;
  }
  // Once, before the first row.
  void header(const std::vector<std::string>& names) {
    if (!std::exchange(wants_header_, false)) return;
    std::vector<std::string> all;
    if (!block_->id_name.empty()) all.push_back(block_->id_name);
    all.insert(all.end(), names.begin(), names.end());
    file_.text(csv_row(all));
  }
  void leave_out_header() { wants_header_ = false; }
  void row(const std::vector<std::string>& cells) { line(csv_row(cells)); }
  void line(const std::string& text) {
    if (!block_->id_name.empty()) {
      std::string id = csv_row({block_->ids[row_]});
      id.back() = ',';
      file_.text(id);
    }
    ++row_;
    file_.text(text);
  }

 private:
  ByteSink& file_;
  const Dataset* block_ = nullptr;
  std::size_t row_ = 0;
  bool wants_header_ = true;
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

Labels decided(const TrainedModel& model, const Prediction& prediction, const Args& args,
               const Context& ctx) {
  return args.flag("consistent") ? model.decide_consistently(prediction, ctx)
                                 : model.decide(prediction);
}

void write_block(const TrainedModel& model, const Prediction& prediction, const Args& args,
                 const Context& ctx, Output& out) {
  if (args.flag("scores") || args.flag("probabilities")) {
    write_scores(model, prediction.scores, out);
  } else if (args.has("top")) {
    write_top(model, prediction.scores, args.integer("top", 1, 1, 1000000), out);
  } else if (!model.sets.empty() && !args.flag("binary")) {
    write_sets(model, decided(model, prediction, args, ctx), out);
  } else {
    write_binary(model, decided(model, prediction, args, ctx), out);
  }
}

// Each note once, as it becomes known.
class Notes {
 public:
  Notes(std::string path, bool quiet) : path_(std::move(path)), quiet_(quiet) {}
  void add(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      if (!quiet_ && told_.insert(text).second) note(path_ + ": " + text);
    }
  }

 private:
  std::string path_;
  bool quiet_;
  std::set<std::string> told_;
};

// A name that promises another format than the one that is written would mislead whoever opens it.
void require_csv_name(const std::string& path) {
  const std::string ending = std::filesystem::path(without_compression(path)).extension();
  for (const char* other : {".arff", ".json", ".jsonl", ".libsvm", ".npz", ".svm", ".tsv", ".xls",
                            ".xlsx", ".parquet", ".feather", ".arrow"}) {
    if (!same_word(ending, other)) continue;
    throw Error(Code::usage, "expected a name that ends in .csv, found " + in_quotes(path),
                "Predictions are written as CSV; mulberry.predict_file of Python writes .parquet, "
                ".feather and .arrow");
  }
}

// A part of the rows is known only after all have been counted.
void require_file(const std::string& path) {
  if (std::filesystem::is_regular_file(path)) return;
  throw Error(Code::usage, "expected a file for --shard, found something that is read only once",
              "Save the data to a file first", {path});
}

// The rows of part I of N: pieces of equal size, but for the last. They end where the blocks of
// the whole end, so that all parts together have the bytes of the whole.
std::pair<Index, Index> rows_of_shard(const Shard& shard, Index rows) {
  constexpr Index k_rows = 3072;
  const Index pieces = (rows + k_rows - 1) / k_rows;
  const auto end_of = [&](Index part) {
    return std::min(rows, pieces * part / shard.count * k_rows);
  };
  return {end_of(shard.number - 1), end_of(shard.number)};
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
  if (forms > 0 && args.flag("consistent")) {
    throw Error(Code::usage, "expected --consistent with decisions, found scores asked for",
                "Leave one of the options out: the rules move decisions, and scores stay");
  }
  const Shard shard = shard_from(args);
  const std::string& path = args.words()[1];
  require_output(args.text("output"), args.words());
  require_csv_name(args.text("output"));
  const TrainedModel model = TrainedModel::load(args.words()[0]);
  if (args.flag("probabilities") &&
      !find_learner(model.spec.id).tags_of(model.spec).probabilities) {
    throw Error(Code::unsupported, model.spec.id + " gives scores, not probabilities",
                "Train 'calibrated(base=" + without_defaults(model.spec).text() +
                    ")', or ask for --scores");
  }
  ReadOptions options = model.reading(read_options(args));
  options.labels_optional = true;
  BlockLimit limit = RowBlocks::k_block;
  limit.results = count_of(model.label_names);
  Run run(args, "predicting");
  RowBlocks rows(path, options, limit);
  ByteSink file(args.text("output"));
  Output out(file);
  if (shard.count > 1) {
    require_file(path);
    const auto [begin, end] = rows_of_shard(shard, RowBlocks(path, options, limit).count());
    rows.only(begin, end);
    if (shard.number > 1) out.leave_out_header();
  }
  Notes notes(path, args.flag("quiet"));
  Dataset block;
  while (rows.next(block)) {
    run.context().check();
    notes.add(block.notes);
    if (block.rows() == 0 && rows.first_row() > 0) continue;
    const Prediction prediction = with_file(path, [&] {
      try {
        return model.predict(block, run.context().quiet());
      } catch (const Error& error) {
        throw with_rows_after(error, rows.first_row());
      }
    });
    run.context().step(rows.share());
    out.begin(block);
    write_block(model, prediction, args, run.context().quiet(), out);
  }
  run.done();
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
               .help = "CSV file to write (required); compressed if its name ends in .gz or .zst"},
              {.name = "scores", .help = "write scores instead of 0 and 1"},
              {.name = "probabilities", .help = "write probabilities instead of 0 and 1"},
              {.name = "top",
               .value = "K",
               .help = "write the K best labels of each row with their scores"},
              {.name = "consistent",
               .help = "decide for the best labels that obey the rules the model was trained with"},
              {.name = "binary",
               .help = "write 0 and 1 per label even if the model has label sets"},
              {.name = "shard",
               .value = "I/N",
               .help =
                   "only part I of N of the rows; the parts, one after another, are the whole"}} +
          run_options() + data_options(),
      .least = 2,
      .most = 2,
      .details =
          "DATA need not have labels. A model of exclusive label sets writes one column per set.\n"
          "Rows are read and written in blocks: a file of any size takes the memory of a block.",
      .run = run_predict};
}

}  // namespace mulberry::cli
