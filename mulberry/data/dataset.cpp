#include "mulberry/data/dataset.hpp"

#include <algorithm>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {

const std::vector<std::string>* NominalFeatures::find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &values[at(found - names.begin())];
}

Dataset take_rows(const Dataset& data, std::span<const Id> rows) {
  Dataset out;
  out.name = data.name;
  out.x = pick_rows(data.x, rows);
  out.y = take_rows(data.y, rows);
  out.has_labels = data.has_labels;
  out.feature_names = data.feature_names;
  out.label_names = data.label_names;
  out.rules = data.rules;
  out.sets = data.sets;
  if (!data.weights.empty()) {
    for (const Id i : rows) out.weights.push_back(data.weights[at(i)]);
  }
  out.labels_listed = data.labels_listed;
  for (const TextColumn& column : data.texts) {
    out.texts.push_back({column.name, pick_rows(column.texts, rows)});
  }
  for (const TextColumn& column : data.words) {
    out.words.push_back({column.name, pick_rows(column.texts, rows)});
  }
  out.id_name = data.id_name;
  if (!data.ids.empty()) {
    for (const Id i : rows) out.ids.push_back(data.ids[at(i)]);
  }
  out.reading = data.reading;
  out.nominal = data.nominal;
  out.nominal_columns = data.nominal_columns;
  out.attributes = data.attributes;
  out.notes = data.notes;
  return out;
}

void require_label_sets(const Labels& y, const LabelSets& sets) {
  std::vector<std::vector<std::size_t>> sets_of(at(y.count()));  // of each label
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (const Id l : sets.members[s]) sets_of[at(l)].push_back(s);
  }
  std::vector<Index> count(sets.size());
  for (Index i = 0; i < y.rows(); ++i) {
    std::fill(count.begin(), count.end(), 0);
    for (const Id l : y.row(i)) {
      for (const std::size_t s : sets_of[at(l)]) ++count[s];
    }
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const Index in_set = count[s];
      if (in_set == 1) continue;
      throw Error(Code::data,
                  "expected exactly one label of the set " + in_quotes(sets.names[s]) + " in row " +
                      std::to_string(i + 1) + ", found " + std::to_string(in_set),
                  "Correct that row, or leave this set out of " + mention("label_sets"));
    }
  }
}

std::vector<Id> classes_of(const Labels& y, const LabelSets& sets, std::size_t s) {
  std::vector<Id> out(at(y.rows()), -1);
  for (std::size_t k = 0; k < sets.members[s].size(); ++k) {
    for (const Id i : y.column(sets.members[s][k])) {
      out[at(i)] = static_cast<Id>(k);
    }
  }
  return out;
}

}  // namespace mulberry::data
