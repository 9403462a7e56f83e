#include "mulberry/data/read/column_table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/label_sets.hpp"
#include "mulberry/data/read/values/bracketed_list.hpp"
#include "mulberry/data/read/values/missing_words.hpp"
#include "mulberry/data/read/values/table_numbers.hpp"

namespace mulberry::data {
namespace {

// Position 0 and 1 of a nominal column whose values are numbers 0 and 1; slope 0 if they are not.
struct Line {
  double offset = 0, slope = 0;
};
Line zero_one_line(const std::vector<std::string>& values) {
  if (values.empty() || values.size() > 2) return {};
  const auto first = parse_number(values[0]);
  if (!first || (*first != 0 && *first != 1)) return {};
  const Line line{*first, *first == 0 ? 1.0 : -1.0};
  if (values.size() == 1) return line;
  const auto second = parse_number(values[1]);
  return second && *second == 1 - *first ? line : Line{};
}

// Such a line for {no,yes} or {True,False}; slope 0 if both words mean the same.
Line truth_line(const std::vector<std::string>& values) {
  const double first = *truth_of(values[0]) ? 1 : 0, second = *truth_of(values[1]) ? 1 : 0;
  return {first, second - first};
}

}  // namespace

void append_date_columns(const ColumnForm& form, const Column& column, std::vector<Column>& out) {
  for (const std::string_view part : date_part_names(form)) {
    out.push_back({column.name + ":" + std::string(part), false, {}, column.line, column.at});
  }
}

void require_distinct_columns(const std::string& path, std::span<const Column> columns) {
  std::unordered_set<std::string_view> names;
  for (const Column& column : columns) {
    if (names.insert(column.name).second) continue;
    throw Error(Code::format,
                "expected names that differ from the parts of dates, found " +
                    in_quotes(column.name) + ", which is also such a part",
                "Rename the column", {path, column.line, column.at});
  }
}

TableBuilder::TableBuilder(std::string path, std::vector<Column> columns, Roles roles,
                           const ReadOptions& options, PlaceOf place)
    : path_(std::move(path)),
      columns_(std::move(columns)),
      roles_(std::move(roles)),
      plans_(columns_.size()),
      place_(std::move(place)),
      separator_(options.label_separator),
      keep_missing_(options.keep_missing),
      other_labels_(options.other_labels),
      unseen_is_zero_(options.unseen == Unseen::zero &&
                      options.known_nominal.coding == Nominal::one_hot),
      known_features_(options.known_features != nullptr) {
  MULBERRY_ASSERT(roles_.of.size() == columns_.size());
  const WordNumbers known(options.known_nominal.names);
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    Plan& plan = plans_[j];
    switch (roles_[j]) {
      case Role::feature:
        plan_feature(j, options, known);
        break;
      case Role::label:
        plan_label(j);
        break;
      case Role::label_set:
        plan_label_set(j);
        break;
      case Role::weight:
        plan.use = Use::weight;
        break;
      case Role::ignored:
      case Role::text:  // kept apart by the reader
      case Role::words:
      case Role::id:
        plan.use = Use::ignored;
        break;
      case Role::label_list:
        plan.use = Use::label_list;
        list_values_ = columns_[j].values;
        has_list_ = true;
        break;
    }
    const bool plain =
        plan.use == Use::number || plan.use == Use::label || plan.use == Use::ignored;
    if (!plain || plan.offset != 0) never_zero_.push_back(j);
  }
  require_distinct_features();
  plan_binary_sets();
  row_.resize(feature_names_.size());
  start_.push_back(0);
  label_start_.push_back(0);
  missing_start_.push_back(0);
  // A dense matrix of one-hot columns with many values is nearly all zeros.
  if (feature_names_.size() > 16 * columns_.size() + 64) become_sparse();
}

