// mulberry split: training and test parts that are fair to rare labels.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/split_options.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/atomic_file.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/write/write.hpp"

namespace mulberry::cli {
namespace {

// The suffix of DATA with its compression: parts are written in the format of DATA.
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

void write_indices(const std::vector<Id>& rows, const std::string& path, AtomicGroup& group) {
  AtomicFile file(path);
  for (const Id i : rows) file.write(std::to_string(i) + "\n");
  group.add(std::move(file));
}

// The start of the names of part k of several, from 0.
std::string stem_of(const std::string& prefix, Index k, Index parts) {
  return parts == 1 ? prefix : fmt::format("{}-{}", prefix, k + 1);
}

// Names that are too long are reported before the data is read.
void require_names(const Args& args, const std::string& prefix, const std::string& suffix) {
  const Index repeats = args.integer("repeats", 1, 1, 10000);
  const Index parts = repeats * (args.has("folds") ? args.integer("folds", 10, 2, 1'000'000) : 1);
  require_short_name(stem_of(prefix, parts - 1, parts) + "-train" + suffix);
}

int run_split(const Args& args) {
  if (!args.has("output")) {
    throw Error(Code::usage, "expected -o PREFIX, the start of the names of the parts",
                "For example: mulberry split data.arff --holdout 0.25 -o data");
  }
  const std::string path = args.words()[0], prefix = args.text("output");
  const std::string suffix = args.flag("indices") ? ".txt" : suffix_of(path);
  require_names(args, prefix, suffix);
  const Dataset data = read_with_missing(path, args);
  Run run(args, "splitting");
  const std::vector<Fold> parts = with_file(path, [&] {
    const SplitOptions options = split_options_from(args, data, 10);
    if (args.has("folds")) return k_folds(data.y, options, run.context());
    std::vector<Fold> out;
    for (Index r = 0; r < options.repeats; ++r)
      out.push_back(hold_out(data.y, options, run.context(), r));
    return out;
  });
  run.done();
  const WriteOptions write{.format = output_format(path, prefix + suffix, args),
                           .label_file = label_file_of(path, args),
                           .sets_as_words = true};
  const auto stem = [&](std::size_t k) {
    return stem_of(prefix, static_cast<Index>(k), count_of(parts));
  };
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (const char* name : {"-train", "-test"}) {
      require_output(stem(k) + name + suffix, {&path, 1});
    }
  }
  AtomicGroup group;  // all parts or none
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (const auto& [rows, name] :
         {std::pair(&parts[k].train, "-train"), std::pair(&parts[k].test, "-test")}) {
      if (args.flag("indices")) {
        write_indices(*rows, stem(k) + name + suffix, group);
      } else {
        write_dataset(take_rows(data, *rows), stem(k) + name + suffix, write, group);
      }
    }
  }
  group.commit();
  for (std::size_t k = 0; k < parts.size() && !args.flag("quiet"); ++k) {
    print(fmt::format("{}: {} training rows, {} test rows\n", stem(k), parts[k].train.size(),
                      parts[k].test.size()));
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
              {.name = "indices", .help = "write row numbers, starting at 0, instead of data"}} +
          split_options("none; a hold-out of 0.25 is used") + run_options() + data_options(),
      .least = 1,
      .most = 1,
      .run = run_split};
}

}  // namespace mulberry::cli
