#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <pugixml.hpp>

#include "mulberry/report/describe_picture.hpp"
#include "mulberry/report/draw/axis.hpp"
#include "mulberry/report/draw/chart.hpp"
#include "mulberry/report/draw/panels.hpp"
#include "mulberry/report/draw/svg.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

Table small_table() {
  Table table({{"learner", "learner", false}, {"F1", "f1"}, {"", ""}});
  TableCell best = TableCell::of(0.5, 3);
  best.best = true;
  table.add({"br", best, "x"});
  table.add({"größer, \"b\"", TableCell::of(k_nan, 3), "y"});
  return table;
}

TEST(Table, AlignsByDisplayWidthAndMarksTheBest) {
  EXPECT_EQ(small_table().text(false),
            "learner         F1\n"
            "───────────  ──────  ─\n"
            "br           0.500*  x\n"
            "größer, \"b\"      -   y\n");
}

TEST(Table, ColoursOnlyWhenAllowed) {
  EXPECT_EQ(small_table().text(false).find('\x1b'), std::string::npos);
  EXPECT_NE(small_table().text(true).find("\x1b[1;32m"), std::string::npos);
}

TEST(Table, CsvQuotesAndKeepsAllDigits) {
  Table table = small_table();
  table.add({"a", TableCell::of(1.0 / 3.0, 2), "z"});
  EXPECT_EQ(table.csv(), "learner,f1\nbr,0.5\n\"größer, \"\"b\"\"\",\na,0.3333333333333333\n");
}

TEST(Table, JsonHasNullForNoNumber) {
  const auto json = nlohmann::json::parse(small_table().json());
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0], (nlohmann::json{{"learner", "br"}, {"f1", 0.5}}));
  EXPECT_TRUE(json[1]["f1"].is_null());
}

TEST(Table, NumbersThatRoundToNothingShowTheirSize) {
  EXPECT_EQ(TableCell::of(0.00001, 3).text, "1.0e-05");
  EXPECT_EQ(TableCell::of(0.0, 3).text, "0.000");
  EXPECT_EQ(TableCell::of(3.2e12, 3).text, "3.2e+12");
  EXPECT_EQ(TableCell::of(Index{12}).text, "12");
}

TEST(Table, BarsHaveOneWidth) {
  EXPECT_EQ(bar_text(0, 4), "    ");
  EXPECT_EQ(bar_text(1, 4), "████");
  EXPECT_EQ(bar_text(0.5, 3), "█▌ ");
  EXPECT_EQ(bar_text(7, 2), "██");
  EXPECT_EQ(bar_text(k_nan, 2), "  ");
  for (int k = 0; k <= 100; ++k) EXPECT_EQ(display_width(bar_text(k / 100.0, 7)), 7);
}

TEST(Table, DisplayWidthOfLetters) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("é"), 1);
  EXPECT_EQ(display_width("e\xcc\x81"), 1);  // a combining accent
  EXPECT_EQ(display_width("日本"), 4);
  EXPECT_EQ(display_width("한"), 2);
}

// A picture must be well-formed XML for any names.
pugi::xml_document parsed(const std::string& svg) {
  pugi::xml_document out;
  const auto result = out.load_string(svg.c_str(), pugi::parse_full);
  EXPECT_TRUE(result) << result.description() << " at " << result.offset;
  EXPECT_STREQ(out.first_child().name(), "svg");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  return out;
}

TEST(Svg, EscapesNames) {
  EXPECT_EQ(escape_xml("a<b>&\"c\"\x01\xff\t"), "a&lt;b&gt;&amp;&quot;c&quot;?? ");
  Svg svg(10, 10);
  svg.text(1, 2, "<script>&", {});
  svg.rectangle(0, 0, 1, 1, "#000000", "\x02<&");
  const auto document = parsed(svg.finish());
  EXPECT_STREQ(document.first_child().child("text").text().get(), "<script>&");
}

TEST(Svg, CutsLongText) {
  EXPECT_EQ(fit_text("short", 12, 100), "short");
  const std::string cut = fit_text("a very long name of a label indeed", 12, 80);
  EXPECT_TRUE(cut.ends_with("…")) << cut;
  EXPECT_LE(text_width(cut, 12), 80);
}

TEST(Svg, ColoursAtTheEnds) {
  EXPECT_EQ(sequential_colour(0), "#ffffff");
  EXPECT_EQ(diverging_colour(0), "#ffffff");
  EXPECT_EQ(diverging_colour(5), diverging_colour(1));
  EXPECT_NE(diverging_colour(1), diverging_colour(-1));
  EXPECT_TRUE(is_dark(diverging_colour(-1)));
  EXPECT_FALSE(is_dark("#ffffff"));
}

