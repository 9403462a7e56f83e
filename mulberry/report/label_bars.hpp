// A picture of how strongly each label applies to some rows: one panel per row, one bar per label,
// the strongest first, to the right of 0 if it applies and to the left if it does not.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::report {

struct LabelBars {
  std::string title = {};
  std::vector<double> values = {};  // one per label
  std::vector<char> given = {};     // 1 if the data has the label; empty: not known
};

// `most` labels of each row: the strongest, and all given ones as far as there is room.
std::string label_bars(const std::string& title, const std::string& note,
                       const std::vector<std::string>& label_names,
                       const std::vector<LabelBars>& rows, Index most = 20);

// Labels by decreasing value, the first of equals; given labels take precedence among `most`.
std::vector<Id> strongest_labels(const LabelBars& row, Index most);

}  // namespace mulberry::report
