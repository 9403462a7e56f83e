// mulberry convert: writes a data set in another format, or with other labels.
#include <fmt/format.h>

#include <map>

#include "cli/common.hpp"
#include "cli/files.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/atomic_file.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/byte_sink.hpp"
#include "mulberry/data/changes/apply_changes.hpp"
#include "mulberry/data/preprocess/impute.hpp"
#include "mulberry/data/write/write.hpp"
#include "mulberry/data/write/write_need.hpp"

namespace mulberry::cli {
namespace {

std::string output_of(const Args& args) {
  const bool word = args.words().size() == 2;
  if (word == args.has("output")) {
    throw Error(Code::usage, std::string("expected one output, found ") + (word ? "two" : "none"),
                "Name it after DATA, or with -o");
  }
  return word ? args.words()[1] : args.text("output");
}

// Changes the labels, writes the log into the group, and returns a sentence about it.
std::string apply(const Args& args, Dataset& data, AtomicGroup& files) {
  const Changes changes = read_changes(args.text("apply"));
  const auto cells = with_file(args.words()[0], [&] { return match_changes(changes, data); });
  data.y = apply_changes(data.y, cells);
  try {
    require_label_sets(data.y, data.sets);
  } catch (const Error& error) {
    throw error.in_file(changes.path)
        .with_remedy("Change both labels of a set: one from 1 to 0, the other from 0 to 1");
  }
  std::map<std::string, Index> count;
  std::string log = "line," + change_header(changes.key);
  log.replace(log.size() - 1, 1, ",outcome\n");
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::string outcome = outcome_of(cells[k]);
    ++count[outcome];
    std::string line = change_line(changes.entries[k]);
    line.replace(line.size() - 1, 1, "," + outcome + "\n");
    log += std::to_string(changes.entries[k].line) + "," + line;
  }
  if (args.has("log")) {
    AtomicFile file(args.text("log"));
    file.write(log);
    files.add(std::move(file));
  }
  std::vector<std::string> parts;
  for (const auto& [outcome, cells_of] : count) {
    parts.push_back(fmt::format("{} {}", cells_of, outcome));
  }
  return fmt::format("{} entries of {}: {}\n", cells.size(), changes.path,
                     parts.empty() ? "nothing to change" : join(parts, ", "));
}

// Formats without lists of labels may be very much larger.
void say_need(const Dataset& data, const std::string& output, const WriteOptions& options,
              const Args& args) {
  constexpr std::size_t k_large_file = 1'000'000'000;
  const WriteNeed need = need_to_write(data, format_to_write(output, options));
  require_memory(fmt::format("a table of {} rows and {} labels", data.rows(), data.labels()),
                 need.memory, available_memory(),
                 "Write .jsonl or .csv, which list the labels of a row if DATA does");
  if (args.flag("quiet")) return;
  if (need.memory >= 10 * k_much_memory) {
    note(fmt::format("the table of {} rows and {} labels takes {} of memory", data.rows(),
                     data.labels(), size_text(need.memory)));
  }
  if (need.file >= k_large_file) {
    note(fmt::format("{} will have at least {}{}", output, size_text(need.file),
                     without_compression(output) == output ? "" : " before it is compressed"));
  }
}

int run_convert(const Args& args) {
  const std::string &path = args.words()[0], output = output_of(args);
  require_output(output, {&path, 1});
  if (args.has("log") && (!args.has("apply") || args.text("log") == output)) {
    throw Error(Code::usage, "--log lists what --apply changed, in a separate file",
                "Give --apply FILE, and different names to OUT and the log");
  }
  Dataset data = read_with_missing(path, args);
  const std::string impute = args.choice("impute", "none");
  if (impute != "none") {
    const auto fill = with_file(path, [&] {
      return fill_values(data.x, data.nominal_columns, data.feature_names, Context(),
                         impute == "mode" ? Impute::mode : Impute::mean);
    });
    data.x = fill_missing(data.x, fill);
  }
  AtomicGroup files;  // all or none
  const std::string summary = args.has("apply") ? apply(args, data, files) : "";
  const WriteOptions options{.format = format_to_write(args, output),
                             .label_file = label_file_of(path, args)};
  say_need(data, output, options, args);
  write_dataset(data, output, options, files);
  files.commit();
  if (args.flag("quiet") || summary.empty()) return 0;
  // Data that goes to standard output is alone there.
  if (output == "-" || output == "/dev/stdout") {
    note(summary.substr(0, summary.size() - 1));
  } else {
    print(summary);
  }
  return 0;
}

}  // namespace

Verb convert_verb() {
  return {
      .name = "convert",
      .summary = "write data in another format, or with changed labels",
      .usage = "DATA OUT [--apply CHANGES --log FILE]",
      .example =
          "mulberry generate photos -o photos.arff && mulberry convert photos.arff photos.csv",
      .options =
          std::vector<Option>{
              {.name = "output",
               .letter = 'o',
               .value = "OUT",
               .help = "the file to write, if it is not named after DATA"},
              format_option(),
              {.name = "apply", .value = "FILE", .help = "change labels as this change file says"},
              {.name = "log",
               .value = "FILE",
               .help = "list what became of every entry of that file"},
              impute_option(),
              {.name = "quiet", .letter = 'q', .help = "print no notes"}} +
          data_options(),
      .least = 1,
      .most = 2,
      .details =
          "If the name ends in .gz or .zst, the file is compressed. A change file is what\n"
          "`missing`, `suspicious` and `review` write (docs/review.md): all of its entries\n"
          "fit the data, or nothing is written.",
      .run = run_convert};
}

}  // namespace mulberry::cli
