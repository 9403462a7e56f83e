// mulberry convert: writes a data set in another format.
#include <fmt/format.h>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/verbs.hpp"
#include "mulberry/data/preprocess/impute.hpp"
#include "mulberry/data/write/write.hpp"

namespace mulberry::cli {
namespace {

int run_convert(const Args& args) {
  const std::string& path = args.words()[0];
  require_output(args.words()[1], {&path, 1});
  Dataset data = read_with_missing(path, args);
  const std::string impute = args.choice("impute", "none");
  if (impute != "none") {
    const auto fill = with_file(path, [&] {
      return fill_values(data.x, data.nominal_columns, data.feature_names, Context(),
                         impute == "mode" ? Impute::mode : Impute::mean);
    });
    data.x = fill_missing(data.x, fill);
  }
  WriteOptions options{.label_file = label_file_of(path, args)};
  if (args.has("to")) options.format = format_from_name(args.text("to"));
  write_dataset(data, args.words()[1], options);
  return 0;
}

}  // namespace

Verb convert_verb() {
  return {
      .name = "convert",
      .summary = "write data in another format",
      .usage = "DATA OUT",
      .example =
          "mulberry generate photos -o photos.arff && mulberry convert photos.arff photos.csv",
      .options = std::vector<Option>{{.name = "to",
                                      .value = "arff|libsvm|xmlrepo|csv|tsv|npz|jsonl",
                                      .help = "format to write",
                                      .fallback = "taken from the name of OUT"},
                                     impute_option(),
                                     {.name = "quiet", .letter = 'q', .help = "print no notes"}} +
                 data_options(),
      .least = 2,
      .most = 2,
      .details = "If the name ends in .gz or .zst, the file is compressed.",
      .run = run_convert};
}

}  // namespace mulberry::cli
