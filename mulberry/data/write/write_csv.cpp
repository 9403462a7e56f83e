// CSV and TSV as in RFC 4180: a header, the features, then the labels as 0/1 columns; missing
// values are empty cells. A declared label set whose labels are named `set=value` is one column of
// values, if readers find the same labels in it.
#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/csv_field.hpp"
#include "mulberry/data/label_sets.hpp"
#include "mulberry/data/write/writers.hpp"

namespace mulberry::data {
namespace {

// A column of the label part: one label, or one set and the value that each class writes.
struct LabelColumn {
  std::string name;
  Id label = -1;
  std::vector<Id> classes = {};          // of each row, for a set
  std::vector<std::string> values = {};  // of each class, for a set
  char list = 0;                         // separates the labels of a row, if this is their list
};

std::string listed_labels(const Dataset& data, Index i, char separator) {
  std::string out;
  for (const Id l : data.y.row(i)) {
    if (!out.empty()) out += separator;
    out += data.label_names[at(l)];
  }
  return out;
}

// Whether a reader of a column of words gets back the labels of set s: they are in order and
// adjacent, every one occurs in a row, and no other column has this name.
bool comes_back(const Dataset& data, std::size_t s, const std::vector<std::string>& values) {
  const std::vector<Id>& members = data.sets.members[s];
  std::vector<std::string> sorted = values;
  sort_names(sorted);
  const auto taken = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), data.sets.names[s]) != names.end();
  };
  return sorted == values && members.back() - members.front() + 1 == std::ssize(members) &&
         std::none_of(members.begin(), members.end(),
                      [&](Id l) { return data.y.column(l).empty(); }) &&
         !taken(data.feature_names) && !taken(data.label_names);
}

// The values of set s, or nothing if they should not be one column.
std::vector<std::string> set_values(const Dataset& data, std::size_t s, char delimiter,
                                    bool always) {
  const std::string prefix = data.sets.names[s] + "=";
  std::vector<std::string> values;
  for (const Id l : data.sets.members[s]) {
    const std::string& name = data.label_names[at(l)];
    if (!name.starts_with(prefix) || name.size() == prefix.size()) return {};
    values.push_back(name.substr(prefix.size()));
  }
  if (!always && !comes_back(data, s, values)) return {};
  for (std::string& value : values) value = csv_field(value, delimiter);
  return values;
}

std::vector<LabelColumn> label_columns(const Dataset& data, char delimiter, bool sets_as_words) {
  if (const auto list = label_list_form(data)) {
    return {{.name = csv_field(list->name, delimiter), .list = list->separator}};
  }
  std::vector<std::size_t> set_of(at(labels_to_write(data)), data.sets.size());
  for (std::size_t s = 0; s < data.sets.size() && data.has_labels; ++s) {
    for (const Id l : data.sets.members[s]) set_of[at(l)] = s;
  }
  std::vector<LabelColumn> out;
  std::vector<bool> written(data.sets.size(), false);
  for (std::size_t l = 0; l < set_of.size(); ++l) {
    const std::size_t s = set_of[l];
    std::vector<std::string> values;
    if (s < data.sets.size()) values = set_values(data, s, delimiter, sets_as_words);
    if (values.empty()) {
      out.push_back({csv_field(data.label_names[l], delimiter), static_cast<Id>(l)});
    } else if (!written[s]) {
      written[s] = true;
      out.push_back({csv_field(data.sets.names[s], delimiter), -1, classes_of(data.y, data.sets, s),
                     std::move(values)});
    }
  }
  return out;
}

std::string_view label_text(Cell cell) {
  switch (cell) {
    case Cell::negative:
      return "0";
    case Cell::positive:
      return "1";
    case Cell::missing:
      break;
  }
  return "";
}

}  // namespace

void write_csv(const Dataset& data, ByteSink& sink, char delimiter, bool sets_as_words) {
  require_no_weights(data, delimiter == '\t' ? "tsv" : "csv");
  if (data.has_labels) require_label_sets(data.y, data.sets);
  const auto labels = label_columns(data, delimiter, sets_as_words);
  const std::string between(1, delimiter);
  bool first = true;
  const auto next_cell = [&] {
    if (!first) sink.text(between);
    first = false;
  };
  const auto end_row = [&] {
    sink.text("\n");
    first = true;
  };

  const std::vector<std::string> names = feature_names_to_write(data);
  const auto is_number = [](const std::string& name) { return parse_number(name).has_value(); };
  if (std::all_of(names.begin(), names.end(), is_number) && !labels.empty() &&
      std::all_of(labels.begin(), labels.end(),
                  [&](const LabelColumn& column) { return is_number(column.name); })) {
    throw Error(Code::unsupported,
                "expected a name that is no number, found only numbers: a table cannot tell such a "
                "header from a row",
                "Name the labels (" + mention("label_xml") + "), or write an .arff or .npz file");
  }
  if (!data.ids.empty()) {
    next_cell();
    sink.text(csv_field(data.id_name, delimiter));
  }
  for (const auto& name : names) {
    next_cell();
    sink.text(csv_field(name, delimiter));
  }
  for (const TextColumn& column : data.texts) {
    next_cell();
    sink.text(csv_field(column.name, delimiter));
  }
  for (const auto& column : labels) {
    next_cell();
    sink.text(column.name);
  }
  end_row();

  // A lone empty cell is quoted: its line would be blank otherwise.
  const bool lone =
      data.columns() + count_of(labels) + count_of(data.texts) + (data.ids.empty() ? 0 : 1) == 1;
  std::vector<double> scratch(data.x.is_sparse() ? at(data.columns()) : 0);
  for (Index i = 0; i < data.rows(); ++i) {
    if (data.x.is_sparse()) {
      std::fill(scratch.begin(), scratch.end(), 0.0);
      data.x.add_row(i, 1.0, scratch);
    }
    if (!data.ids.empty()) {
      next_cell();
      sink.text(csv_field(data.ids[at(i)], delimiter));
    }
    for (const double value :
         data.x.is_sparse() ? std::span<const double>(scratch) : data.x.dense_row(i)) {
      next_cell();
      if (!std::isnan(value)) {
        sink.number(value);
      } else if (lone) {
        sink.text("\"\"");
      }
    }
    for (const TextColumn& column : data.texts) {
      next_cell();
      sink.text(csv_field(column.texts[i], delimiter));
    }
    for (const auto& column : labels) {
      next_cell();
      if (column.list != 0) {
        sink.text(csv_field(listed_labels(data, i, column.list), delimiter));
      } else if (column.label >= 0) {
        const auto text = label_text(data.y.cell(i, column.label));
        sink.text(lone && text.empty() ? "\"\"" : text);
      } else {
        const Id value = column.classes[at(i)];
        sink.text(column.values[at(value)]);
      }
    }
    end_row();
  }
}

}  // namespace mulberry::data
