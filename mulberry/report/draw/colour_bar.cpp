#include "mulberry/report/draw/colour_bar.hpp"

#include <fmt/format.h>

namespace mulberry::report {

void draw_colour_bar(Svg& svg, double x, double y, double low, double high,
                     const std::function<std::string(double)>& colour, bool beyond) {
  constexpr int k_steps = 48;
  constexpr double k_wide = 14, k_step = k_bar_tall / k_steps;
  for (int k = 0; k < k_steps; ++k) {
    svg.rectangle(x, y + k_bar_tall - k_step * (k + 1), k_wide, k_step + 0.3,
                  colour(low + (high - low) * (k + 0.5) / k_steps));
  }
  for (const double v : {low, (low + high) / 2, high}) {
    const bool end = beyond && v != (low + high) / 2 && v != 0;
    svg.text(x + k_wide + 6, y + k_bar_tall - k_bar_tall * (v - low) / (high - low) + 4,
             fmt::format("{}{:.3g}",
                         !end    ? ""
                         : v < 0 ? "≤ "
                                 : "≥ ",
                         v),
             {.size = 11, .colour = "#6b6b76"});
  }
}

}  // namespace mulberry::report
