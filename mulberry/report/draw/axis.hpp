// Axes: from numbers to pixels, and where the ticks are.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::report {

// Round numbers within low..high, about `count` of them and at least three.
std::vector<double> ticks(double low, double high, int count);
// With as few digits as distinguish them.
std::vector<std::string> tick_texts(std::span<const double> values);
std::string tick_text(double value);

// How far apart the smallest and the largest value are before a logarithmic axis is worth while.
constexpr double k_spread = 50;              // of what was measured
constexpr double k_spread_of_settings = 10;  // of what was chosen, such as values of a parameter
// Whether values are spread like powers: all are positive, the largest is at least `ratio` times
// the smallest, and their median is nearer to the middle of a logarithmic axis than of a plain one.
// Values that are not finite are ignored.
bool suits_log(std::span<const double> values, double ratio);

struct AxisOptions {
  bool log = false;
  double pad = 0.04;  // room at both ends, as a share of the length
};

class Axis {
 public:
  // From the smallest value, at pixel `from`, to the largest, at `to`. Values that are not finite,
  // and on a logarithmic axis those that are not positive, are ignored; without values it goes from
  // 0 to 1.
  Axis(std::span<const double> values, double from, double to, const AxisOptions& options = {});

  // Values beyond the ends, and what a logarithm does not have, are at the ends.
  double operator()(double value) const;
  std::vector<std::pair<double, std::string>> ticks(int count) const;  // pixel and text
  double from() const { return from_; }

 private:
  double place(double value) const;  // before pixels

  bool log_;
  double low_ = 0, high_ = 1, from_, to_;
};

}  // namespace mulberry::report
