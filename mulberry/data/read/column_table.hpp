// TableBuilder: from named columns and their rows (ARFF, CSV) to a Dataset. Rows are stored
// directly in their final form: nominal features become numbers, label columns labels, so that the
// peak memory is the memory of the result.
//
// Features are dense if all rows are given dense, and sparse otherwise or if one-hot columns would
// make a dense matrix mostly zeros. Their order is the order of the file.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/data/bytes/chunked.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/data/read/roles.hpp"
#include "mulberry/data/read/values/word_numbers.hpp"

namespace mulberry::data {

struct Column {
  std::string name;
  bool nominal = false;
  std::vector<std::string> values = {};  // of a nominal column, in their declared order
  std::int64_t line = 0, at = 0;         // where it is declared, for errors
};

// One column for each part of the dates of a column.
void append_date_columns(const ColumnForm& form, const Column& column, std::vector<Column>& out);
// Throws Error if a column has the name of such a part.
void require_distinct_columns(const std::string& path, std::span<const Column> columns);

// The remedy for a missing feature.
inline const std::string k_missing_remedy =
    "Train with " + mention("impute", "mean") +
    " or a learner that takes missing features, or remove the row";

inline constexpr const char* k_weight_remedy =
    "Give every row a positive weight, or remove rows without one";
inline const std::string k_set_remedy =
    "Correct that row, or leave this set out of " + mention("label_sets");

// Words of columns that the training data lacks.
struct UnseenWords {
  Index cells = 0;
  std::string first = {};
};
using UnseenByColumn = std::map<std::size_t, UnseenWords>;

// One stored value of a sparse row: a number, or the position of a nominal value among the values
// of its column; NaN if missing.
struct ColumnCell {
  Id column;
  double value;
};

class TableBuilder {
 public:
  // place(k): the place of the k-th given cell of the current row, or of the row if it has no such
  // cell; called only for errors.
  using PlaceOf = std::function<Place(std::size_t k)>;

  // Throws Error for a label column whose values are not 0 and 1.
  TableBuilder(std::string path, std::vector<Column> columns, Roles roles,
               const ReadOptions& options, PlaceOf place);

  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  const std::vector<Column>& columns() const { return columns_; }
  const Roles& roles() const { return roles_; }

  // One value per column.
  void add_dense(std::span<const double> row);
  // Strictly increasing columns; omitted ones are 0, or the first value of a nominal column.
  void add_sparse(std::span<const ColumnCell> row);

  // The values of a label list, if they were not known before the rows.
  void set_list_values(std::vector<std::string> values) { list_values_ = std::move(values); }

  // Counts words that the training data lacks there, added to the counts of earlier blocks.
  void count_unseen(UnseenByColumn& all) { unseen_ = &all; }
  // Stored values and labels so far.
  Index held() const { return count_of(value_) + count_of(label_); }

  // `data` provides name and notes. The builder cannot be used afterwards.
  Dataset finish(Dataset data = {}, bool last = true);
  // As above, for a block: rows of the next one may follow.
  Dataset cut(Dataset data);

 private:
  enum class Use { number, one_hot, recoded, label, label_list, label_set, weight, ignored };
  // The role of a column. A number (and a label) is offset + slope * value, which also turns the
  // positions of nominal values into their numbers.
  struct Plan {
    Use use = Use::number;
    Id target = 0;  // first column of the features, or first label
    double offset = 0, slope = 1;
    Id width = 1;               // columns of a feature
    std::vector<Id> code = {};  // recoded: of each value of the file; -1: not seen in training
  };

  void plan_feature(std::size_t column, const ReadOptions& options, const WordNumbers& known_names);
  void require_distinct_features() const;
  void recode(std::size_t column, const std::vector<std::string>& known);
  void plan_label(std::size_t column);
  void plan_label_set(std::size_t column);
  void put(std::size_t column, double value, std::size_t k) {
    const Plan& plan = plans_[column];
    const double number = plan.offset + plan.slope * value;
    if (plan.use == Use::number && number == number) {  // not NaN: nearly every value of a file
      put_feature(plan.target, number);
    } else {
      put_other(column, value, k);
    }
  }
  void put_other(std::size_t column, double value, std::size_t k);
  void put_missing(std::size_t column, std::size_t k);
  void put_feature(Id column, double value) {
    if (!sparse_) {
      row_[at(column)] = value;
    } else if (value != 0) {
      index_.push_back(column);
      value_.push_back(value);
    }
  }
  void plan_binary_sets();
  void require_sets_in_row() const;
  void end_row();
  void become_sparse();
  std::vector<NominalColumns> nominal_columns() const;
  Features finish_features();
  Labels finish_labels(Dataset& data);
  Labels finish_list(Dataset& data);
  void note_separator(Dataset& data) const;
  LabelSets finish_sets();
  void leave_out_listed(Dataset& data) const;
  void note_unseen(Dataset& data) const;

  std::string path_;
  std::vector<Column> columns_;
  Roles roles_;
  std::vector<Plan> plans_;
  std::vector<std::size_t> never_zero_;  // columns in which an omitted value is not 0
  PlaceOf place_;
  char separator_;
  bool keep_missing_;
  OtherLabels other_labels_;
  bool unseen_is_zero_, known_features_;
  UnseenByColumn own_unseen_;
  UnseenByColumn* unseen_ = &own_unseen_;
  NominalFeatures nominal_;

  std::vector<std::string> feature_names_, label_names_, list_values_;
  Index rows_ = 0;
  bool sparse_ = false, has_list_ = false;
  std::vector<double> row_;  // of the dense form
  Chunked<double> value_;
  Chunked<Id> index_;
  Chunked<Index> start_;
  Chunked<Id> label_, missing_label_;
  Chunked<Index> label_start_, missing_start_;
  Chunked<double> list_;  // the position of the label list's value, one per row; NaN is missing
  std::vector<double> weights_;
  LabelSets binary_sets_;                 // sets whose labels are columns of 0 and 1
  std::vector<std::vector<Id>> sets_of_;  // the sets of each label, if there are any
};

}  // namespace mulberry::data
