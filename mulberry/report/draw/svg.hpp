// Svg: writes a picture as text, element by element, in the order of painting. Text is escaped, so
// any label name is safe. Coordinates are pixels, y grows downwards. The font is the reader's
// sans-serif, so widths of text are estimates. The background is white; where the reader's system
// asks for a dark scheme, every colour has its counterpart of the opposite lightness.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::report {

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 12;
  Anchor anchor = Anchor::start;
  std::string_view colour = "#333333";
  bool bold = false;
  double rotate = 0;  // degrees, clockwise, around the position of the text
};

using Point = std::pair<double, double>;

class Svg {
 public:
  Svg(double width, double height);

  // `tip` is shown by a browser when the pointer rests on the shape.
  void rectangle(double x, double y, double w, double h, std::string_view fill,
                 std::string_view tip = {}, double corner = 0);
  void circle(double x, double y, double r, std::string_view fill, std::string_view tip = {});
  void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width = 1);
  void path(const std::vector<Point>& points, std::string_view stroke, double width = 2,
            bool dashed = false);
  void band(const std::vector<Point>& outline, std::string_view fill, double opacity);
  void text(double x, double y, std::string_view words, const TextStyle& style = {});

  // What is drawn between these belongs together: pages find it by `attributes`, such as
  // data-label="3".
  void begin_group(std::string_view attributes);
  void end_group();

  // What is above y is a title, which a page with a heading of the same words leaves out.
  void title_ends(double y) { head_ = y; }

  double width() const { return width_; }
  std::string finish() const;  // the whole file

 private:
  void close(std::string_view tag, std::string_view tip);

  double width_, height_;
  double head_ = 0;
  std::string body_;
};

// A finished picture within a page: described by `words` for those who cannot see it, without its
// title.
std::string inline_svg(const std::string& file, std::string_view words);

// For names within XML; bytes that XML cannot hold become '?'.
std::string escape_xml(std::string_view text);
// The estimated width of a text, and the text shortened with an ellipsis to fit a width.
double text_width(std::string_view words, double size);
std::string fit_text(std::string_view words, double size, double room);

// Colours: of series k; on a scale from 0 to 1; on a scale from -1 through 0 to 1.
std::string_view series_colour(std::size_t k);
std::string sequential_colour(double share);
std::string diverging_colour(double share);
// The same hue and saturation, dark for light: "#ffffff" becomes nearly black.
std::string dark_counterpart(std::string_view colour);
// Whether white letters are easier to read on it than dark ones.
bool is_dark(std::string_view colour);

}  // namespace mulberry::report
