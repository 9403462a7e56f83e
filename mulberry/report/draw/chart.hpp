// Pictures of numbers: lines over an axis (learning curves, trade-offs) and heat maps (confusion of
// classes, pairs of labels). Each returns a whole SVG file.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::report {

struct Series {
  std::string name = {};
  std::vector<double> x = {}, y = {};
  std::vector<double> low = {}, high = {};  // a band around y, or empty
};

struct LineChart {
  std::string title = {}, x_title = {}, y_title = {};
  std::vector<Series> series = {};
  // Otherwise an axis is logarithmic if its values are spread like powers. All x must be above 0.
  bool log_x = false;
  bool dots = true;
  bool lines = true;
};

// Points that are not finite break the line.
std::string line_chart(const LineChart& chart);

// Counts as columns next to each other.
struct ColumnChart {
  std::string title = {}, x_title = {}, y_title = {};
  std::vector<std::string> names = {};  // below the columns
  std::vector<double> values = {};
};
std::string column_chart(const ColumnChart& chart);

struct HeatMap {
  std::string title = {}, note = {};  // note: one line below the title
  std::vector<std::string> row_names = {}, column_names = {};
  Matrix values = {};       // NaN: an empty cell
  bool diverging = true;    // colours from -limit over 0 to limit, otherwise from 0 to limit
  double limit = 0;         // 0: the largest value
  bool row_shares = false;  // colours tell a cell's share of its row's sum, from 0 to 1
  bool numbers = false;     // written into the cells if they fit
  int digits = 2;
  // Instead of numbers, if not empty: one text per cell, row by row.
  std::vector<std::string> words = {};
  std::vector<char> dots = {};  // 1: a dot in the corner of the cell; empty: none
  std::string row_title = {}, column_title = {};
  double name_room = 190;  // names that take more pixels are cut
};

std::string heat_map(const HeatMap& map);
// Several maps, from left to right and then below each other.
std::string heat_maps(const std::string& title, const std::vector<HeatMap>& maps);

}  // namespace mulberry::report