void TableBuilder::plan_feature(std::size_t column, const ReadOptions& options,
                                const WordNumbers& known_names) {
  const Column& file = columns_[column];
  Plan& plan = plans_[column];
  plan.target = static_cast<Id>(feature_names_.size());
  const auto number = file.nominal ? known_names.find(file.name) : std::nullopt;
  const auto* known = number ? &options.known_nominal.values[*number] : nullptr;
  // -0 + v is v for every v; +0 + v would lose the sign of -0.
  const Line numbers = file.nominal ? (known ? Line{} : zero_one_line(file.values)) : Line{-0.0, 1};
  if (numbers.slope != 0) {
    plan.offset = numbers.offset;
    plan.slope = numbers.slope;
    feature_names_.push_back(file.name);
    return;
  }
  if (known != nullptr) recode(column, *known);
  const auto& values = known != nullptr ? *known : file.values;
  nominal_.names.push_back(file.name);
  nominal_.values.push_back(values);
  nominal_.coding = known != nullptr ? options.known_nominal.coding : options.nominal;
  if (values.size() == 2) {
    feature_names_.push_back(file.name + "=" + values[1]);
  } else if (values.size() > 2 && nominal_.coding == Nominal::one_hot) {
    plan.width = static_cast<Id>(values.size());
    if (known == nullptr) plan.use = Use::one_hot;
    for (const std::string& value : values) feature_names_.push_back(file.name + "=" + value);
  } else {
    feature_names_.push_back(file.name);
  }
}

// Columns of the file have different names, but `colour=red` may be one of them and also come from
// the values of `colour`. Models match features by name, so this is an error.
void TableBuilder::require_distinct_features() const {
  if (nominal_.names.empty()) return;
  std::unordered_map<std::string_view, std::size_t> column_of;
  for (std::size_t j = 0; j < plans_.size(); ++j) {
    if (roles_[j] != Role::feature) continue;
    for (Id v = 0; v < plans_[j].width; ++v) {
      const std::string& name = feature_names_[at(Index{plans_[j].target} + v)];
      const auto [other, added] = column_of.emplace(name, j);
      if (added) continue;
      const Column& plain = columns_[columns_[j].name == name ? j : other->second];
      const Column& words = columns_[columns_[j].name == name ? other->second : j];
      throw Error(Code::format,
                  "expected names that differ from the names of values, found " +
                      in_quotes(plain.name) + ", which is also a value of " + in_quotes(words.name),
                  "Rename one of the two columns", {path_, plain.line, plain.at});
    }
  }
}

void TableBuilder::recode(std::size_t column, const std::vector<std::string>& known) {
  plans_[column].use = Use::recoded;
  const WordNumbers numbers(known);
  for (const std::string& value : columns_[column].values) {
    const auto found = numbers.find(value);
    plans_[column].code.push_back(found ? static_cast<Id>(*found) : -1);
  }
}

void TableBuilder::plan_label(std::size_t column) {
  const auto& [name, nominal, values, line, at] = columns_[column];
  Plan& plan = plans_[column];
  plan.use = Use::label;
  plan.target = static_cast<Id>(label_names_.size());
  label_names_.push_back(name);
  if (!nominal) return;
  const Line numbers = values.size() == 2 && truth_of(values[0]) && truth_of(values[1])
                           ? truth_line(values)
                           : zero_one_line(values);
  if (numbers.slope == 0 || values.size() != 2) {
    throw Error(
        Code::format,
        "expected the values 0 and 1 for the label " + in_quotes(name) + ", found " +
            in_quotes(join(values, ",")),
        "Name only binary columns as labels, or declare this one in " + mention("label_sets"),
        {path_, line, at});
  }
  plan.offset = numbers.offset;
  plan.slope = numbers.slope;
}

void TableBuilder::plan_label_set(std::size_t column) {
  const auto& [name, nominal, values, line, at] = columns_[column];
  if (!nominal) {
    throw Error(
        Code::format,
        "expected a nominal column for the label set " + in_quotes(name) + ", found a numeric one",
        "Declare its values, as in {red,green,blue}", {path_, line, at});
  }
  plans_[column].use = Use::label_set;
  plans_[column].target = static_cast<Id>(label_names_.size());
  for (const std::string& value : values) label_names_.push_back(name + "=" + value);
}

