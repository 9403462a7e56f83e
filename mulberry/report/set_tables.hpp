// Tables about predictions of exclusive label sets: which class of a set was taken for which, and
// which classes of two sets occur together.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/data/labels.hpp"
#include "mulberry/measures/outcome.hpp"

namespace mulberry::report {

struct SetTable {
  std::string title = {};                            // in one line
  std::string heading = {}, down = {}, across = {};  // the same in parts, for a picture
  std::vector<std::string> rows = {}, columns = {};
  Matrix counts = {};
  bool confusion = false;  // true classes by predicted ones
};

// The name of a label within its set: "audi" for "brand=audi".
std::string class_name(const LabelSets& sets, std::size_t set, Id label,
                       const std::vector<std::string>& names);

// Confusion matrix of each set: true classes by predicted ones.
std::vector<SetTable> confusion_tables(const Labels& truth, const Outcome& outcome,
                                       const std::vector<std::string>& names);
// For every two sets: rows with each pair of predicted classes.
std::vector<SetTable> pair_tables(const Outcome& outcome, const std::vector<std::string>& names);

std::string table_text(const SetTable& table, bool colours);
// All of them in one picture. A cell of a confusion matrix is coloured by its share of the true
// class, a cell of a table of pairs by its count.
std::string tables_picture(const std::string& title, const std::vector<SetTable>& tables);

}  // namespace mulberry::report
