// ArffDates: the date attributes of an ARFF file. Each becomes one numeric column per part of its
// dates, in its place, so the columns of the table are more than the attributes of the file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mulberry/data/read/arff_header.hpp"
#include "mulberry/data/read/column_table.hpp"
#include "mulberry/data/read/values/date_pattern.hpp"

namespace mulberry::data {

class ArffDates {
 public:
  // Splits the attributes that options or a model want as parts of dates; others are left as they
  // are. Throws Error for a pattern that cannot be read.
  ArffDates(const std::string& path, std::span<const ArffAttribute> attributes, const Roles& roles,
            const ReadOptions& options);

  bool any() const { return !forms_.empty(); }
  bool has(std::size_t attribute) const {
    return attribute < split_.size() && split_[attribute].has_value();
  }
  const std::vector<ColumnForm>& forms() const { return forms_; }

  // The columns and roles of the table. Throws Error if two have the same name.
  std::vector<Column> columns(const std::string& path, std::vector<Column> attributes) const;
  Roles roles(Roles attributes) const;

  // A row: forget the dates of the one before, read cells, spread them over the columns.
  void begin_row() { parts_.clear(); }
  // The number that stands for the date in this row; nothing if the word is no such date.
  std::optional<double> read(std::size_t attribute, std::string_view word);
  std::string shown(std::size_t attribute) const;  // how its dates are written
  // `places` has one entry per value, and gets one per column.
  std::span<const double> spread(std::span<const double> row, std::vector<const char*>& places);
  std::span<const ColumnCell> spread(std::span<const ColumnCell> row,
                                     std::vector<const char*>& places);
  // The first attribute of dates that a sparse row omits, which would mean the first of January
  // 1970 to Weka.
  std::optional<std::size_t> omitted(std::span<const ColumnCell> row) const;

 private:
  struct Split {
    DatePattern pattern;
    ColumnForm form;
    Id parts = 0;
  };

  Id width(std::size_t attribute) const { return has(attribute) ? split_[attribute]->parts : 1; }
  double part(std::size_t attribute, double value, Id p) const;

  std::vector<std::optional<Split>> split_;  // of each attribute; empty if there are none
  std::vector<ColumnForm> forms_;
  std::vector<Id> first_;                   // column of each attribute
  std::vector<std::vector<double>> parts_;  // of the dates of this row
  std::vector<double> row_;
  std::vector<ColumnCell> cells_;
  std::vector<const char*> places_;
};

}  // namespace mulberry::data