void TableBuilder::put_missing(std::size_t column, std::size_t k) {
  const Plan& plan = plans_[column];
  switch (plan.use) {
    case Use::label:
      missing_label_.push_back(plan.target);
      break;
    case Use::label_list:
      list_.push_back(std::numeric_limits<double>::quiet_NaN());
      break;
    case Use::ignored:
      break;
    case Use::label_set:
      throw Error(Code::data,
                  "expected a value of the label set " + in_quotes(columns_[column].name) +
                      ", found a missing one",
                  k_set_remedy, place_(k));
    case Use::weight:
      throw Error(Code::data, "expected a weight, found a missing value", k_weight_remedy,
                  place_(k));
    case Use::number:
    case Use::one_hot:
    case Use::recoded:
      if (!keep_missing_) {
        throw Error(
            Code::data,
            "expected a value of " + in_quotes(columns_[column].name) + ", found a missing one",
            k_missing_remedy, place_(k));
      }
      for (Id v = 0; v < plan.width; ++v) {
        put_feature(plan.target + v, std::numeric_limits<double>::quiet_NaN());
      }
  }
}

void TableBuilder::put_other(std::size_t column, double value, std::size_t k) {
  if (std::isnan(value)) return put_missing(column, k);
  const Plan& plan = plans_[column];
  const double number = plan.offset + plan.slope * value;
  switch (plan.use) {
    case Use::number:
      put_feature(plan.target, number);
      break;
    case Use::one_hot:
      put_feature(plan.target + static_cast<Id>(value), 1);
      break;
    case Use::recoded: {
      const Id code = plan.code[static_cast<std::size_t>(value)];
      if (code < 0 && unseen_is_zero_) {  // all of its columns stay 0
        UnseenWords& seen = (*unseen_)[column];
        if (seen.cells++ == 0)
          seen.first = columns_[column].values[static_cast<std::size_t>(value)];
        break;
      }
      if (code < 0) {
        const std::string& word = columns_[column].values[static_cast<std::size_t>(value)];
        throw Error(Code::data,
                    "expected a value of " + in_quotes(columns_[column].name) +
                        " that the training data has, found " + in_quotes(word),
                    "Correct the value, or train with data that has it", place_(k));
      }
      if (plan.width > 1) {
        put_feature(plan.target + code, 1);
      } else {
        put_feature(plan.target, code);
      }
      break;
    }
    case Use::label:
      if (number == 1) {
        label_.push_back(plan.target);
      } else if (number != 0) {
        throw Error(Code::data,
                    "expected 0 or 1 for the label " + in_quotes(columns_[column].name) +
                        ", found " + shortest(number),
                    "Name only binary columns as labels", place_(k));
      }
      break;
    case Use::label_list:
      list_.push_back(value);
      break;
    case Use::label_set:
      label_.push_back(plan.target + static_cast<Id>(value));
      break;
    case Use::ignored:
      break;
    case Use::weight:
      if (number <= 0) {
        throw Error(Code::data, "expected a positive weight, found " + shortest(number),
                    k_weight_remedy, place_(k));
      }
      weights_.push_back(number);
  }
}

void TableBuilder::add_dense(std::span<const double> row) {
  MULBERRY_ASSERT(row.size() == plans_.size());
  if (!sparse_) std::fill(row_.begin(), row_.end(), 0.0);
  for (std::size_t j = 0; j < row.size(); ++j) put(j, row[j], j);
  end_row();
}

void TableBuilder::add_sparse(std::span<const ColumnCell> row) {
  if (!sparse_) become_sparse();
  std::size_t next = 0;  // of never_zero_
  for (std::size_t k = 0; k < row.size(); ++k) {
    const auto column = at(row[k].column);
    for (; next < never_zero_.size() && never_zero_[next] <= column; ++next) {
      if (never_zero_[next] < column) put(never_zero_[next], 0, k);
    }
    put(column, row[k].value, k);
  }
  for (; next < never_zero_.size(); ++next) put(never_zero_[next], 0, row.size());
  end_row();
}

