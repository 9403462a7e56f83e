#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <pugixml.hpp>

#include "mulberry/report/chart.hpp"
#include "mulberry/report/describe_picture.hpp"
#include "mulberry/report/svg.hpp"
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
    for (Index j = 0; j < i; ++j) alike(i, j) = std::as_const(alike)(j, i);
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
