#include "mulberry/data/read/read.hpp"

#include <algorithm>
#include <filesystem>

#include "mulberry/core/error.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/data/bytes/byte_sink.hpp"
#include "mulberry/data/bytes/utf8.hpp"
#include "mulberry/data/read/detect.hpp"
#include "mulberry/data/read/label_structure.hpp"
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

// Files of numbers have no columns of text and no ids.
void require_columns(const ReadOptions& options, Format format, const std::string& path) {
  if (format == Format::npz && !options.target_columns.empty() && !options.remembered) {
    throw Error(Code::unsupported,
                "expected a table for " + mention("target_words") + ", found npz data",
                "Use CSV, JSON lines or ARFF data", {path});
  }
  if (options.remembered || (format != Format::libsvm && format != Format::xmlrepo)) return;
  const std::pair<bool, const char*> given[] = {{!options.text.empty(), "text"},
                                                {!options.target_columns.empty(), "target_words"},
                                                {!options.id_column.empty(), "id"},
                                                {!options.ignore.empty(), "ignore"}};
  const auto* const found = std::ranges::find_if(given, [](const auto& one) { return one.first; });
  if (found == std::end(given)) return;
  const std::string option = mention(found->second);
  throw Error(Code::usage,
              "expected data with named columns for " + option + ", found " +
                  std::string(format_name(format)) + " data, whose columns are numbers",
              "Leave the option out, or convert the data to CSV or ARFF first", {path});
}

}  // namespace

Dataset read_whole(BlockReader& reader) {
  reader.read({});
  return reader.cut(true);
}

void tidy_dataset(Dataset& data, const std::string& path, const ReadOptions& options) {
  decode_names(data);
  data.reading = std::make_shared<ReadOptions>(options);
  if (data.name.empty()) data.name = std::filesystem::path(without_compression(path)).stem();
}

namespace {

std::unique_ptr<BlockReader> text_reader(TextReader& text, Format format,
                                         const ReadOptions& options, char delimiter) {
  switch (format) {
    case Format::arff:
      return arff_reader(text, options);
    case Format::libsvm:
      return libsvm_reader(text, options);
    case Format::xmlrepo:
      return xmlrepo_reader(text, options);
    case Format::jsonl:
      return jsonl_reader(text, options);
    default:
      return csv_reader(text, options, delimiter);
  }
}

// Of bytes whose format is known: a reader, or the bytes themselves of .npz files.
OpenedFile open_rows(std::unique_ptr<ByteSource> bytes, const std::string& path,
                     const ReadOptions& options) {
  const std::string_view start = bytes->peek(k_looked_at);
  if (!options.format) refuse_other_kinds(start, path);
  const Format format = options.format ? *options.format : detect_format(start);
  require_columns(options, format, path);
  const char delimiter = table_delimiter(start, options);
  OpenedFile out{.format = format};
  if (format == Format::npz) {
    out.bytes = std::move(bytes);
    return out;
  }
  try {
    out.text = std::make_unique<TextReader>(std::move(bytes), path);
    out.reader = text_reader(*out.text, format, options, delimiter);
  } catch (const Error& error) {
    throw error.in_file(path);
  }
  return out;
}

}  // namespace

OpenedFile open_reader(const std::string& path, const ReadOptions& options) {
  OpenedFile out = open_rows(open_bytes(path), path, options);
  if (!out.reader) out.reader = npz_reader(path, options);
  return out;
}

Dataset read_dataset(std::unique_ptr<ByteSource> bytes, const std::string& path,
                     const ReadOptions& options) {
  const OpenedFile file = open_rows(std::move(bytes), path, options);
  Dataset data;
  try {
    data = file.reader ? read_whole(*file.reader) : read_npz(*file.bytes, path, options);
  } catch (const Error& error) {
    throw error.in_file(path);
  }
  tidy_dataset(data, path, options);
  if (data.has_labels) add_structure(data, path, file.format, options);
  return data;
}

Dataset read_dataset(const std::string& path, const ReadOptions& options) {
  return read_dataset(open_bytes(path), path, options);
}

}  // namespace mulberry::data
