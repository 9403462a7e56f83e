// Labels: the matrix Y of a data set, rows times labels. Each cell is 0, 1, or missing (-1), which
// says that nobody knows.
//
//   const std::int8_t cells[] = {1, 0, 1,     // row 0 has labels 0 and 2
//                                0, 1, -1};   // row 1 has label 1; nothing is known of label 2
//   const auto y = mulberry::Labels::from_cells(cells, 2, 3);
//   for (const std::int32_t label : y.row(0)) std::cout << label << "\n";
//
// Guarantees: immutable, cheap to copy, kept as lists of positive and missing labels, so memory
// follows the number of such cells and not rows times labels. The input is copied.
//
// Thread safety: may be read from several threads.
#pragma once

#include <mulberry/export.h>
#include <mulberry/context.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mulberry {

// Labels of which every row has exactly one, such as the brands of cars. Some learners (dsml) need
// such sets, and measures (set_accuracy) use them.
struct LabelSet {
  std::string name = {};
  std::vector<std::int32_t> labels = {};  // increasing
};

// What is known about labels apart from the rows, by their names. Rows may break it; the decisions
// of the learner consistent(base=...) do not.
struct LabelRules {
  std::vector<std::pair<std::string, std::string>> implies = {};  // a row with the first has both
  std::vector<std::vector<std::string>> exclusive = {};  // of each group, a row has at most one
};

class MULBERRY_API Labels {
 public:
  Labels();  // no rows

  // Row-major cells 0, 1 or -1. Throws Error that names the first cell with another value.
  static Labels from_cells(const std::int8_t* cells, std::int64_t rows, std::int64_t labels);
  // Lists as in SparseRows: the labels of row i are index[start[i]] up to index[start[i + 1] - 1],
  // strictly increasing; `start` has rows + 1 entries. Missing cells in lists of the same form.
  static Labels from_lists(std::int64_t labels, std::span<const std::int64_t> start,
                           std::span<const std::int32_t> index,
                           std::span<const std::int64_t> missing_start = {},
                           std::span<const std::int32_t> missing_index = {});

  std::int64_t rows() const;
  std::int64_t count() const;      // the number of labels
  std::int64_t positives() const;  // cells that are 1
  std::int64_t missing() const;    // cells that are missing
  std::int8_t cell(std::int64_t row, std::int64_t label) const;
  // Label numbers in increasing order, valid as long as a copy of these labels lives.
  std::span<const std::int32_t> row(std::int64_t row) const;
  std::span<const std::int32_t> missing_row(std::int64_t row) const;
  // All cells, row-major; `out` has room for rows * count.
  void copy_cells(std::span<std::int8_t> out) const;

 private:
  friend struct api::Access;
  explicit Labels(std::shared_ptr<const void> state);
  std::shared_ptr<const void> state_;
};

}  // namespace mulberry
