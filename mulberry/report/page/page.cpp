#include "mulberry/report/page/page.hpp"

#include <fmt/format.h>

#include <mulberry/version.h>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mulberry/core/error.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/report/draw/svg.hpp"
#include "mulberry/report/page/page_assets.hpp"

namespace mulberry::report {
namespace {

using Json = nlohmann::ordered_json;

Json number_json(double value, CellKind kind) {
  constexpr double k_exact = 9e15;  // larger whole numbers may not be exact
  if (kind == CellKind::count && std::abs(value) < k_exact) {
    return Json(static_cast<std::int64_t>(value));
  }
  return number_or_null<Json>(value);
}

Json cell_json(const PageCell& cell, const PageColumn& column) {
  Json value = std::visit(
      [&](const auto& v) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>) {
          return number_json(v, column.kind);
        } else {
          return Json(v);
        }
      },
      cell.value);
  if (!cell.best && cell.mark.empty()) return value;
  Json out{{"v", std::move(value)}};
  if (cell.best) out["best"] = true;
  if (!cell.mark.empty()) out["mark"] = cell.mark;
  return out;
}

std::string_view kind_name(CellKind kind) {
  switch (kind) {
    case CellKind::count:
      return "count";
    case CellKind::number:
      return "number";
    case CellKind::share:
      return "share";
    default:
      return "text";
  }
}

Json table_json(const PageTable& table) {
  Json columns = Json::array(), rows = Json::array();
  for (const PageColumn& column : table.columns) {
    Json& one = columns.emplace_back(
        Json{{"title", column.title}, {"kind", kind_name(column.kind)}, {"digits", column.digits}});
    if (column.bar) one["bar"] = true;
    if (!column.help.empty()) one["help"] = column.help;
  }
  for (const std::vector<PageCell>& row : table.rows) {
    MULBERRY_ASSERT(row.size() == table.columns.size());
    Json cells = Json::array();
    for (std::size_t c = 0; c < row.size(); ++c) {
      cells.push_back(cell_json(row[c], table.columns[c]));
    }
    rows.push_back(std::move(cells));
  }
  Json out{{"columns", std::move(columns)}, {"rows", std::move(rows)}};
  if (!table.caption.empty()) out["caption"] = table.caption;
  if (table.sorted >= 0) out["sorted"] = {{"column", table.sorted}, {"down", table.descending}};
  if (table.part != PageTable().part) out["part"] = table.part;
  if (table.choose) out["choose"] = true;
  if (!table.search.empty()) out["search"] = table.search;
  if (!table.left_out.empty()) out["left_out"] = table.left_out;
  return out;
}

std::string policy(const Page& page, const std::vector<std::string>& scripts) {
  std::string allowed;
  for (const std::string& name : scripts) allowed += " " + policy_hash(page_asset(name));
  return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
         "style-src 'unsafe-inline'; script-src" +
         allowed + (page.talks_to_server ? "; connect-src 'self'" : "");
}

std::string contents(const Page& page) {
  if (page.sections.size() < 2) return {};
  std::string out = "<nav class=\"contents\" aria-label=\"Contents\"><ul>\n";
  for (const PageSection& section : page.sections) {
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", html_text(section.id),
                       html_text(section.entry.empty() ? section.title : section.entry));
  }
  return out + "</ul></nav>\n";
}

std::string section_html(const PageSection& section) {
  const std::string id = html_text(section.id);
  return fmt::format(
             "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n",
             id, html_text(section.title)) +
         (section.note.empty()
              ? std::string()
              : fmt::format("<p class=\"note\">{}</p>\n", html_text(section.note))) +
         section.body + "</section>\n";
}

}  // namespace

PageTable page_table(const Table& table) {
  PageTable out;
  for (const TableColumn& column : table.columns()) {
    out.columns.push_back({.title = column.title,
                           .kind = column.right ? CellKind::number : CellKind::text,
                           .digits = 4});
  }
  for (const std::vector<TableCell>& row : table.lines()) {
    std::vector<PageCell>& cells = out.rows.emplace_back();
    for (const TableCell& cell : row) {
      PageCell& one =
          cells.emplace_back(cell.is_number ? PageCell(cell.number) : PageCell(cell.text));
      one.best = cell.best;
      one.mark = cell.mark;
    }
  }
  return out;
}

