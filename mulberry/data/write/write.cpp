#include "mulberry/data/write/write.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <unordered_set>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/read/label_structure.hpp"
#include "mulberry/data/read/label_xml.hpp"
#include "mulberry/data/read/read_options.hpp"
#include "mulberry/data/write/writers.hpp"

namespace mulberry::data {
namespace {

// The XML file of an ARFF file: the same name with .xml, never compressed.
std::string xml_beside(std::string_view path) {
  path = without_compression(path);
  if (path.size() > 5 && same_word(path.substr(path.size() - 5), ".arff")) path.remove_suffix(5);
  return std::string(path) + ".xml";
}

// Whether a label file has the contents that write_label_xml would write, in any order.
bool says_the_same(const LabelXml& xml, const Dataset& data) {
  std::map<std::string, std::string> there, here;  // each label and its parent
  std::map<std::string, std::set<std::string>> sets_there, sets_here;
  for (const auto& label : xml.labels) {
    there[label.name] = label.parent < 0 ? "" : xml.labels[at(label.parent)].name;
  }
  for (std::size_t l = 0; l < data.label_names.size(); ++l) {
    const Id parent = data.rules.parent.empty() ? -1 : data.rules.parent[l];
    here[data.label_names[l]] = parent < 0 ? "" : data.label_names[at(parent)];
  }
  for (const auto& [name, labels] : xml.sets) sets_there[name] = {labels.begin(), labels.end()};
  for (std::size_t s = 0; s < data.sets.size(); ++s) {
    for (const Id l : data.sets.members[s]) {
      sets_here[data.sets.names[s]].insert(data.label_names[at(l)]);
    }
  }
  LabelRules others_here = data.rules, others_there;
  others_here.parent.clear();
  add_rules(others_there, xml.rules, data.label_names, "the label file", true);
  return there == here && sets_there == sets_here && others_there == others_here;
}

// Whether the label file to write is the label file of the input, which is kept.
bool keeps_label_file(const Dataset& data, const std::string& xml, const std::string& in_use) {
  std::error_code ignored;
  if (in_use.empty() || !std::filesystem::equivalent(xml, in_use, ignored)) return false;
  if (says_the_same(read_label_xml(in_use), data)) return true;
  throw Error(Code::usage,
              "expected an output with a separate label file, found " + in_quotes(xml) +
                  ", which belongs to the input and names other labels",
              "Name another file");
}

// Standard output, a pipe or a device: such a file has no neighbours.
bool is_stream(const std::string& path) {
  std::error_code unknown;
  return path == "-" || path == "/dev/stdout" ||
         (std::filesystem::exists(path, unknown) &&
          !std::filesystem::is_regular_file(path, unknown));
}

void write_arff_and_xml(const Dataset& data, const std::string& path, const std::string& label_file,
                        ByteSink& sink, AtomicGroup& group) {
  write_arff(data, sink);
  if (labels_to_write(data) == 0 || is_stream(path) ||
      keeps_label_file(data, xml_beside(path), label_file))
    return;
  ByteSink xml(xml_beside(path));
  write_label_xml(data, xml);
  xml.commit_with(group);
}

// The rules of labels, for formats that cannot hold them. A file that says the same is left alone.
void write_rules_beside(const Dataset& data, const std::string& path, const std::string& label_file,
                        AtomicGroup& group) {
  if (data.rules.empty() || labels_to_write(data) == 0 || is_stream(path)) return;
  const NamedRules rules = named_rules(data.rules, data.label_names);
  const std::string file = rules_beside(path);
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) {
    const bool in_use =
        !label_file.empty() && std::filesystem::equivalent(file, label_file, ignored);
    if (in_use && read_rules_file(file) == rules) return;
    if (in_use) {
      throw Error(Code::usage,
                  "expected an output with separate rules, found " + in_quotes(file) +
                      ", which belongs to the input and has other rules",
                  "Name another file");
    }
  }
  ByteSink sink(file);
  sink.text(rules_text(rules));
  sink.commit_with(group);
}

}  // namespace

Format format_to_write(const std::string& path, const WriteOptions& options) {
  if (options.format) return *options.format;
  if (const auto format = format_from_path(path)) return *format;
  throw Error(Code::usage,
              "expected a file name that ends in .arff, .csv, .tsv, .jsonl, .libsvm, .txt or .npz "
              "(and .gz or .zst after that), found " +
                  in_quotes(path),
              "Change the ending, or name the format to write");
}

void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options) {
  AtomicGroup group;
  write_dataset(data, path, options, group);
  group.commit();
}

