#include "mulberry/data/format.hpp"

#include <utility>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/byte_sink.hpp"

namespace mulberry::data {
namespace {

constexpr std::pair<std::string_view, Format> k_names[] = {
    {"arff", Format::arff},  {"libsvm", Format::libsvm}, {"xmlrepo", Format::xmlrepo},
    {"csv", Format::csv},    {"tsv", Format::tsv},       {"npz", Format::npz},
    {"jsonl", Format::jsonl}};

// Suffixes in addition to the names. The files of the XMLRepo come as .txt.
constexpr std::pair<std::string_view, Format> k_suffixes[] = {{"svm", Format::libsvm},
                                                              {"svmlight", Format::libsvm},
                                                              {"txt", Format::xmlrepo},
                                                              {"tab", Format::tsv},
                                                              {"ndjson", Format::jsonl}};

}  // namespace

std::string_view format_name(Format format) {
  for (const auto& [name, known] : k_names) {
    if (known == format) return name;
  }
  return {};
}

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (const auto& [name, format] : k_names) out.emplace_back(name);
  return out;
}

Format format_from_name(std::string_view name) {
  for (const auto& [known, format] : k_names) {
    if (same_word(name, known)) return format;
  }
  const auto names = format_names();
  throw Error(Code::usage,
              "expected one of the formats " + join(names, ", ") + ", found " + in_quotes(name),
              did_you_mean(name, names, ""));
}

std::optional<Format> format_from_path(std::string_view path) {
  path = without_compression(path);
  const auto dot = path.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto suffix = path.substr(dot + 1);
  for (const auto& [known, format] : k_names) {
    if (same_word(suffix, known)) return format;
  }
  for (const auto& [known, format] : k_suffixes) {
    if (same_word(suffix, known)) return format;
  }
  return std::nullopt;
}

}  // namespace mulberry::data
