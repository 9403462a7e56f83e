#include "mulberry/study/study_data.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <set>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/byte_sink.hpp"
#include "mulberry/data/read/label_xml.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/evaluate/trained_model.hpp"

namespace mulberry::study {
namespace {

namespace fs = std::filesystem;
using Kind = TomlValue::Kind;

char character(const TomlSection& section, const std::string& key, char otherwise) {
  const std::string text = section.text(key, std::string(otherwise == 0 ? 0 : 1, otherwise));
  if (text.empty()) return otherwise;
  if (text.size() != 1) section.refuse(key, "one character");
  return text[0];
}

ReadOptions read_options_from(const TomlSection& section) {
  ReadOptions out;
  if (section.has("format")) {
    out.format =
        at_place(section.where(), [&] { return format_from_name(section.text("format")); });
  }
  out.label_xml = section.text("label_xml");
  out.label_count = section.integer("label_count", 0, -1000000000, 1000000000);
  out.label_prefix = section.text("label_prefix");
  out.label_columns = section.texts("label_columns");
  out.label_pattern = section.text("label_pattern");
  out.label_list = section.text("label_list");
  out.label_separator = character(section, "label_separator", ';');
  out.label_sets = section.texts("label_sets");
  out.weight_column = section.text("weight_column");
  const std::string base = section.choice("index_base", "auto", {"auto", "0", "1"});
  out.index_base = base == "auto" ? IndexBase::automatic
                   : base == "0"  ? IndexBase::zero
                                  : IndexBase::one;
  out.delimiter = character(section, "delimiter", 0);
  out.decimal = character(section, "decimal", '.');
  out.thousands = character(section, "thousands", 0);
  if (out.decimal == out.thousands) {
    section.refuse("thousands", "a character other than decimal has");
  }
  out.text = section.texts("text");
  out.target_columns = section.texts("target_words");
  out.ignore = section.texts("ignore");
  out.id_column = section.text("id");
  out.na_words = section.texts("na");
  out.dates = section.choice("dates", "refuse", {"refuse", "parts"}) == "parts" ? Dates::parts
                                                                                : Dates::refuse;
  out.other_labels = section.choice("other_labels", "ignore", {"ignore", "features"}) == "ignore"
                         ? OtherLabels::ignore
                         : OtherLabels::features;
  out.label_paths = character(section, "label_paths", 0);
  for (const std::string& rule : section.texts("implies")) {
    const std::vector<std::string> parts = split(rule, ':');
    if (parts.size() != 2 || trim(parts[0]).empty() || trim(parts[1]).empty()) {
      section.refuse("implies", "rules of the form \"LABEL:LABEL\"");
    }
    out.rules.implied.emplace_back(trim(parts[0]), trim(parts[1]));
  }
  out.nominal = section.choice("nominal", "one-hot", {"one-hot", "ordinal"}) == "one-hot"
                    ? Nominal::one_hot
                    : Nominal::ordinal;
  return out;
}

void read_generator(StudyData& out, const TomlValue& value) {
  const TomlSection section(value, "generate of [[data]]",
                            {"recipe", "rows", "features", "labels", "cardinality", "sparsity",
                             "noise", "prevalence", "set_sizes", "dependence", "seed"});
  out.generator = section.text("recipe");
  const Generator& generator =
      at_place(value.where, [&]() -> const Generator& { return find_generator(out.generator); });
  GenerateOptions& options = out.generate = generator.defaults;
  for (const auto& [key, entry] : value.entries) {
    if (key == "recipe" || key == "seed") continue;
    if (std::find(generator.uses.begin(), generator.uses.end(), key) != generator.uses.end()) {
      continue;
    }
    std::vector<std::string> used(generator.uses.begin(), generator.uses.end());
    throw Error(Code::format, out.generator + " does not use " + key, "It uses " + join(used, ", "),
                entry.where);
  }
  constexpr Index k_most = 1000000000;
  options.rows = section.integer("rows", options.rows, 2, k_most);
  options.features = section.integer("features", options.features, 1, k_most);
  options.labels = section.integer("labels", options.labels, 1, k_most);
  options.cardinality = section.number("cardinality", options.cardinality, 0, 1e9);
  options.sparsity = section.number("sparsity", options.sparsity, 0, 1);
  options.noise = section.number("noise", options.noise, 0, 1);
  options.prevalence = section.number("prevalence", options.prevalence, 0, 1);
  options.dependence = section.number("dependence", options.dependence, 0, 1);
  out.generate_seed = static_cast<std::uint64_t>(section.integer("seed", 0, 0, k_most));
  if (section.has("set_sizes")) {
    options.set_sizes.clear();
    for (const double size : section.numbers("set_sizes")) {
      if (!(size >= 1 && size <= 1e6)) section.refuse("set_sizes", "numbers of classes");
      options.set_sizes.push_back(static_cast<Index>(size));
    }
  }
}

std::string name_from(const std::string& path) {
  return fs::path(std::string(without_compression(path))).stem().string();
}

StudyData one_from(const TomlValue& value) {
  StudyData out{.where = value.where};
  if (value.is(Kind::text)) {
    out.path = value.text;
    out.name = name_from(out.path);
    return out;
  }
  const TomlSection section(value, "[[data]]",
                            {"path",
                             "name",
                             "test",
                             "generate",
                             "swap",
                             "rows",
                             "drop",
                             "preprocess",
                             "format",
                             "label_xml",
                             "label_count",
                             "label_prefix",
                             "label_columns",
                             "label_pattern",
                             "label_list",
                             "label_separator",
                             "label_sets",
                             "weight_column",
                             "index_base",
                             "delimiter",
                             "nominal",
                             "text",
                             "ignore",
                             "id",
                             "na",
                             "dates",
                             "decimal",
                             "thousands",
                             "implies",
                             "label_paths",
                             "target_words",
                             "other_labels"});
  if (section.has("path") == section.has("generate")) {
    throw Error(Code::format, "expected either path or generate in [[data]]",
                "For example: path = \"photos.arff\"", value.where);
  }
  out.path = section.text("path");
  out.test_path = section.text("test");
  if (const TomlValue* generate = section.find("generate")) read_generator(out, *generate);
  out.name = section.text("name", out.generator.empty() ? name_from(out.path) : out.generator);
  out.read = read_options_from(section);
  out.swap = section.flag("swap", false);
  out.rows = section.integer("rows", 0, 2, 1000000000);
  out.drop = section.texts("drop");
  if (const TomlValue* own = section.find("preprocess")) {
    out.preprocess = preprocess_from(*own, "preprocess of [[data]]");
  }
  return out;
}

// Whether a file may hold data, by its name.
bool is_data(const fs::path& file) {
  static const std::set<std::string> endings = {".arff", ".csv",    ".tsv",   ".npz",   ".svm",
                                                ".txt",  ".libsvm", ".jsonl", ".ndjson"};
  return endings.contains(fs::path(std::string(without_compression(file.string()))).extension());
}

struct Found {
  std::string whole = {}, train = {}, test = {};
};

// The files of a set in its folder: "emotions.arff" or "emotions-train.arff" and
// "emotions-test.arff"; what comes before -train does not matter.
Found files_of(const fs::path& folder) {
  Found out;
  std::vector<fs::path> files;
  std::error_code status;
  for (fs::directory_iterator file(folder, status), end; !status && file != end;
       file.increment(status)) {
    if (is_data(file->path())) files.push_back(file->path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string stem = name_from(file.string());
    const bool train = stem.find("-train") != std::string::npos;
    const bool test = stem.find("-test") != std::string::npos;
    std::string& place = train ? out.train : test ? out.test : out.whole;
    // Of several whole files the one that is called like the folder is meant.
    if (place.empty() || stem == folder.filename()) place = file.string();
  }
  return out;
}

// A file of this stem in one of the folders below `root`.
std::string file_below(const fs::path& root, const std::string& name) {
  std::vector<std::string> found;
  std::error_code status;
  for (fs::directory_iterator folder(root, status), end; !status && folder != end;
       folder.increment(status)) {
    std::error_code inner;
    for (fs::directory_iterator file(folder->path(), inner); !inner && file != end;
         file.increment(inner)) {
      if (is_data(file->path()) && name_from(file->path().string()) == name) {
        found.push_back(file->path().string());
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found.empty() ? "" : found[0];  // ARFF before CSV
}

[[noreturn]] void not_found(const StudyData& data) {
  const char* root = std::getenv("MULBERRY_DATA");
  std::vector<std::string> names;
  std::error_code status;
  for (fs::directory_iterator folder(root != nullptr ? root : "", status), end;
       !status && folder != end; folder.increment(status)) {
    names.push_back(folder->path().filename().string());
  }
  const std::string otherwise =
      root == nullptr ? "Name a file, or set MULBERRY_DATA to the folder that has the set"
                      : "Name a file, or a folder of " + in_quotes(root);
  throw Error(Code::io, "cannot find the data " + in_quotes(data.path),
              did_you_mean(data.path, names, otherwise), data.where);
}

Found find_files(const StudyData& data, const LoadOptions& options) {
  const fs::path beside = fs::path(options.study).parent_path();
  const auto existing = [&](const std::string& path) -> std::string {
    if (fs::is_regular_file(path)) return path;
    const fs::path other = beside / path;
    return fs::is_regular_file(other) ? other.string() : "";
  };
  Found out;
  if (const std::string file = existing(data.path); !file.empty()) {
    if (data.test_path.empty()) {
      out.whole = file;
      return out;
    }
    out.train = file;
    out.test = existing(data.test_path);
    if (out.test.empty()) {
      throw Error(Code::io, "cannot find the data " + in_quotes(data.test_path),
                  "Correct the name of the test file", data.where);
    }
    return out;
  }
  const char* root = std::getenv("MULBERRY_DATA");
  const bool plain = !data.path.empty() && data.path.find_first_of("/\\") == std::string::npos;
  if (root == nullptr || !plain) not_found(data);
  if (fs::is_directory(fs::path(root) / data.path)) out = files_of(fs::path(root) / data.path);
  if (out.whole.empty() && (out.train.empty() || out.test.empty())) {
    out.whole = file_below(root, data.path);
  }
  if (out.whole.empty() && (out.train.empty() || out.test.empty())) not_found(data);
  return out;
}

Dataset read_one(const std::string& path, const StudyData& data, const Dataset* first = nullptr) {
  ReadOptions options = data.read;
  options.keep_missing = true;
  if (options.label_xml.empty() && options.label_count == 0 && options.label_prefix.empty() &&
      options.label_columns.empty() && options.label_pattern.empty() &&
      options.label_list.empty()) {
    options.label_xml = find_label_xml(path).value_or("");
  }
  if (first != nullptr) {
    options.known_nominal = first->nominal;
    options.known_columns = first->columns();
    if (options.label_xml.empty()) options.known_labels = first->label_names;
    options.known_sets = first->sets.names;
  }
  return read_dataset(path, options);
}

void drop_features(Dataset& data, const StudyData& wanted) {
  std::vector<Id> kept(at(data.columns()));
  std::iota(kept.begin(), kept.end(), Id{0});
  for (const std::string& name : wanted.drop) {
    const auto found = std::find(data.feature_names.begin(), data.feature_names.end(), name);
    if (found == data.feature_names.end()) {
      throw Error(Code::data, "there is no feature " + in_quotes(name) + " to leave out",
                  did_you_mean(name, data.feature_names, "Name a feature of the data"),
                  wanted.where);
    }
    std::erase(kept, static_cast<Id>(found - data.feature_names.begin()));
  }
  std::vector<std::string> names;
  for (const Id j : kept) names.push_back(data.feature_names[at(j)]);
  std::vector<NominalColumns> nominal;
  for (NominalColumns columns : data.nominal_columns) {
    const auto begin = std::find(kept.begin(), kept.end(), columns.begin);
    const auto last = std::find(kept.begin(), kept.end(), columns.begin + columns.size - 1);
    if (begin == kept.end() || last == kept.end()) continue;
    columns.begin = static_cast<Id>(begin - kept.begin());
    nominal.push_back(columns);
  }
  data.x = take_columns(data.x, kept);
  data.feature_names = std::move(names);
  data.nominal_columns = std::move(nominal);
}

std::vector<Id> range(Index begin, Index end) {
  std::vector<Id> out(at(end - begin));
  std::iota(out.begin(), out.end(), static_cast<Id>(begin));
  return out;
}

}  // namespace

PreprocessOptions preprocess_from(const TomlValue& value, const std::string& name) {
  std::vector<std::string> known;
  for (const ParamInfo& info : describe_params<PreprocessOptions>()) known.push_back(info.name);
  const TomlSection section(value, name, known);
  Spec spec("preprocessing");
  for (const auto& [key, entry] : value.entries) {
    if (!entry.is(Kind::text) && !entry.is(Kind::flag)) section.refuse(key, "text, true or false");
    spec.set(key, entry.is(Kind::text) ? entry.text : std::string(entry.flag ? "true" : "false"));
  }
  return at_place(value.where, [&] { return read_params<PreprocessOptions>(spec); });
}

std::vector<StudyData> data_from(const TomlValue& value) {
  if (!value.is(Kind::array) || value.items.empty()) {
    throw Error(Code::format,
                "expected a list of data sets, found " +
                    (value.is(Kind::array) ? "none" : value.kind_name()),
                "For example: data = [\"emotions\", \"photos.arff\"]", value.where);
  }
  std::vector<StudyData> out;
  for (const TomlValue& item : value.items) out.push_back(one_from(item));
  return out;
}

namespace {

void append_texts(std::vector<TextColumn>& first, const std::vector<TextColumn>& second) {
  for (TextColumn& column : first) {
    const auto other = std::ranges::find(second, column.name, &TextColumn::name);
    if (other == second.end()) {
      throw Error(Code::data, "the second file has no column " + in_quotes(column.name),
                  "Give both files the same columns");
    }
    TextsBuilder all;
    for (const Texts* texts : std::initializer_list<const Texts*>{&column.texts, &other->texts}) {
      for (Index i = 0; i < texts->rows(); ++i) all.add((*texts)[i]);
    }
    column.texts = all.finish();
  }
}

}  // namespace

Dataset append_rows(const Dataset& first, const Dataset& second) {
  Dataset out = first;
  append_texts(out.texts, second.texts);
  append_texts(out.words, second.words);
  out.ids.insert(out.ids.end(), second.ids.begin(), second.ids.end());
  if (second.ids.empty()) out.ids.clear();
  const Features more = align_features(second, first.feature_names, first.columns());
  const Labels labels = align_labels(second, first.label_names, first.sets);
  const Index n = first.rows(), all = n + more.rows();
  if (first.x.is_sparse()) {
    std::vector<Index> start = {0};
    std::vector<Id> index;
    std::vector<double> value;
    const Csr parts[] = {to_sparse(first.x), to_sparse(more)};
    for (const Csr& part : parts) {
      for (Index i = 0; i < part.rows; ++i) {
        const SparseRow row = part.row(i);
        index.insert(index.end(), row.index.begin(), row.index.end());
        value.insert(value.end(), row.value.begin(), row.value.end());
        start.push_back(count_of(index));
      }
    }
    out.x = Csr{all, first.columns(), std::move(start), std::move(index), std::move(value)};
  } else {
    const FixedMatrix parts[] = {to_dense(first.x), to_dense(more)};
    Matrix x(all, first.columns());
    for (Index i = 0; i < all; ++i) {
      const auto row = i < n ? parts[0].row(i) : parts[1].row(i - n);
      std::copy(row.begin(), row.end(), x.row(i).begin());
    }
    out.x = std::move(x);
  }
  std::vector<std::vector<Id>> positives, missing;
  for (Index i = 0; i < all; ++i) {
    const Labels& y = i < n ? first.y : labels;
    const auto row = y.row(i < n ? i : i - n), unknown = y.missing_row(i < n ? i : i - n);
    positives.emplace_back(row.begin(), row.end());
    missing.emplace_back(unknown.begin(), unknown.end());
  }
  out.y = Labels(first.labels(), positives, missing);
  if (!first.weights.empty() && !second.weights.empty()) {
    out.weights.insert(out.weights.end(), second.weights.begin(), second.weights.end());
  } else {
    out.weights.clear();
  }
  return out;
}

LoadedData load_data(const StudyData& data, const LoadOptions& options) {
  LoadedData out;
  if (!data.generator.empty() && options.official) {
    throw Error(Code::data, "made-up data has no official split", "Choose another protocol",
                data.where);
  }
  if (!data.generator.empty()) {
    out.data = generate(data.generator, data.generate, Context(1, data.generate_seed));
  } else {
    const Found found = find_files(data, options);
    const bool parts = !found.train.empty() && !found.test.empty();
    if (options.official && !parts) {
      throw Error(Code::data,
                  in_quotes(data.path) +
                      " has no official split: there is no pair of files "
                      "NAME-train and NAME-test",
                  "Name the test file with `test`, or choose another protocol", data.where);
    }
    if (parts && (options.official || found.whole.empty())) {
      out.data = read_one(data.swap ? found.test : found.train, data);
      const Index first = out.data.rows();
      out.data =
          append_rows(out.data, read_one(data.swap ? found.train : found.test, data, &out.data));
      if (options.official) out.official = Fold{range(0, first), range(first, out.data.rows())};
    } else {
      out.data = read_one(found.whole, data);
    }
  }
  if (!data.drop.empty()) drop_features(out.data, data);
  if (data.rows > 0 && data.rows < out.data.rows()) {
    // Files are often sorted by label: rows are taken from all over them.
    const auto thin = [](const std::vector<Id>& rows, std::size_t count) {
      std::vector<Id> kept;
      for (std::size_t k = 0; k < count; ++k) kept.push_back(rows[k * rows.size() / count]);
      return kept;
    };
    if (out.official) {
      const double share = static_cast<double>(data.rows) / static_cast<double>(out.data.rows());
      const auto shrink = [&](std::vector<Id>& rows) {
        rows =
            thin(rows, std::max<std::size_t>(
                           1, static_cast<std::size_t>(share * static_cast<double>(rows.size()))));
      };
      shrink(out.official->train);
      shrink(out.official->test);
    } else {
      out.data = take_rows(out.data, thin(range(0, out.data.rows()), at(data.rows)));
      out.data.x = in_one_piece(out.data.x);
    }
  }
  out.data.name = data.name;
  return out;
}

}  // namespace mulberry::study