// The sets that the options or the label file declare among columns of 0 and 1.
void TableBuilder::plan_binary_sets() {
  if (has_list_ || !roles_.has_labels) return;
  binary_sets_ = label_sets_by_prefix(label_names_, roles_.prefix_sets);
  const WordNumbers numbers(label_names_);
  for (const auto& [name, labels] : roles_.named_sets) {
    std::vector<Id>& members = binary_sets_.members.emplace_back();
    for (const std::string& label : labels) {
      const auto found = numbers.find(label);
      if (!found) {
        throw Error(Code::format,
                    "expected the label " + in_quotes(label) + " of the set " + in_quotes(name) +
                        " to be a column of 0 and 1, found another use of it",
                    "Remove the set from the label file, or name it in " + mention("label_sets"));
      }
      members.push_back(static_cast<Id>(*found));
    }
    std::sort(members.begin(), members.end());
    binary_sets_.names.push_back(name);
  }
  sets_of_.resize(binary_sets_.empty() ? 0 : label_names_.size());
  for (std::size_t s = 0; s < binary_sets_.size(); ++s) {
    for (const Id l : binary_sets_.members[s]) sets_of_[at(l)].push_back(static_cast<Id>(s));
  }
}

void TableBuilder::require_sets_in_row() const {
  if (binary_sets_.empty()) return;
  const auto first = at(label_start_[label_start_.size() - 1]);
  std::vector<Index> counts(binary_sets_.size(), 0);
  for (std::size_t k = first; k < label_.size(); ++k) {
    for (const Id s : sets_of_[at(label_[k])]) ++counts[at(s)];
  }
  std::vector<Index> missing(binary_sets_.size(), 0);
  for (std::size_t k = at(missing_start_[missing_start_.size() - 1]); k < missing_label_.size();
       ++k) {
    for (const Id s : sets_of_[at(missing_label_[k])]) ++missing[at(s)];
  }
  for (std::size_t s = 0; s < binary_sets_.size(); ++s) {
    const Index count = counts[s];
    if (count == 1 || (count == 0 && missing[s] > 0)) continue;
    throw Error(Code::data,
                "expected exactly one label of the set " + in_quotes(binary_sets_.names[s]) +
                    " in this row, found " + std::to_string(count),
                k_set_remedy, place_(std::numeric_limits<std::size_t>::max()));
  }
}

void TableBuilder::end_row() {
  require_sets_in_row();
  if (rows_ == std::numeric_limits<Id>::max()) {
    throw Error(Code::data, "expected at most 2^31 - 1 rows, found more", "Split the file",
                place_(0));
  }
  ++rows_;
  if (sparse_) {
    start_.push_back(count_of(index_));
  } else {
    value_.append(row_);
  }
  label_start_.push_back(count_of(label_));
  missing_start_.push_back(count_of(missing_label_));
}

// The rows so far were dense; from now on only values other than 0 are kept.
void TableBuilder::become_sparse() {
  sparse_ = true;
  const std::vector<double> dense = value_.take();
  const std::size_t width = row_.size();
  for (std::size_t i = 0; i < at(rows_); ++i) {
    for (std::size_t j = 0; j < width; ++j) put_feature(static_cast<Id>(j), dense[i * width + j]);
    start_.push_back(count_of(index_));
  }
}

std::vector<NominalColumns> TableBuilder::nominal_columns() const {
  std::vector<NominalColumns> out;
  for (std::size_t j = 0; j < plans_.size(); ++j) {
    if (roles_[j] != Role::feature || !columns_[j].nominal) continue;
    out.push_back({plans_[j].target, plans_[j].width});
  }
  return out;
}

Features TableBuilder::finish_features() {
  const auto width = count_of(feature_names_);
  if (!sparse_) return Matrix(rows_, width, value_.take());
  return Csr{rows_, width, start_.take(), index_.take(), value_.take()};
}

