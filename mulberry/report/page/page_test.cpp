#include "mulberry/report/page/page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mulberry/report/draw/svg.hpp"
#include "mulberry/report/page/page_assets.hpp"

namespace mulberry::report {
namespace {

using Json = nlohmann::ordered_json;

const std::string k_hostile =
    "</script><script>alert(1)</script>\" onload='x' & \x01 \xff \xe2\x80\xae";

int occurrences(const std::string& text, const std::string& part) {
  int out = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++out;
  return out;
}

// The data of a page, as its script reads it.
Json data_of(const std::string& html) {
  const std::string start = "id=\"page-data\">";
  const auto from = html.find(start) + start.size();
  return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST(Page, HostileNamesStayText) {
  Page page{.title = k_hostile, .kind = k_hostile, .lead = k_hostile};
  page.data = Json(Json{{"name", "</script><!--"}}).dump();
  page.top = html_figures(std::vector<KeyFigure>{{k_hostile, k_hostile, k_hostile}});
  page.tables["names"] = {.caption = k_hostile,
                          .columns = {{k_hostile}, {"tags"}},
                          .rows = {{k_hostile, std::vector<std::string>{"- " + k_hostile}}}};
  Svg svg(100, 50);
  svg.text(10, 10, k_hostile);
  page.sections = {{.id = "a",
                    .title = k_hostile,
                    .note = k_hostile,
                    .body = html_table("names") + html_paragraph(k_hostile) +
                            html_picture(svg.finish(), k_hostile, k_hostile, "names") +
                            html_remarks(std::vector<Remark>{{"look", k_hostile}}) +
                            html_command(k_hostile)}};
  const std::string html = page_html(page);
  // One script of data, one of ours, and none besides.
  EXPECT_EQ(occurrences(html, "<script"), 2);
  EXPECT_EQ(occurrences(html, "</script"), 2);
  EXPECT_EQ(html.find("alert(1)</script>"), html.npos);
  EXPECT_EQ(html.find("<!--"), html.npos);
  EXPECT_EQ(html.find('\x01'), html.npos);
  const Json data = data_of(html);
  EXPECT_EQ(data["data"]["name"], "</script><!--");
  EXPECT_EQ(data["tables"]["names"]["columns"][0]["title"].get<std::string>().substr(0, 9),
            "</script>");
}

TEST(Page, NumbersKeepAllDigits) {
  Page page{.title = "x"};
  const double third = 1.0 / 3;
  page.tables["t"] = {.columns = {{"a", CellKind::number}, {"n", CellKind::count}},
                      .rows = {{third, Index{1234567890123}}, {std::nan(""), Index{0}}}};
  const Json rows = data_of(page_html(page))["tables"]["t"]["rows"];
  EXPECT_EQ(rows[0][0].get<double>(), third);
  EXPECT_EQ(rows[0][1].get<std::int64_t>(), 1234567890123);
  EXPECT_TRUE(rows[1][0].is_null());
}

TEST(Page, OnlyOurScriptsMayRun) {
  const std::string html = page_html({.title = "x"});
  EXPECT_NE(html.find("default-src 'none'"), html.npos);
  EXPECT_NE(html.find("script-src " + policy_hash(page_asset("page.js"))), html.npos);
  EXPECT_EQ(html.find("connect-src"), html.npos);
  // The name of the language of pictures is the only address, and nobody fetches it.
  for (auto at = html.find("http://"); at != html.npos; at = html.find("http://", at + 1)) {
    EXPECT_EQ(html.substr(at, 26), "http://www.w3.org/2000/svg");
  }
  EXPECT_EQ(html.find("https://"), html.npos);
  EXPECT_NE(page_html({.title = "x", .talks_to_server = true}).find("connect-src 'self'"),
            html.npos);
}

TEST(Page, HashIsBase64) {
  // Of the empty text, as every tool prints it.
  const PageAsset empty{"", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"};
  EXPECT_EQ(policy_hash(empty), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
}

TEST(Page, PicturesLoseTheirTitle) {
  Svg svg(200, 100);
  svg.title_ends(40);
  svg.text(10, 10, "title");
  const std::string text = inline_svg(svg.finish(), "a picture");
  EXPECT_NE(text.find("viewBox=\"0 40 200 60\""), text.npos);
  EXPECT_NE(text.find("aria-label=\"a picture\""), text.npos);
  EXPECT_EQ(text.find("xmlns"), text.npos);
}

TEST(Page, TablesBecomeTablesOfPages) {
  Table table({{"name", "name", false}, {"value", "value"}});
  table.add({"a", TableCell::of(0.123456789, 2)});
  const PageTable out = page_table(table);
  EXPECT_EQ(out.columns[0].kind, CellKind::text);
  EXPECT_EQ(std::get<double>(out.rows[0][1].value), 0.123456789);
}

TEST(Page, Thousands) {
  EXPECT_EQ(thousands_text(0), "0");
  EXPECT_EQ(thousands_text(999), "999");
  EXPECT_EQ(thousands_text(1234567), "1,234,567");
  EXPECT_EQ(thousands_text(-1000), "-1,000");
}

}  // namespace
}  // namespace mulberry::report
