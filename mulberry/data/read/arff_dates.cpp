#include "mulberry/data/read/arff_dates.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/data/read/values/table_numbers.hpp"

namespace mulberry::data {

ArffDates::ArffDates(const std::string& path, std::span<const ArffAttribute> attributes,
                     const Roles& roles, const ReadOptions& options) {
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    const auto& [name, type, values, line, at, pattern] = attributes[j];
    if (roles[j] != Role::feature || (type != ArffType::date && type != ArffType::text)) continue;
    const auto known = std::ranges::find_if(options.known_forms, [&](const ColumnForm& form) {
      return form.dates && form.name == name;
    });
    const bool expected = known != options.known_forms.end();
    if (!expected && (type == ArffType::text || options.dates == Dates::refuse)) continue;
    split_.resize(attributes.size());
    DatePattern dates(pattern, {path, line, at});
    ColumnForm form = expected ? *known : dates.form(name);
    const Id parts = static_cast<Id>(date_part_names(form).size());
    forms_.push_back(form);
    split_[j] = Split{std::move(dates), std::move(form), parts};
  }
  if (!any()) return;
  Id next = 0;
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    first_.push_back(next);
    next += width(j);
  }
}

std::vector<Column> ArffDates::columns(const std::string& path,
                                       std::vector<Column> attributes) const {
  if (!any()) return attributes;
  std::vector<Column> out;
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    if (!has(j)) {
      out.push_back(std::move(attributes[j]));
    } else {
      append_date_columns(split_[j]->form, attributes[j], out);
    }
  }
  require_distinct_columns(path, out);
  return out;
}

Roles ArffDates::roles(Roles attributes) const {
  if (!any()) return attributes;
  std::vector<Role> of;
  for (std::size_t j = 0; j < attributes.of.size(); ++j) {
    of.insert(of.end(), at(width(j)), attributes[j]);
  }
  attributes.of = std::move(of);
  return attributes;
}

std::optional<double> ArffDates::read(std::size_t attribute, std::string_view word) {
  auto values = split_[attribute]->pattern.values(word, split_[attribute]->form);
  if (!values) return std::nullopt;
  parts_.push_back(std::move(*values));
  return static_cast<double>(parts_.size() - 1);
}

std::string ArffDates::shown(std::size_t attribute) const {
  return split_[attribute]->pattern.shown();
}

double ArffDates::part(std::size_t attribute, double value, Id p) const {
  if (!has(attribute) || std::isnan(value)) return value;
  return parts_[static_cast<std::size_t>(value)][at(p)];
}

std::span<const double> ArffDates::spread(std::span<const double> row,
                                          std::vector<const char*>& places) {
  row_.clear();
  places_.clear();
  for (std::size_t j = 0; j < row.size(); ++j) {
    for (Id p = 0; p < width(j); ++p) {
      row_.push_back(part(j, row[j], p));
      places_.push_back(places[j]);
    }
  }
  places.swap(places_);
  return row_;
}

std::span<const ColumnCell> ArffDates::spread(std::span<const ColumnCell> row,
                                              std::vector<const char*>& places) {
  cells_.clear();
  places_.clear();
  for (std::size_t k = 0; k < row.size(); ++k) {
    const auto attribute = at(row[k].column);
    for (Id p = 0; p < width(attribute); ++p) {
      cells_.push_back({first_[attribute] + p, part(attribute, row[k].value, p)});
      places_.push_back(places[k]);
    }
  }
  places.swap(places_);
  return cells_;
}

std::optional<std::size_t> ArffDates::omitted(std::span<const ColumnCell> row) const {
  for (std::size_t j = 0; j < split_.size(); ++j) {
    if (has(j) && std::ranges::find(row, static_cast<Id>(j), &ColumnCell::column) == row.end()) {
      return j;
    }
  }
  return std::nullopt;
}

}  // namespace mulberry::data
