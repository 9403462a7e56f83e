// JSON lines: one object per row with the id, the features, the texts and the labels: a list of
// those that the row has or, if some are missing or exclusive sets are declared, a key per label
// with 0, 1 or null.
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/write/writers.hpp"

namespace mulberry::data {
namespace {

std::string json_string(std::string_view text) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20) {
      out += "\\u00";
      out += k_digits[byte / 16];
      out += k_digits[byte % 16];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string label_list(const Dataset& data, Index i) {
  std::string out = "[";
  for (const Id l : data.y.row(i)) {
    if (out.size() > 1) out += ", ";
    out += json_string(data.label_names[at(l)]);
  }
  return out + "]";
}

}  // namespace

void write_jsonl(const Dataset& data, ByteSink& sink) {
  require_no_weights(data, "jsonl");
  if (data.has_labels) require_label_sets(data.y, data.sets);
  std::vector<std::string> keys;
  for (const std::string& name : feature_names_to_write(data)) keys.push_back(json_string(name));
  const auto list = label_list_form(data, false);
  std::vector<std::string> label_keys;
  for (Index l = 0; l < labels_to_write(data); ++l) {
    label_keys.push_back(json_string(data.label_names[at(l)]));
  }
  std::vector<double> scratch(at(data.columns()));
  for (Index i = 0; i < data.rows(); ++i) {
    bool first = true;
    const auto key = [&](const std::string& name) {
      sink.text(first ? "{" : ", ");
      first = false;
      sink.text(name);
      sink.text(": ");
    };
    if (!data.ids.empty()) {
      key(json_string(data.id_name));
      sink.text(json_string(data.ids[at(i)]));
    }
    if (data.x.is_sparse()) {
      std::fill(scratch.begin(), scratch.end(), 0.0);
      data.x.add_row(i, 1.0, scratch);
    }
    const auto row = data.x.is_sparse() ? std::span<const double>(scratch) : data.x.dense_row(i);
    for (std::size_t j = 0; j < keys.size(); ++j) {
      key(keys[j]);
      if (std::isnan(row[j])) {
        sink.text("null");
      } else {
        sink.number(row[j]);
      }
    }
    for (const TextColumn& column : data.texts) {
      key(json_string(column.name));
      sink.text(json_string(column.texts[i]));
    }
    if (list) {
      key(json_string(list->name));
      sink.text(label_list(data, i));
    } else {
      for (std::size_t l = 0; l < label_keys.size(); ++l) {
        key(label_keys[l]);
        const Cell cell = data.y.cell(i, static_cast<Index>(l));
        sink.text(cell == Cell::missing ? "null" : cell == Cell::positive ? "1" : "0");
      }
    }
    sink.text(first ? "{}\n" : "}\n");
  }
}

}  // namespace mulberry::data
