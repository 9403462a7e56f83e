// A picture of how strongly each label applies to some rows: one panel a row, one bar a label, the
// strongest first, to the right of 0 where it applies and to the left where it does not.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::report {

struct LabelBars {
  std::string title = {};
  std::vector<double> values = {};  // one a label
  std::vector<char> given = {};     // 1 where the data has the label; empty: not known
};

// `most` labels of each row: the strongest, and all that were given as far as there is room.
std::string label_bars(const std::string& title, const std::string& note,
                       const std::vector<std::string>& label_names,
                       const std::vector<LabelBars>& rows, Index most = 20);

// Labels by falling value, of equals the first; those given are kept when only `most` are wanted.
std::vector<Id> strongest_labels(const LabelBars& row, Index most);

}  // namespace mulberry::report