// The label list's values are few compared with the rows: each is cut into labels once.
// A list that is separated in another way makes a label of every combination, without a word.
void TableBuilder::note_separator(Dataset& data) const {
  const auto having = [&](char c) {
    return std::ranges::find_if(list_values_, [c](const std::string& value) {
      const auto place = trim(value).find(c);
      return place != std::string::npos && place > 0 && !bracketed_list(value);
    });
  };
  if (separator_ < ' ' || having(separator_) != list_values_.end()) return;
  for (const char other : {';', '|', ','}) {
    const auto found = having(other);
    if (found == list_values_.end()) continue;
    data.notes.push_back("no list of labels has a " + in_quotes(std::string(1, separator_)) +
                         ", and " + in_quotes(*found) + " counts as one label; " +
                         mention("label_separator", in_quotes(std::string(1, other))) +
                         " would split it");
    return;
  }
}

Labels TableBuilder::finish_list(Dataset& data) {
  std::map<std::string, Id> ids;
  std::vector<std::vector<std::string>> labels_of;
  std::string bracketed;
  for (const std::string& value : list_values_) {
    labels_of.emplace_back();
    if (trim(value).empty()) continue;
    const auto written = separator_ < ' ' ? std::nullopt : bracketed_list(value);  // not in JSON
    if (written && bracketed.empty()) bracketed = value;
    for (const std::string& part : written ? *written : split(value, separator_)) {
      const std::string label(trim(part));
      if (label.empty()) continue;
      ids.emplace(label, 0);
      labels_of.back().push_back(label);
    }
  }
  if (!bracketed.empty()) {
    data.notes.push_back("lists of labels in brackets, such as " + in_quotes(bracketed) +
                         ", are read as Python and JSON write them");
  }
  note_separator(data);
  for (const auto& [label, id] : ids) data.label_names.push_back(label);
  sort_names(data.label_names);
  for (std::size_t l = 0; l < data.label_names.size(); ++l) {
    ids[data.label_names[l]] = static_cast<Id>(l);
  }
  std::vector<std::vector<Id>> ids_of(labels_of.size());
  for (std::size_t v = 0; v < labels_of.size(); ++v) {
    for (const std::string& label : labels_of[v]) ids_of[v].push_back(ids[label]);
    std::sort(ids_of[v].begin(), ids_of[v].end());
    ids_of[v].erase(std::unique(ids_of[v].begin(), ids_of[v].end()), ids_of[v].end());
  }
  std::vector<Index> start = {0}, missing_start = {0};
  std::vector<Id> index, missing;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (std::isnan(list_[i])) {
      for (std::size_t l = 0; l < ids.size(); ++l) missing.push_back(static_cast<Id>(l));
    } else {
      const auto& row = ids_of[static_cast<std::size_t>(list_[i])];
      index.insert(index.end(), row.begin(), row.end());
    }
    start.push_back(count_of(index));
    missing_start.push_back(count_of(missing));
  }
  return Labels::from_csr(count_of(ids), std::move(start), std::move(index),
                          std::move(missing_start), std::move(missing));
}

Labels TableBuilder::finish_labels(Dataset& data) {
  if (has_list_) return finish_list(data);
  data.label_names = std::move(label_names_);
  return Labels::from_csr(count_of(data.label_names), label_start_.take(), label_.take(),
                          missing_start_.take(), missing_label_.take());
}

LabelSets TableBuilder::finish_sets() {
  LabelSets sets;
  for (std::size_t j = 0; j < plans_.size(); ++j) {
    if (plans_[j].use != Use::label_set) continue;
    sets.names.push_back(columns_[j].name);
    auto& members = sets.members.emplace_back(columns_[j].values.size());
    std::iota(members.begin(), members.end(), plans_[j].target);
  }
  std::ranges::move(binary_sets_.names, std::back_inserter(sets.names));
  std::ranges::move(binary_sets_.members, std::back_inserter(sets.members));
  return sets;
}

