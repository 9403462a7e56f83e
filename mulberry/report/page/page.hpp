// Page: one HTML file that needs nothing else. Styles and scripts are our own and within it, data
// is JSON within it, and a content security policy forbids every other script and all of the
// network.
//
//   Page page{.title = "photos", .kind = "Data set", .lead = "600 rows, 11 labels"};
//   page.tables["labels"] = {.columns = {{"label"}, {"rows", CellKind::count}}, .rows = ...};
//   page.sections.push_back({.id = "labels", .title = "Labels", .body = html_table("labels")});
//   write(path, page_html(page));
//
// The body of a section is HTML made by the functions below, which escape every name. What they do
// not offer is written by hand with html_text() around each name. Scripts of assets/ run after
// page.js, which gives them `mulberry`: data, tables, el, table, tip.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::report {

enum class CellKind { text, count, number, share };

struct PageColumn {
  std::string title = {};
  CellKind kind = CellKind::text;
  int digits = 3;         // of numbers; of the percentage of shares
  bool bar = false;       // a bar before the number, as long as its part of the largest
  std::string help = {};  // shown over the title
};

struct PageCell {
  // A text, a number (NaN: empty), or tags. A tag that begins with "- " was missed, "+ " is wrong,
  // "= " is right.
  std::variant<std::string, double, std::vector<std::string>> value = {};
  bool best = false;
  std::string mark = {};

  PageCell(std::string words) : value(std::move(words)) {}             // NOLINT: a cell is one of
  PageCell(const char* words) : value(std::string(words)) {}           // NOLINT: these things
  PageCell(double number) : value(number) {}                           // NOLINT
  PageCell(Index number) : value(static_cast<double>(number)) {}       // NOLINT
  PageCell(std::vector<std::string> tags) : value(std::move(tags)) {}  // NOLINT
};

// A table that the reader can sort and search; long ones show a part of their rows.
struct PageTable {
  std::string caption = {};
  std::vector<PageColumn> columns = {};
  std::vector<std::vector<PageCell>> rows = {};
  int sorted = -1;            // by this column at first; -1: as given
  bool descending = false;    // if sorted
  Index part = 25;            // rows that are shown at first
  bool choose = false;        // a script listens to the choice of rows
  std::string search = {};    // what the search field says
  std::string left_out = {};  // a sentence below: what was too much for a page
};

// The same columns and rows; numbers keep all digits.
PageTable page_table(const Table& table);

struct PageSection {
  std::string id = {}, title = {};
  std::string note = {};   // a sentence or two below the title
  std::string body = {};   // HTML
  std::string entry = {};  // in the contents, if the title is too long for it
};

struct Page {
  std::string title = {};  // the heading
  std::string kind = {};   // a word or two above it: "Data set"
  std::string lead = {};   // a sentence below it
  std::string top = {};    // HTML below that, such as figures
  std::vector<PageSection> sections = {};
  std::map<std::string, PageTable> tables = {};
  std::string data = "null";              // JSON for scripts
  std::vector<std::string> scripts = {};  // names of assets
  std::vector<std::string> styles = {};   // after page.css
  std::string footer = {};                // a sentence
  // Whether scripts may call the server that the page came from; nothing else is ever allowed.
  bool talks_to_server = false;
};

std::string page_html(const Page& page);

// Pieces of a body. Any text is safe.
std::string html_text(std::string_view words);
std::string html_paragraph(std::string_view words);
std::string html_heading(std::string_view words);  // within a section
std::string html_table(std::string_view id);       // the table of this name
// An SVG file, what it shows in words, a caption, and the table of the same figures, folded.
std::string html_picture(const std::string& svg, std::string_view words,
                         std::string_view caption = {}, std::string_view table = {});
struct KeyFigure {
  std::string name = {}, value = {}, small = {};
};
std::string html_figures(std::span<const KeyFigure> figures);
// "good", "look", "bad" or "": the colour of the edge.
struct Remark {
  std::string mood = {}, words = {};
};
std::string html_remarks(std::span<const Remark> remarks);
// A command as people type it.
std::string html_command(std::string_view words);

// JSON for a script element: the same value, without letters that could end the element.
std::string json_in_html(std::string_view json);

// "1,234,567"
std::string thousands_text(Index value);

}  // namespace mulberry::report
