#include "mulberry/report/draw/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "mulberry/data/bytes/utf8.hpp"

namespace mulberry::report {
namespace {

// Two decimals are finer than any screen and keep the files small.
std::string number(double value) {
  std::string out = fmt::format("{:.2f}", value);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string points_text(const std::vector<Point>& points) {
  std::string out;
  for (const auto& [x, y] : points) out += (out.empty() ? "" : " ") + number(x) + "," + number(y);
  return out;
}

using Rgb = std::array<double, 3>;

std::string hex(const Rgb& a, const Rgb& b, double share) {
  std::string out = "#";
  for (std::size_t c = 0; c < 3; ++c) {
    out += fmt::format("{:02x}", static_cast<int>(std::lround(a[c] + (b[c] - a[c]) * share)));
  }
  return out;
}

// Of "#rrggbb", 0 to 255.
Rgb parts(std::string_view colour) {
  Rgb out = {};
  for (std::size_t c = 0; c < 3; ++c) {
    out[c] = std::stoi(std::string(colour.substr(1 + 2 * c, 2)), nullptr, 16);
  }
  return out;
}

// Style rules that replace every colour of the picture where the reader prefers a dark scheme. They
// name colours, not shapes: programs that know no styles show the light picture.
std::string dark_rules(const std::string& body) {
  std::set<std::string> rules;
  for (const std::string attribute : {"fill", "stroke"}) {
    const std::string start = attribute + "=\"#";
    for (std::size_t at = body.find(start); at != body.npos; at = body.find(start, at + 1)) {
      const std::string colour = body.substr(at + start.size() - 1, 7);
      rules.insert(
          fmt::format("[{0}=\"{1}\"]{{{0}:{2}}}", attribute, colour, dark_counterpart(colour)));
    }
  }
  std::string out = "<style>@media screen and (prefers-color-scheme: dark){";
  for (const std::string& rule : rules) out += rule;
  return out + "}</style>\n";
}

constexpr Rgb k_white = {255, 255, 255}, k_mulberry = {122, 20, 83}, k_rose = {222, 140, 182},
              k_blue = {24, 78, 140}, k_sky = {139, 184, 222};

// White to the dark colour through a lighter one: even steps for the eye, unlike a linear mixture.
std::string ramp(const Rgb& light, const Rgb& dark, double share) {
  return share < 0.5 ? hex(k_white, light, share * 2) : hex(light, dark, share * 2 - 1);
}

double letter_width(char32_t letter) {
  if (letter >= 0x800) return 1.0;  // most scripts in this range have wide letters
  static constexpr std::u32string_view narrow = U"ijl.,:;|' ()[]", wide = U"mwMW@%";
  if (narrow.find(letter) != narrow.npos) return 0.33;
  if (wide.find(letter) != wide.npos) return 0.87;
  return letter >= U'A' && letter <= U'Z' ? 0.68 : 0.57;
}

// Bytes that are not UTF-8 decode to surrogates, which XML cannot hold, like control characters.
bool is_xml(char32_t letter) {
  return letter >= 0x20 && (letter < 0xd800 || letter > 0xdfff) && letter != 0xfffe &&
         letter != 0xffff;
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::u32string out;
  for (const char32_t letter : decode_utf8(text)) {
    if (letter == U'\n' || letter == U'\t') {
      out += U' ';
    } else if (!is_xml(letter)) {
      out += U'?';
    } else if (letter == U'&') {
      out += U"&amp;";
    } else if (letter == U'<') {
      out += U"&lt;";
    } else if (letter == U'>') {
      out += U"&gt;";
    } else if (letter == U'"') {
      out += U"&quot;";
    } else {
      out += letter;
    }
  }
  return encode_utf8(out);
}

double text_width(std::string_view words, double size) {
  double out = 0;
  for (const char32_t letter : decode_utf8(words)) out += letter_width(letter) * size;
  return out;
}

std::string fit_text(std::string_view words, double size, double room) {
  if (text_width(words, size) <= room) return std::string(words);
  std::u32string out;
  double used = letter_width(U'…') * size;
  for (const char32_t letter : decode_utf8(words)) {
    used += letter_width(letter) * size;
    if (used > room) break;
    out += letter;
  }
  return encode_utf8(out + U'…');
}

std::string_view series_colour(std::size_t k) {
  static constexpr std::array<std::string_view, 10> colours = {
      "#8e2a6b", "#2f6db3", "#e08a1e", "#2a9d6f", "#d1495b",
      "#6b5bd2", "#17a2b8", "#9c6b4e", "#7a8b2c", "#808890"};
  return colours[k % colours.size()];
}

std::string sequential_colour(double share) {
  return ramp(k_rose, k_mulberry, std::clamp(share, 0.0, 1.0));
}

std::string diverging_colour(double share) {
  const double size = std::min(std::abs(share), 1.0);
  return share < 0 ? ramp(k_sky, k_blue, size) : ramp(k_rose, k_mulberry, size);
}

std::string dark_counterpart(std::string_view colour) {
  // Lightness is the middle of the largest and the smallest part. The parts move with it, and their
  // distances from it shrink or grow as far as there is room, which keeps hue and saturation.
  constexpr double k_darkest = 0.11, k_lightest = 0.96;
  const Rgb from = parts(colour);
  const auto [least, most] = std::minmax({from[0], from[1], from[2]});
  const double light = (least + most) / 510;
  const double target = k_darkest + (1 - light) * (k_lightest - k_darkest);
  const double room = 1 - std::abs(2 * light - 1), new_room = 1 - std::abs(2 * target - 1);
  Rgb out = {};
  for (std::size_t c = 0; c < 3; ++c) {
    const double away = room > 0 ? (from[c] / 255 - light) / room * new_room : 0;
    out[c] = 255 * std::clamp(target + away, 0.0, 1.0);
  }
  return hex(out, out, 0);
}

bool is_dark(std::string_view colour) {
  const Rgb c = parts(colour);
  return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2] < 140;
}

Svg::Svg(double width, double height) : width_(width), height_(height) {}

void Svg::close(std::string_view tag, std::string_view tip) {
  body_ += tip.empty() ? std::string("/>\n")
                       : fmt::format("><title>{}</title></{}>\n", escape_xml(tip), tag);
}

void Svg::rectangle(double x, double y, double w, double h, std::string_view fill,
                    std::string_view tip, double corner) {
  body_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}")", number(x),
                       number(y), number(std::max(w, 0.0)), number(std::max(h, 0.0)), fill);
  if (corner > 0) body_ += fmt::format(R"( rx="{}")", number(corner));
  close("rect", tip);
}

