// What the colours of a heat map mean: a bar with its ends and its middle as numbers.
#pragma once

#include <functional>
#include <string>

#include "mulberry/report/draw/svg.hpp"

namespace mulberry::report {

constexpr double k_bar_tall = 120, k_bar_room = 80;  // pixels, with the numbers

// `colour` of a value between `low` (below) and `high` (above). `beyond`: values above `high` have
// its colour.
void draw_colour_bar(Svg& svg, double x, double y, double low, double high,
                     const std::function<std::string(double)>& colour, bool beyond = false);

}  // namespace mulberry::report