TEST(Svg, DarkSchemeHasACounterpartForEveryColour) {
  EXPECT_TRUE(is_dark(dark_counterpart("#ffffff")));
  EXPECT_FALSE(is_dark(dark_counterpart("#333333")));
  EXPECT_FALSE(is_dark(dark_counterpart(std::string(diverging_colour(1)))));
  Svg svg(10, 10);
  svg.circle(1, 2, 3, "#2f6db3");
  svg.line(0, 0, 1, 1, "#8a8a94");
  const std::string text = svg.finish();
  parsed(text);
  EXPECT_NE(text.find("@media screen and (prefers-color-scheme: dark)"), std::string::npos);
  EXPECT_NE(text.find("[fill=\"#2f6db3\"]{fill:" + dark_counterpart("#2f6db3") + "}"),
            std::string::npos);
  EXPECT_NE(text.find("[stroke=\"#8a8a94\"]{stroke:"), std::string::npos);
  EXPECT_NE(text.find("[fill=\"#ffffff\"]{fill:"), std::string::npos);
}

TEST(Axis, AtLeastThreeTicks) {
  for (const double low : {-3.7, 0.0, 0.81234, 12.0, 999.0}) {
    for (const double length : {1e-6, 0.003, 0.7, 1.0, 4.9, 55.0, 1e7}) {
      for (const int count : {1, 2, 4, 7}) {
        const auto found = ticks(low, low + length, count);
        EXPECT_GE(found.size(), 3u) << low << " " << length;
        EXPECT_LE(found.size(), 16u) << low << " " << length;
        for (const double v : found) {
          EXPECT_GE(v, low - 1e-9 * length);
          EXPECT_LE(v, low + length * (1 + 1e-9));
        }
      }
    }
  }
  for (const double ratio : {1.01, 1.5, 4.0, 30.0, 5e3, 1e9}) {
    const std::vector<double> ends = {0.07, 0.07 * ratio};
    EXPECT_GE(Axis(ends, 0, 100, {.log = true}).ticks(4).size(), 3u) << ratio;
  }
}

TEST(Axis, TextsOfTicksDiffer) {
  EXPECT_EQ(tick_texts(std::vector<double>{0.5, 1}), (std::vector<std::string>{"0.5", "1"}));
  EXPECT_EQ(tick_texts(std::vector<double>{0.8123456, 0.8123457}),
            (std::vector<std::string>{"0.8123456", "0.8123457"}));
}

TEST(Axis, LogarithmicWhereValuesAreSpreadSo) {
  EXPECT_TRUE(suits_log(std::vector<double>{0.01, 0.1, 1, 10}, 10));
  EXPECT_TRUE(suits_log(std::vector<double>{1, 3, 10, 30}, 10));
  EXPECT_FALSE(suits_log(std::vector<double>{1, 3, 10, 30}, 50));
  EXPECT_FALSE(suits_log(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10));
  EXPECT_FALSE(suits_log(std::vector<double>{0, 0.1, 1, 10}, 10));  // 0 has no logarithm
  EXPECT_FALSE(suits_log(std::vector<double>{k_nan, 5}, 10));
  const std::vector<double> values = {0.01, 0.1, 1};
  const Axis axis(values, 0, 100, {.log = true, .pad = 0});
  EXPECT_NEAR(axis(0.1), 50, 1e-9);
  EXPECT_EQ(axis(0), 0);    // what a logarithm does not have is at the end
  EXPECT_EQ(axis(9), 100);  // as is what lies beyond
  const Axis empty({}, 0, 100);
  EXPECT_EQ(empty(0.5), 50);
}

TEST(Panels, BoxesDotsAndWords) {
  ValuePanel panel{.title = "set"};
  panel.rows = {{.middle = 2, .low = 1, .high = 3, .box_low = 1.5, .box_high = 2.5, .dots = {9}},
                {.middle = 4, .low = 4, .high = 4, .best = true, .tip = "<best>"},
                {.words = "over the limit"},
                {}};
  const auto document = parsed(panels_picture("t", "n", {"a", "b", "c & d", "e"}, {panel, panel}));
  EXPECT_EQ(document.select_nodes("//circle").size(), 2u * 2);
  EXPECT_EQ(document.select_nodes("//rect").size(), 1u + 2);
  EXPECT_EQ(document.select_nodes("//text[.='over the limit']").size(), 2u);
  parsed(panels_picture("", "", {}, {}));
  parsed(panels_picture("", "", {"a"}, {{.title = "none", .rows = {{}}}}));
}

