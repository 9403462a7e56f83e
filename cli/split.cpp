// mulberry split: training and test parts that are fair to rare labels.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "cli/common.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/atomic_file.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/write.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::cli {
namespace {

// The suffix of DATA, compression included: parts are written in the format of DATA.
std::string suffix_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  std::string out;
  for (const char* packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) {
      out = packed;
      name.resize(name.size() - out.size());
    }
  }
  const auto dot = name.find_last_of('.');
  return dot == std::string::npos ? out : name.substr(dot) + out;
}

// Group numbers from a feature column of the data.
std::vector<Id> groups_of(const Dataset& data, const std::string& column) {
  const auto found = std::find(data.feature_names.begin(), data.feature_names.end(), column);
  if (found == data.feature_names.end()) {
    throw Error(Code::usage, "there is no feature " + mulberry::quoted(column) + " to group by",
                did_you_mean(column, data.feature_names, "The group must be a numeric column"));
  }
  std::unordered_map<double, Id> number;
  std::vector<Id> out;
  for (Index i = 0; i < data.rows(); ++i) {
    const double value = data.x.at(i, found - data.feature_names.begin());
    out.push_back(number.emplace(value, static_cast<Id>(number.size())).first->second);
  }
  return out;
}

void write_indices(const std::vector<Id>& rows, const std::string& path) {
  AtomicFile file(path);
  for (const Id i : rows) file.write(std::to_string(i) + "\n");
  file.commit();
}

int run_split(const Args& args) {
  if (!args.has("output")) {
    throw Error(Code::usage, "expected -o PREFIX, how the names of the parts begin",
                "For example: mulberry split data.arff --holdout 0.25 -o data");
  }
  if (args.has("holdout") && args.has("folds")) {
    throw Error(Code::usage, "expected --holdout or --folds, found both", "Choose one");
  }
  const std::string path = args.words()[0], prefix = args.text("output");
  const Dataset data = read_data(path, read_options(args), args);
  SplitOptions options;
  const std::string stratify = args.choice("stratify", "1");
  options.method = stratify == "none" ? SplitMethod::random
                   : stratify == "1"  ? SplitMethod::stratified
                                      : SplitMethod::stratified_pairs;
  options.holdout = args.number("holdout", 0.25, 0.0001, 0.9999);
  options.repeats = args.integer("repeats", 1, 1, 10000);
  options.folds = args.integer("folds", 10, 2, std::max<Index>(2, data.rows()));
  if (args.has("group")) options.groups = groups_of(data, args.text("group"));
  const Run run(args, "splitting");
  std::vector<Fold> parts;
  if (args.has("folds")) {
    parts = k_folds(data.y, options, run.context());
  } else {
    for (Index r = 0; r < options.repeats; ++r)
      parts.push_back(hold_out(data.y, options, run.context(), r));
  }
  const std::string suffix = suffix_of(path);
  WriteOptions write;
  if (!format_from_path("x" + suffix)) write.format = Format::arff;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::string stem = parts.size() == 1 ? prefix : fmt::format("{}-{}", prefix, k + 1);
    for (const auto& [rows, name] :
         {std::pair(&parts[k].train, "-train"), std::pair(&parts[k].test, "-test")}) {
      if (args.flag("indices")) {
        write_indices(*rows, stem + name + ".txt");
        continue;
      }
      Dataset part = take_rows(data, *rows);
      write_dataset(part, stem + name + suffix, write);
    }
    if (!args.flag("quiet")) {
      print(fmt::format("{}: {} training rows, {} test rows\n", stem, parts[k].train.size(),
                        parts[k].test.size()));
    }
  }
  return 0;
}

}  // namespace

Verb split_verb() {
  return {
      .name = "split",
      .summary = "cut data into training and test parts",
      .usage = "DATA --holdout F | --folds K [--repeats R] -o PREFIX",
      .example =
          "mulberry generate photos -o photos.arff && mulberry split photos.arff --holdout 0.25 "
          "--seed 1 -o photos",
      .options =
          std::vector<Option>{
              {.name = "output",
               .letter = 'o',
               .value = "PREFIX",
               .help = "writes PREFIX-train and PREFIX-test (required)"},
              {.name = "holdout",
               .value = "F",
               .help = "share of the rows in the test part",
               .fallback = "0.25"},
              {.name = "folds",
               .value = "K",
               .help = "K parts, each the test part once: PREFIX-1-train, ..."},
              {.name = "repeats", .value = "R", .help = "do it R times over", .fallback = "1"},
              {.name = "stratify",
               .value = "none|1|2",
               .help = "balance labels (1), pairs of labels (2)",
               .fallback = "1"},
              {.name = "group",
               .value = "COLUMN",
               .help = "rows with the same value stay together"},
              {.name = "indices", .help = "write row numbers, counted from 0, instead of data"}} +
          run_options() + data_options(),
      .least = 1,
      .most = 1,
      .run = run_split};
}

}  // namespace mulberry::cli