std::string page_html(const Page& page) {
  std::vector<std::string> scripts = {"page.js"};
  scripts.insert(scripts.end(), page.scripts.begin(), page.scripts.end());
  Json tables = Json::object();
  for (const auto& [id, table] : page.tables) tables[id] = table_json(table);
  const std::string title = html_text(page.title);
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
      policy(page, scripts) +
      "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"Mulberry " MULBERRY_VERSION_STRING
      "\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>" +
      title + (page.kind.empty() ? "" : " – " + html_text(page.kind)) + "</title>\n<style>\n";
  out += page_asset("page.css").text;
  for (const std::string& name : page.styles) out += page_asset(name).text;
  out +=
      "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">To the "
      "content</a>\n<header>\n";
  if (!page.kind.empty()) out += "<p class=\"kind\">" + html_text(page.kind) + "</p>\n";
  out += "<h1>" + title + "</h1>\n";
  if (!page.lead.empty()) out += "<p class=\"lead\">" + html_text(page.lead) + "</p>\n";
  out += page.top + "</header>\n" + contents(page) + "<main id=\"content\">\n";
  out +=
      "<noscript><p class=\"note\">Tables and charts that answer to the pointer need scripts, "
      "which are switched off. Pictures do not.</p></noscript>\n";
  for (const PageSection& section : page.sections) out += section_html(section);
  out += "</main>\n<footer>";
  if (!page.footer.empty()) out += html_text(page.footer) + " ";
  out +=
      "Mulberry " MULBERRY_VERSION_STRING ". This file is complete: it loads nothing.</footer>\n";
  out += "<script type=\"application/json\" id=\"page-data\">{\"tables\":" +
         json_in_html(json_text(tables)) + ",\"data\":" + json_in_html(page.data) + "}</script>\n";
  for (const std::string& name : scripts) {
    out += "<script>";
    out += page_asset(name).text;
    out += "</script>\n";
  }
  return out + "</body>\n</html>\n";
}

std::string html_text(std::string_view words) { return escape_xml(words); }

std::string html_paragraph(std::string_view words) {
  return fmt::format("<p>{}</p>\n", html_text(words));
}

std::string html_heading(std::string_view words) {
  return fmt::format("<h3>{}</h3>\n", html_text(words));
}

std::string html_table(std::string_view id) {
  return fmt::format("<div class=\"table\" data-table=\"{}\"></div>\n", html_text(id));
}

std::string html_picture(const std::string& svg, std::string_view words, std::string_view caption,
                         std::string_view table) {
  std::string out = fmt::format(
      "<figure><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</div>",
      html_text(words), inline_svg(svg, words));
  if (!caption.empty()) out += fmt::format("<figcaption>{}</figcaption>", html_text(caption));
  out += "</figure>\n";
  if (table.empty()) return out;
  return out + "<details><summary>The same as a table</summary>\n" + html_table(table) +
         "</details>\n";
}

std::string html_figures(std::span<const KeyFigure> figures) {
  std::string out = "<dl class=\"figures\">\n";
  for (const KeyFigure& figure : figures) {
    out += fmt::format(
        "<div><dt>{}</dt><dd>{}{}</dd></div>\n", html_text(figure.name), html_text(figure.value),
        figure.small.empty() ? std::string()
                             : fmt::format("<small>{}</small>", html_text(figure.small)));
  }
  return out + "</dl>\n";
}

std::string html_remarks(std::span<const Remark> remarks) {
  std::string out = "<ul class=\"remarks\">\n";
  for (const Remark& remark : remarks) {
    out +=
        fmt::format("<li class=\"{}\">{}</li>\n", html_text(remark.mood), html_text(remark.words));
  }
  return out + "</ul>\n";
}

std::string html_command(std::string_view words) {
  return fmt::format("<pre tabindex=\"0\"><code>{}</code></pre>\n", html_text(words));
}

std::string json_in_html(std::string_view json) {
  // These letters occur in JSON only within strings, where an escape means the same.
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else {
      out += c;
    }
  }
  return out;
}

std::string thousands_text(Index value) {
  std::string digits = std::to_string(value < 0 ? -value : value), out;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0) out += ',';
    out += digits[k];
  }
  return (value < 0 ? "-" : "") + out;
}

}  // namespace mulberry::report
