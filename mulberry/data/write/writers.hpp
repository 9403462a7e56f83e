// One writer per format, each to an open sink that the caller commits. See write.hpp for what the
// formats can hold. Cost: one pass over the stored values; csv passes over every cell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mulberry/data/bytes/byte_sink.hpp"
#include "mulberry/data/dataset.hpp"

namespace mulberry::data {

void write_arff(const Dataset& data, ByteSink& sink);
void write_label_xml(const Dataset& data, ByteSink& sink);
void write_libsvm(const Dataset& data, ByteSink& sink);
void write_xmlrepo(const Dataset& data, ByteSink& sink);
void write_csv(const Dataset& data, ByteSink& sink, char delimiter, bool sets_as_words = false);
void write_npz(const Dataset& data, ByteSink& sink);
void write_jsonl(const Dataset& data, ByteSink& sink);

// Data whose labels were read from a list is written with a list, if the reader gets the same from
// it.
struct LabelListForm {
  std::string name = "tags";
  char separator = ';';
};
// `joined`: the names of a row are one text, so that none may contain the separator.
std::optional<LabelListForm> label_list_form(const Dataset& data, bool joined = true);

// The names of the feature columns, generated (x1, x2, ...) if the data set has none. Throws Error
// if two columns, including labels, have the same name, or one has none.
std::vector<std::string> feature_names_to_write(const Dataset& data);

// The labels to write: none if the data set has no truth.
inline Index labels_to_write(const Dataset& data) { return data.has_labels ? data.labels() : 0; }

// Throws Error (unsupported) if the data set needs a format that can hold more.
void require_no_text(const Dataset& data, std::string_view format);
void require_no_weights(const Dataset& data, std::string_view format);
void require_no_missing_labels(const Dataset& data, std::string_view format);
void require_no_missing_features(const Dataset& data, std::string_view format);

}  // namespace mulberry::data