void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options,
                   AtomicGroup& group) {
  const Format format = format_to_write(path, options);
  if (!data.words.empty()) {
    throw Error(Code::usage,
                "expected no " + mention("target_words") + " here, found the column " +
                    in_quotes(data.words[0].name),
                "Leave it out: words are replaced when a learner is trained");
  }
  if (format != Format::npz) require_no_weights(data, format_name(format));
  ByteSink sink(path);
  switch (format) {
    case Format::arff:
      write_arff_and_xml(data, path, options.label_file, sink, group);
      break;
    case Format::libsvm:
      write_libsvm(data, sink);
      break;
    case Format::xmlrepo:
      write_xmlrepo(data, sink);
      break;
    case Format::csv:
      write_csv(data, sink, ',', options.sets_as_words);
      break;
    case Format::tsv:
      write_csv(data, sink, '\t', options.sets_as_words);
      break;
    case Format::npz:
      write_npz(data, sink);
      break;
    case Format::jsonl:
      write_jsonl(data, sink);
      break;
  }
  sink.commit_with(group);
  if (needs_rules_file(format)) write_rules_beside(data, path, options.label_file, group);
}

std::vector<std::string> feature_names_to_write(const Dataset& data) {
  std::unordered_set<std::string> taken;
  const auto take = [&](const std::string& name) {
    if (name.empty()) {
      throw Error(Code::unsupported,
                  "expected a name for every column, found an empty one, which files with a header "
                  "cannot hold",
                  "Name the column, or write an .npz or .libsvm file");
    }
    if (taken.insert(name).second) return;
    throw Error(Code::data, "expected column names that differ, found two named " + in_quotes(name),
                "Rename one of them, or write a format without names (libsvm)");
  };
  if (data.has_labels) {
    for (const auto& name : data.label_names) take(name);
  }
  for (const TextColumn& column : data.texts) take(column.name);
  if (!data.ids.empty()) take(data.id_name);
  std::vector<std::string> names = data.feature_names;
  if (names.empty()) {
    for (Index j = 1; j <= data.columns(); ++j) {
      std::string name = "x" + std::to_string(j);
      while (taken.contains(name)) name = "x_" + name;
      names.push_back(std::move(name));
    }
  }
  MULBERRY_ASSERT(count_of(names) == data.columns());
  for (const auto& name : names) take(name);
  return names;
}

void require_no_weights(const Dataset& data, std::string_view format) {
  if (data.weights.empty()) return;
  throw Error(Code::unsupported,
              "expected rows without weights, found weights: " + std::string(format) +
                  " files cannot hold them",
              "Write an .npz file, or leave " + mention("weight_column") +
                  " out: the weights then stay a column");
}

void require_no_text(const Dataset& data, std::string_view format) {
  if (data.texts.empty()) return;
  throw Error(Code::unsupported,
              "expected numbers, found the column of text " + in_quotes(data.texts[0].name) + ": " +
                  std::string(format) + " files cannot hold it",
              "Write a .csv, .tsv, .jsonl, .arff or .npz file");
}

std::optional<LabelListForm> label_list_form(const Dataset& data, bool joined) {
  if (!data.has_labels || !data.labels_listed || !data.sets.empty() || data.y.has_missing()) {
    return std::nullopt;
  }
  LabelListForm out;
  if (data.reading && !data.reading->label_list.empty()) {
    out = {data.reading->label_list, data.reading->label_separator};
  }
  const auto named = [&](const TextColumn& column) { return column.name == out.name; };
  if (std::ranges::find(data.feature_names, out.name) != data.feature_names.end() ||
      std::ranges::any_of(data.texts, named) || data.id_name == out.name) {
    return std::nullopt;
  }
  const auto good = [&](const std::string& name) {
    return !name.empty() && trim(name) == name &&
           (!joined || name.find(out.separator) == std::string::npos);
  };
  if (!std::ranges::all_of(data.label_names, good)) return std::nullopt;
  for (Index l = 0; l < data.labels(); ++l) {
    if (data.y.column(l).empty()) return std::nullopt;  // would be lost
  }
  return out;
}

void require_no_missing_labels(const Dataset& data, std::string_view format) {
  if (!data.has_labels || !data.y.has_missing()) return;
  Index row = 0;
  while (data.y.missing_row(row).empty()) ++row;
  throw Error(Code::unsupported,
              "expected labels of 0 and 1 only, found " + std::to_string(data.y.missing()) +
                  " missing ones, the first in row " + std::to_string(row + 1) + ": " +
                  std::string(format) + " files cannot hold them",
              "Write an .arff, .csv or .npz file");
}

void require_no_missing_features(const Dataset& data, std::string_view format) {
  if (!has_missing(data.x)) return;
  throw Error(
      Code::unsupported,
      "expected features without missing values, found some: " + std::string(format) +
          " files cannot hold them",
      "Write an .arff, .csv or .npz file, or fill them in (" + mention("impute", "mean") + ")");
}

}  // namespace mulberry::data
