#include "mulberry/data/read/read.hpp"

#include <filesystem>

#include "mulberry/data/bytes/byte_sink.hpp"
#include "mulberry/data/bytes/utf8.hpp"
#include "mulberry/data/read/detect.hpp"
#include "mulberry/data/read/readers.hpp"

namespace mulberry::data {
namespace {

char table_delimiter(std::string_view start, const ReadOptions& options) {
  if (options.delimiter != 0) return options.delimiter;
  return options.format == Format::tsv ? '\t' : detect_delimiter(start);
}

// Text readers have already decoded their names; arrays of texts may contain any bytes.
void decode_names(Dataset& data) {
  bool changed = false;
  for (auto* names : {&data.feature_names, &data.label_names, &data.sets.names}) {
    for (std::string& name : *names) changed = make_utf8(name) || changed;
  }
  if (changed) data.notes.push_back(k_latin1_note);
}

}  // namespace

Dataset read_dataset(std::unique_ptr<ByteSource> bytes, const std::string& path,
                     const ReadOptions& options) {
  const std::string_view start = bytes->peek(k_looked_at);
  if (!options.format) refuse_other_kinds(start, path);
  const Format format = options.format ? *options.format : detect_format(start);
  const char delimiter = table_delimiter(start, options);
  const auto read = [&] {
    if (format == Format::npz) return read_npz(*bytes, path, options);
    TextReader text(std::move(bytes), path);
    switch (format) {
      case Format::arff:
        return read_arff(text, options);
      case Format::libsvm:
        return read_libsvm(text, options);
      case Format::xmlrepo:
        return read_xmlrepo(text, options);
      default:
        return read_csv(text, options, delimiter);
    }
  };
  Dataset data;
  try {
    data = read();
  } catch (const Error& error) {
    throw error.in_file(path);
  }
  decode_names(data);
  if (data.name.empty()) data.name = std::filesystem::path(without_compression(path)).stem();
  return data;
}

Dataset read_dataset(const std::string& path, const ReadOptions& options) {
  return read_dataset(open_bytes(path), path, options);
}

}  // namespace mulberry::data
