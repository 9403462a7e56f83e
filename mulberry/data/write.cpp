#include "mulberry/data/write.hpp"

#include <unordered_set>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/writers.hpp"

namespace mulberry {
namespace {

Format chosen_format(const std::string& path, const WriteOptions& options) {
  if (options.format) return *options.format;
  if (const auto format = format_from_path(path)) return *format;
  throw Error(Code::usage,
              "expected a file name that ends in .arff, .csv, .tsv, .libsvm, .txt or .npz "
              "(and .gz or .zst after that), found " +
                  quoted(path),
              "Change the ending, or name the format (`mulberry convert` has --to)");
}

// The XML file that belongs to an ARFF file: the same name with .xml, never compressed.
std::string xml_beside(std::string_view path) {
  path = without_compression(path);
  if (path.size() > 5 && same_word(path.substr(path.size() - 5), ".arff")) path.remove_suffix(5);
  return std::string(path) + ".xml";
}

void write_arff_and_xml(const Dataset& data, const std::string& path, ByteSink& sink) {
  write_arff(data, sink);
  if (labels_to_write(data) == 0) {
    sink.commit();
    return;
  }
  ByteSink xml(xml_beside(path));
  write_label_xml(data, xml);
  sink.commit();
  xml.commit();
}

}  // namespace

void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options) {
  const Format format = chosen_format(path, options);
  if (format != Format::npz) require_no_weights(data, format_name(format));
  ByteSink sink(path);
  switch (format) {
    case Format::arff:
      write_arff_and_xml(data, path, sink);
      return;
    case Format::libsvm:
      write_libsvm(data, sink);
      break;
    case Format::xmlrepo:
      write_xmlrepo(data, sink);
      break;
    case Format::csv:
      write_csv(data, sink, ',');
      break;
    case Format::tsv:
      write_csv(data, sink, '\t');
      break;
    case Format::npz:
      write_npz(data, sink);
      break;
  }
  sink.commit();
}

std::vector<std::string> feature_names_to_write(const Dataset& data) {
  std::unordered_set<std::string> taken;
  const auto take = [&](const std::string& name) {
    if (taken.insert(name).second) return;
    throw Error(Code::data, "expected column names that differ, found two named " + quoted(name),
                "Rename one of them, or write a format without names (libsvm)");
  };
  if (data.has_labels) {
    for (const auto& name : data.label_names) take(name);
  }
  std::vector<std::string> names = data.feature_names;
  if (names.empty()) {
    for (Index j = 1; j <= data.columns(); ++j) {
      std::string name = "x" + std::to_string(j);
      while (taken.contains(name)) name = "x_" + name;
      names.push_back(std::move(name));
    }
  }
  MULBERRY_ASSERT(static_cast<Index>(names.size()) == data.columns());
  for (const auto& name : names) take(name);
  return names;
}

void require_no_weights(const Dataset& data, std::string_view format) {
  if (data.weights.empty()) return;
  throw Error(Code::unsupported,
              "expected rows without weights, found weights: " + std::string(format) +
                  " files cannot hold them",
              "Write an .npz file, or leave --weight-column out: the weights then stay a column");
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
  throw Error(Code::unsupported,
              "expected features without missing values, found some: " + std::string(format) +
                  " files cannot hold them",
              "Write an .arff, .csv or .npz file, or fill them in (--impute mean)");
}

}  // namespace mulberry
