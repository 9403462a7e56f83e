#include "cli/common.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/core/visible.hpp"
#include "mulberry/data/bytes/byte_sink.hpp"
#include "mulberry/data/bytes/byte_source.hpp"
#include "mulberry/data/read/detect.hpp"
#include "mulberry/data/read/label_structure.hpp"
#include "mulberry/data/read/label_xml.hpp"
#include "mulberry/data/text/text_step.hpp"
#include "mulberry/model/learner.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::cli {
namespace {

// One character, with \t for a tab, as people type it in a shell.
char character(const Args& args, const std::string& name, char otherwise) {
  const std::string text = args.text(name);
  if (!args.has(name)) return otherwise;
  if (text == "\\t" || text == "tab") return '\t';
  if (text.size() == 1) return text[0];
  throw Error(Code::usage, "--" + name + " must be one character, got " + in_quotes(text),
              "Write \\t for a tab");
}

// dog:animal. Names with a colon need a file of rules.
std::pair<std::string, std::string> implication_of(const std::string& rule) {
  const std::vector<std::string> parts = split(rule, ':');
  if (parts.size() == 2 && !trim(parts[0]).empty() && !trim(parts[1]).empty()) {
    return {std::string(trim(parts[0])), std::string(trim(parts[1]))};
  }
  throw Error(Code::usage, "--implies must be of the form LABEL:LABEL, got " + in_quotes(rule),
              "For names with colons or commas, write the rules to a file: --label-rules FILE");
}

}  // namespace