// The labels of a list are known at the end. A column of 0 and 1 with the name of one of them is
// that label again, and would tell learners the answer.
void TableBuilder::leave_out_listed(Dataset& data) const {
  const std::unordered_set<std::string_view> labels(data.label_names.begin(),
                                                    data.label_names.end());
  std::vector<bool> suspect(data.feature_names.size());
  for (std::size_t j = 0; j < suspect.size(); ++j)
    suspect[j] = labels.contains(data.feature_names[j]);
  const auto look = [&](std::size_t j, double value) {
    if (value != 0 && value != 1 && !std::isnan(value)) suspect[j] = false;
  };
  for (Index i = 0; i < data.rows(); ++i) {
    if (data.x.is_sparse()) {
      const SparseRow row = data.x.sparse_row(i);
      for (std::size_t k = 0; k < row.index.size(); ++k) look(at(row.index[k]), row.value[k]);
    } else {
      const auto row = data.x.dense_row(i);
      for (std::size_t j = 0; j < row.size(); ++j) look(j, row[j]);
    }
  }
  std::vector<Id> kept;
  std::vector<std::string> names, left_out;
  for (std::size_t j = 0; j < suspect.size(); ++j) {
    if (suspect[j]) {
      left_out.push_back(in_quotes(data.feature_names[j]));
      continue;
    }
    kept.push_back(static_cast<Id>(j));
    names.push_back(data.feature_names[j]);
  }
  if (left_out.empty()) return;
  data.x = take_columns(data.x, kept);
  std::erase_if(data.nominal_columns,
                [&](const NominalColumns& columns) { return suspect[at(columns.begin)]; });
  for (NominalColumns& columns : data.nominal_columns) {
    columns.begin = static_cast<Id>(std::ranges::lower_bound(kept, columns.begin) - kept.begin());
  }
  data.feature_names = std::move(names);
  data.attributes -= count_of(left_out);
  data.notes.push_back(left_out_note(left_out));
}

void TableBuilder::note_unseen(Dataset& data) const {
  for (const auto& [column, words] : *unseen_) {
    data.notes.push_back("the column " + in_quotes(columns_[column].name) + " has " +
                         std::to_string(words.cells) + (words.cells == 1 ? " value" : " values") +
                         " that the training data lacks, such as " + in_quotes(words.first) +
                         ": counted as none of those known (" + mention("unseen", "error") +
                         " refuses them)");
  }
}

Dataset TableBuilder::cut(Dataset data) {
  auto features = feature_names_, labels = label_names_;
  auto nominal = nominal_;
  auto parents = roles_.label_parent;
  auto sets = binary_sets_;
  Dataset out = finish(std::move(data), false);
  feature_names_ = std::move(features);
  label_names_ = std::move(labels);
  nominal_ = std::move(nominal);
  roles_.label_parent = std::move(parents);
  binary_sets_ = std::move(sets);
  weights_.clear();
  value_.shrink(0);
  list_.shrink(0);
  for (Chunked<Id>* ids : {&index_, &label_, &missing_label_}) ids->shrink(0);
  for (Chunked<Index>* starts : {&start_, &label_start_, &missing_start_}) {
    starts->shrink(0);
    starts->push_back(0);
  }
  rows_ = 0;
  return out;
}

Dataset TableBuilder::finish(Dataset data, bool last) {
  data.x = finish_features();
  data.y = finish_labels(data);
  data.has_labels = roles_.has_labels;
  data.feature_names = std::move(feature_names_);
  data.nominal = std::move(nominal_);
  data.nominal_columns = nominal_columns();
  data.rules.parent = std::move(roles_.label_parent);
  add_rules(data.rules, roles_.named_rules, data.label_names, "the label file", true);
  data.weights = std::move(weights_);
  data.attributes = std::count(roles_.of.begin(), roles_.of.end(), Role::feature);
  if (roles_.has_labels) data.sets = finish_sets();
  data.notes.insert(data.notes.end(), roles_.notes.begin(), roles_.notes.end());
  data.labels_listed = has_list_;
  if (last) note_unseen(data);
  // What a model knows as a feature is one.
  if (has_list_ && !known_features_ && other_labels_ == OtherLabels::ignore) leave_out_listed(data);
  return data;
}

}  // namespace mulberry::data