TEST(HeatMap, WordsDotsAndNoMinusZero) {
  HeatMap map{.row_names = {"a"},
              .column_names = {"b", "c"},
              .values = Matrix(1, 2, {-0.001, 1}),
              .numbers = true};
  EXPECT_EQ(heat_map(map).find("-0.00"), std::string::npos);
  map.words = {"1/0/2", "2/0/1"};
  map.dots = {0, 1};
  const auto document = parsed(heat_map(map));
  EXPECT_EQ(document.select_nodes("//text[.='1/0/2']").size(), 1u);
  EXPECT_EQ(document.select_nodes("//circle").size(), 1u);
  map.words = {"a very long text that does not fit", "x"};  // all or none
  EXPECT_EQ(parsed(heat_map(map)).select_nodes("//text[.='x']").size(), 0u);
}

TEST(Table, ZeroHasNoSign) {
  EXPECT_EQ(fixed_text(-0.001, 2), "0.00");
  EXPECT_EQ(fixed_text(-0.0, 1), "0.0");
  EXPECT_EQ(fixed_text(-0.5, 1), "-0.5");
  EXPECT_EQ(TableCell::of(-0.0, 3).text, "0.000");
}

TEST(Chart, TicksAreRoundAndInside) {
  EXPECT_EQ(ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks(3, 3, 5), std::vector<double>{3});
  for (const double v : ticks(-0.37, 1.2, 6)) {
    EXPECT_GE(v, -0.37);
    EXPECT_LE(v, 1.2);
  }
}

TEST(Chart, LinesBreakAtHoles) {
  LineChart chart{.title = "t", .series = {{.name = "a", .x = {1, 2, 3, 4, 5}, .y = {}}}};
  chart.series[0].y = {1, 2, k_nan, 3, 4};
  const auto document = parsed(line_chart(chart));
  int lines = 0;
  for (const auto& node : document.first_child().children("polyline")) lines += !node.empty();
  EXPECT_EQ(lines, 2);
}

TEST(Chart, NothingToDrawIsStillAPicture) {
  parsed(line_chart({}));
  parsed(heat_map({}));
  parsed(heat_map({.row_names = {"a"}, .column_names = {"b"}, .values = Matrix(1, 1, k_nan)}));
  parsed(describe_picture(Dataset{}, Context()));
}

TEST(Chart, HeatMapsBesideAndBelowEachOther) {
  HeatMap map{.title = "counts",
              .row_names = {"a", "b"},
              .column_names = {"c", "d"},
              .values = Matrix(2, 2, 3.0),
              .diverging = false,
              .row_shares = true,
              .numbers = true,
              .digits = 0};
  const auto one = parsed(heat_map(map)), two = parsed(heat_maps("all", {map, map})),
             many = parsed(heat_maps("all", std::vector<HeatMap>(40, map)));
  const auto side = [](const auto& document, const char* name) {
    return document.first_child().attribute(name).as_double();
  };
  EXPECT_NEAR(side(two, "width"), 2 * side(one, "width"), 1);
  EXPECT_LE(side(many, "width"), 1500);
  EXPECT_GT(side(many, "height"), 3 * side(two, "height"));
  // Half of each row: the colour does not depend on how large the numbers are.
  const std::string half = sequential_colour(0.5);
  EXPECT_NE(heat_map(map).find(half), std::string::npos);
  parsed(heat_maps("none", {}));
}

TEST(DescribePicture, OrderPutsGroupsTogether) {
  // Items i and j are similar if they have the same remainder modulo 3.
  Matrix alike(12, 12);
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < 12; ++j) alike(i, j) = i % 3 == j % 3 ? 0.9 : 0.01 * double((i * j) % 5);
  }
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < i; ++j) alike(i, j) = alike(j, i);
  }
  const std::vector<Id> order = order_by_similarity(alike);
  ASSERT_EQ(order.size(), 12U);
  int changes = 0;
  for (std::size_t k = 1; k < 12; ++k) changes += order[k] % 3 != order[k - 1] % 3;
  EXPECT_EQ(changes, 2);
  std::vector<Id> sorted = order, all(12);
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
}

}  // namespace
}  // namespace mulberry::report
