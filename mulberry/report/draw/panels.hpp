// Panels that share their rows: one row per name, one panel per measure or data set, each with an
// axis below it. Rows show a dot with a line, or a box.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::report {

struct PanelRow {
  double middle = std::numeric_limits<double>::quiet_NaN();  // NaN: nothing is drawn
  double low = 0, high = 0;                                  // the ends of the line
  // The ends of a box; NaN: `middle` is a dot.
  double box_low = std::numeric_limits<double>::quiet_NaN();
  double box_high = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> dots = {};  // single values, small
  bool best = false;
  std::string tip = {};
  std::string words = {};  // instead of a value
};

struct ValuePanel {
  std::string title = {};
  std::vector<PanelRow> rows = {};  // one per name
};

// Values that are spread over orders of magnitude get a logarithmic axis.
std::string panels_picture(const std::string& title, const std::string& note,
                           const std::vector<std::string>& names,
                           const std::vector<ValuePanel>& panels);

}  // namespace mulberry::report