std::vector<Option> operator+(std::vector<Option> left, const std::vector<Option>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

std::vector<Option> data_options() {
  std::vector<Option> out = {
      {.name = "format",
       .value = "auto|arff|libsvm|xmlrepo|csv|tsv|npz|jsonl",
       .help = "format of the data",
       .fallback = "detected"},
      {.name = "label-xml",
       .value = "FILE",
       .help = "Mulan file that names the labels",
       .fallback = "the one next to the data"},
      {.name = "label-count",
       .value = "N",
       .help = "the first N columns are labels; if negative, the last"},
      {.name = "label-prefix", .value = "P", .help = "columns whose name starts with P are labels"},
      {.name = "label-columns", .value = "A,B,C", .help = "these columns are labels"},
      {.name = "label-pattern",
       .value = "REGEX",
       .help = "columns whose whole name matches are labels"},
      {.name = "label-list", .value = "COLUMN", .help = "this column lists the labels of a row"},
      {.name = "label-separator",
       .value = "CHAR",
       .help = "separates the labels of that list",
       .fallback = ";"},
      {.name = "label-sets",
       .value = "A,B",
       .help = "exclusive sets: columns with words, or prefixes before '='"},
      {.name = "implies",
       .value = "A:B,C:D",
       .help = "a row with the label A also has B, one with C also D; may be repeated",
       .repeats = true},
      {.name = "exclusive",
       .value = "A,B,C",
       .help = "a row has at most one of these labels; may be repeated",
       .repeats = true},
      {.name = "label-paths",
       .value = "CHAR",
       .help = "labels are paths, such as a/b/c with /, below a/b, which is below a"},
      {.name = "label-rules",
       .value = "FILE",
       .help = "JSON file of such rules",
       .fallback = "NAME.rules.json next to NAME.csv and the like"},
      {.name = "add-implied", .help = "rows also get the labels that theirs imply"},
      {.name = "other-labels",
       .value = "ignore|features",
       .help = "what becomes of labels that the file names and these options leave out",
       .fallback = "ignore"},
      {.name = "ignore", .value = "A,B", .help = "these columns are neither features nor labels"},
      {.name = "text", .value = "A,B", .help = "columns of free text, whose words are features"},
      {.name = "target-words",
       .value = "A,B",
       .help = "columns of many words, each replaced by the shares of labels among its training "
               "rows"},
      {.name = "dates",
       .value = "refuse|parts",
       .help = "columns of dates become year, month, day, weekday, days and hour",
       .fallback = "refuse"},
      {.name = "id", .value = "COLUMN", .help = "names the rows in what is written"},
      {.name = "na",
       .value = "A,B",
       .help = "words for missing values in columns of words (NA and its like are known in columns "
               "of numbers)"},
      {.name = "unseen",
       .value = "zero|error",
       .help = "words that the training data lacks are none of those known, or an error",
       .fallback = "zero"},
      {.name = "weight-column", .value = "NAME", .help = "this column holds the weight of a row"},
      {.name = "index-base",
       .value = "auto|0|1",
       .help = "number of the first feature of libsvm data",
       .fallback = "auto"},
      {.name = "delimiter",
       .value = "CHAR",
       .help = "separates the columns of CSV data",
       .fallback = "detected"},
      {.name = "decimal",
       .value = "CHAR",
       .help = "begins the fraction of numbers in tables",
       .fallback = "."},
      {.name = "thousands", .value = "CHAR", .help = "stands between thousands, as in 1,234"},
      {.name = "nominal",
       .value = "one-hot|ordinal",
       .help = "how features with more than two words are coded",
       .fallback = "one-hot"}};
  for (Option& option : out) option.section = "Data";
  return out;
}

std::vector<Option> run_options() {
  return {{.name = "threads",
           .value = "N",
           .help = "number of threads; results do not depend on it",
           .fallback = "all cores"},
          {.name = "seed", .value = "S", .help = "seed of all random choices", .fallback = "0"},
          {.name = "quiet", .letter = 'q', .help = "print no progress and no notes"}};
}

Option impute_option() {
  return {
      .name = "impute",
      .value = "none|mean|mode",
      .help = "fill missing features: mean (for words, the most frequent value) or mode for all",
      .fallback = "none"};
}

std::vector<Option> preprocess_options() {
  std::vector<Option> out = {impute_option(),
                             {.name = "scale",
                              .value = "none|standardise|minmax|unit",
                              .help = "scale the features",
                              .fallback = "none"},
                             {.name = "tf-idf", .help = "weight counts by how rare a feature is"},
                             {.name = "drop-constant", .help = "drop features that never change"}};
  for (Option& option : out)
    option.section = "Preprocessing (fitted on training data, kept in the model)";
  for (const ParamInfo& info : describe_params<TextOptions>()) {
    const std::string value = info.type == ParamType::choice ? join(info.choices, "|")
                              : info.type == ParamType::flag ? "true|false"
                                                             : std::string(type_name(info.type));
    std::string name = info.name;
    std::replace(name.begin(), name.end(), '_', '-');
    out.push_back({.name = name,
                   .value = value,
                   .help = info.help,
                   .fallback = info.fallback,
                   .section = "Text (fitted on training data, kept in the model)"});
  }
  return out;
}

std::vector<Option> json_option() {
  return {{.name = "json", .help = "print one JSON object to standard output"}};
}

Option work_option() {
  return {.name = "work",
          .value = "FOLDER",
          .help = "keep finished splits here: the same command goes on where it was stopped"};
}

Shard shard_from(const Args& args) {
  if (!args.has("shard")) return {};
  const std::string text = args.text("shard");
  const std::vector<std::string> parts = split(text, '/');
  Shard out{0, 0};
  if (parts.size() == 2) {
    out = {parse_integer(parts[0]).value_or(0), parse_integer(parts[1]).value_or(0)};
  }
  if (out.number < 1 || out.number > out.count || out.count > 1000000) {
    throw Error(Code::usage, "expected --shard I/N with 1 <= I <= N, found " + in_quotes(text),
                "For example: --shard 3/8 is the third of eight parts");
  }
  return out;
}

std::unique_ptr<CellStore> store_from(const Args& args) {
  return args.has("work") ? std::make_unique<CellStore>(args.text("work")) : nullptr;
}

ReadOptions read_options(const Args& args) {
  ReadOptions out;
  const std::string format = args.choice("format", "auto");
  if (format != "auto") out.format = format_from_name(format);
  out.label_xml = args.text("label-xml");
  out.label_count = args.integer("label-count", 0, -1000000000, 1000000000);
  if (args.has("label-count") && out.label_count == 0) {
    throw Error(Code::usage, "--label-count must not be 0",
                "Give the number of label columns, negative if they come last");
  }
  out.label_prefix = args.text("label-prefix");
  out.label_columns = args.list("label-columns");
  out.label_pattern = args.text("label-pattern");
  out.label_list = args.text("label-list");
  out.label_separator = character(args, "label-separator", ';');
  out.label_sets = args.list("label-sets");
  for (const auto& rules : args.lists("implies")) {
    for (const std::string& rule : rules) out.rules.implied.push_back(implication_of(rule));
  }
  out.rules.exclusive = args.lists("exclusive");
  out.label_paths = character(args, "label-paths", 0);
  out.rules_file = args.text("label-rules");
  out.add_implied = args.flag("add-implied");
  out.other_labels = args.choice("other-labels", "ignore") == "ignore" ? OtherLabels::ignore
                                                                       : OtherLabels::features;
  out.ignore = args.list("ignore");
  out.text = args.list("text");
  out.id_column = args.text("id");
  out.na_words = args.list("na");
  out.unseen = args.choice("unseen", "zero") == "zero" ? Unseen::zero : Unseen::error;
  out.weight_column = args.text("weight-column");
  const std::string base = args.choice("index-base", "auto");
  out.index_base = base == "auto" ? IndexBase::automatic
                   : base == "0"  ? IndexBase::zero
                                  : IndexBase::one;
  out.delimiter = character(args, "delimiter", 0);
  out.decimal = character(args, "decimal", '.');
  out.thousands = character(args, "thousands", 0);
  if (out.decimal == out.thousands) {
    throw Error(Code::usage, "expected different characters in --decimal and --thousands",
                "Name the one that begins the fraction in --decimal");
  }
  out.target_columns = args.list("target-words");
  out.dates = args.choice("dates", "refuse") == "parts" ? Dates::parts : Dates::refuse;
  out.nominal =
      args.choice("nominal", "one-hot") == "one-hot" ? Nominal::one_hot : Nominal::ordinal;
  return out;
}

ReadOptions training_options(const Args& args, std::span<const CompleteSpec> specs) {
  ReadOptions out = read_options(args);
  out.keep_missing = args.choice("impute", "none") != "none" ||
                     std::all_of(specs.begin(), specs.end(), takes_missing_features);
  return out;
}

PreprocessOptions preprocess_from(const Args& args) {
  Spec spec("preprocessing");
  spec.set("impute", args.choice("impute", "none"));
  spec.set("scale", args.choice("scale", "none"));
  spec.set("tfidf", std::string(args.flag("tf-idf") ? "true" : "false"));
  spec.set("drop_constant", std::string(args.flag("drop-constant") ? "true" : "false"));
  for (const ParamInfo& info : describe_params<TextOptions>()) {
    std::string name = info.name;
    std::replace(name.begin(), name.end(), '_', '-');
    if (args.has(name)) spec.set(info.name, args.text(name));
  }
  return read_params<PreprocessOptions>(spec);
}

void note_before_training(const CompleteSpec& spec, const Dataset& data,
                          const PreprocessOptions& options) {
  Features outline;
  const auto threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (const std::string& text : training_notes(spec, outline_of(data, outline), threads)) {
    note(text);
  }
  const Tags tags = spec.tags();
  if (options.scale != FeatureScale::none || !(tags.distances || tags.kernel)) return;
  if (const auto warning = scale_warning(data.x, data.feature_names)) {
    note(spec.id() + " compares rows by distance, and " + *warning +
         "; --scale standardise may help a lot");
  }
}

namespace {

// The format of a file by its content; empty for a pipe, whose start cannot be read twice.
std::optional<Format> format_of(const std::string& data, const Args& args) {
  const std::string given = args.choice("format", "auto");
  if (given != "auto") return format_from_name(given);
  if (!std::filesystem::is_regular_file(data)) return std::nullopt;
  constexpr std::size_t k_enough = std::size_t{1} << 16;
  return detect_format(open_bytes(data)->peek(k_enough));
}

}  // namespace

std::string label_file_of(const std::string& data, const Args& args) {
  if (args.has("label-xml")) return args.text("label-xml");
  const auto format = format_of(data, args);
  if (format == Format::arff) return find_label_xml(data).value_or("");
  std::error_code ignored;
  if (!args.has("label-rules") && std::filesystem::is_regular_file(rules_beside(data), ignored))
    return rules_beside(data);
  return args.text("label-rules");
}

Format output_format(const std::string& data, const std::string& output, const Args& args) {
  const auto ending = [](const std::string& path) {
    return std::filesystem::path(without_compression(path)).extension();
  };
  const auto by_name = format_from_path(output);
  if (by_name && ending(data) != ending(output)) return *by_name;
  return format_of(data, args).value_or(by_name.value_or(Format::arff));
}

Option format_option() {
  return {.name = "to",
          .value = "arff|libsvm|xmlrepo|csv|tsv|npz|jsonl",
          .help = "format to write",
          .fallback = "taken from the name of OUT"};
}

std::optional<Format> format_to_write(const Args& args, const std::string& output) {
  if (args.has("to")) return format_from_name(args.text("to"));
  if (output == "-" || output == "/dev/stdout") {
    throw Error(Code::usage, "expected a format for standard output, found none",
                "Say which: --to csv");
  }
  return std::nullopt;
}

Dataset read_with_missing(const std::string& path, const Args& args) {
  ReadOptions options = read_options(args);
  options.keep_missing = true;
  return read_data(path, options, args);
}

Dataset read_data(const std::string& path, const ReadOptions& options, const Args& args) {
  Dataset data = read_dataset(path, options);
  if (!args.flag("quiet")) {
    for (const std::string& text : data.notes) note(path + ": " + text);
  }
  return data;
}

int thread_count(const Args& args) {
  const auto all = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<int>(args.integer("threads", all, 1, 4096));
}

Run::Run(const Args& args, std::string what, bool keeps_work)
    : context_(thread_count(args), static_cast<std::uint64_t>(args.integer(
                                       "seed", 0, 0, std::numeric_limits<Index>::max()))) {
  listener_.emplace(keeps_work);
  context_ = context_.with_stop(stop_token());
  if (isatty(STDERR_FILENO) != 0 && !args.flag("quiet")) {
    progress_ = std::make_unique<Progress>(std::move(what));
    context_ = context_.with_progress([line = progress_.get()](double fraction, double objective) {
      line->show(fraction, objective);
    });
  }
}

Run::~Run() { done(); }

void Run::done() {
  if (progress_) progress_->clear();
  listener_.reset();
}

namespace {

// A word in the place of a learner that can only be a path: no learner's name has such characters.
void require_no_absent_file(const std::string& word) {
  std::error_code ignored;
  if (word.substr(0, word.find('(')).find_first_of("./") == std::string::npos ||
      std::filesystem::exists(word, ignored)) {
    return;
  }
  throw Error(Code::io, "expected a learner or a file, found no file " + in_quotes(word),
              "Check the path; learners come first, data last");
}

}  // namespace

std::vector<CompleteSpec> leading_learners(const Args& args) {
  std::vector<CompleteSpec> out;
  for (const std::string& word : args.words()) require_no_absent_file(word);
  for (std::size_t k = 0; k + 1 < args.words().size(); ++k) {
    out.emplace_back(learner_before_data(args.words()[k]));
  }
  return out;
}

Spec learner_before_data(const std::string& word) {
  if (std::filesystem::is_regular_file(word)) {
    throw Error(Code::usage, "expected learners before DATA, found the file " + in_quotes(word),
                "Name the data last, after all learners");
  }
  require_no_absent_file(word);
  return parse_spec(word);
}

namespace {

// Without control characters, except those of our own colours.
std::string for_people(std::string_view text) {
  std::string out;
  while (colours()) {
    const std::size_t next = text.find("\x1b[");
    const std::string_view rest = text.substr(std::min(next, text.size()));
    if (rest.empty()) break;
    out += visible(text.substr(0, next));
    std::size_t length = 0;
    for (const std::string_view style : k_styles) {
      if (rest.starts_with(style)) length = style.size();
    }
    out += length > 0 ? std::string(rest.substr(0, length)) : visible(rest.substr(0, 1));
    text = rest.substr(std::max<std::size_t>(length, 1));
  }
  return out + visible(text);
}

}  // namespace

void print(const std::string& text) { print_data(for_people(text)); }

void print_data(const std::string& data) {
  if (std::fwrite(data.data(), 1, data.size(), stdout) != data.size() || std::fflush(stdout) != 0) {
    throw Error(Code::io, std::string("cannot write to standard output: ") + std::strerror(errno));
  }
}

namespace {

std::string flag_of(std::string_view name, std::string_view value) {
  std::string out = "--" + std::string(name);
  std::replace(out.begin() + 2, out.end(), '_', '-');
  const bool quote = value.find_first_of(" =") != std::string_view::npos && value[0] != '\'';
  if (!value.empty()) out += quote ? " \"" + std::string(value) + '"' : " " + std::string(value);
  return out;
}

std::string command_of(Action action, std::string_view of) {
  switch (action) {
    case Action::list:
      return "`mulberry list`";
    case Action::parameters:
      return "`mulberry list " + std::string(of.empty() ? "LEARNER" : of) + "`";
    case Action::save:
      return "`mulberry fit -o`";
    case Action::load:
      return "`mulberry inspect`";
    case Action::convert:
      return "`mulberry convert`";
  }
  return {};
}

}  // namespace

const Spelling spelled_as_flag = {flag_of, command_of};

void note(const std::string& text) {
  std::fprintf(stderr, "note: %s\n", visible(spell(text, spelled_as_flag)).c_str());
}

bool colours() {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace mulberry::cli