void Svg::circle(double x, double y, double r, std::string_view fill, std::string_view tip) {
  body_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" fill="{}")", number(x), number(y),
                       number(r), fill);
  close("circle", tip);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view stroke, double width) {
  body_ += fmt::format(
      "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
      number(x1), number(y1), number(x2), number(y2), stroke, number(width));
}

void Svg::path(const std::vector<Point>& points, std::string_view stroke, double width,
               bool dashed) {
  body_ += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
      "stroke-linejoin=\"round\"{}/>\n",
      points_text(points), stroke, number(width), dashed ? " stroke-dasharray=\"5 4\"" : "");
}

void Svg::band(const std::vector<Point>& outline, std::string_view fill, double opacity) {
  body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{}\"/>\n",
                       points_text(outline), fill, number(opacity));
}

void Svg::text(double x, double y, std::string_view words, const TextStyle& style) {
  body_ += fmt::format(R"(<text x="{}" y="{}" font-size="{}" fill="{}")", number(x), number(y),
                       number(style.size), style.colour);
  if (style.anchor != Anchor::start) {
    body_ += fmt::format(R"( text-anchor="{}")", style.anchor == Anchor::end ? "end" : "middle");
  }
  if (style.bold) body_ += R"( font-weight="600")";
  if (style.rotate != 0) {
    body_ +=
        fmt::format(" transform=\"rotate({} {} {})\"", number(style.rotate), number(x), number(y));
  }
  body_ += ">" + escape_xml(words) + "</text>\n";
}

void Svg::begin_group(std::string_view attributes) { body_ += fmt::format("<g {}>\n", attributes); }

void Svg::end_group() { body_ += "</g>\n"; }

std::string Svg::finish() const {
  const std::string paper = fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n",
                                        number(width_), number(height_));
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
             "viewBox=\"0 0 {0} {1}\"{2} font-family=\"Inter, Helvetica, Arial, 'DejaVu Sans', "
             "sans-serif\">\n",
             number(width_), number(height_),
             head_ > 0 ? fmt::format(" data-head=\"{}\"", number(head_)) : std::string()) +
         dark_rules(paper + body_) + paper + body_ + "</svg>\n";
}

std::string inline_svg(const std::string& file, std::string_view words) {
  const std::size_t end = file.find('>');
  const std::string_view tag = std::string_view(file).substr(0, end);
  const auto value_of = [&](const std::string& name) {
    const std::string start = " " + name + "=\"";
    if (tag.find(start) == tag.npos) return 0.0;
    const std::size_t at = tag.find(start) + start.size();
    return std::stod(std::string(tag.substr(at, tag.find('"', at) - at)));
  };
  const double width = value_of("width"), height = value_of("height"), head = value_of("data-head");
  return fmt::format(
             "<svg role=\"img\" aria-label=\"{}\" width=\"{}\" height=\"{}\" "
             "viewBox=\"0 {} {} {}\" font-family=\"inherit\">",
             escape_xml(words), number(width), number(height - head), number(head), number(width),
             number(height - head)) +
         file.substr(end + 1);
}

}  // namespace mulberry::report
