#include "mulberry/report/page/relations_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "mulberry/core/json_text.hpp"

namespace mulberry::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t k_most_labels = 60;  // on the circle
constexpr Index k_most_arrows = 400;
constexpr double k_faintest = 0.01;  // arrows below this are noise, and many

Matrix part_of(const Matrix& m, std::span<const Id> labels) {
  if (m.size() == 0) return {};
  const Index count = count_of(labels);
  Matrix out(count, count);
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j < count; ++j) out(i, j) = m(labels[at(i)], labels[at(j)]);
  }
  return out;
}

Relations part_of(const Relations& r, std::span<const Id> labels) {
  Relations out{.score = part_of(r.score, labels),
                .phi = part_of(r.phi, labels),
                .co_occurrence = part_of(r.co_occurrence, labels)};
  for (const Id l : labels) out.names.push_back(r.names[at(l)]);
  out.stability = {.repeats = r.stability.repeats,
                   .agreement = part_of(r.stability.agreement, labels),
                   .mean = part_of(r.stability.mean, labels),
                   .deviation = part_of(r.stability.deviation, labels)};
  return out;
}

// The labels of the strongest arrows, as many as a circle can hold.
std::vector<Id> drawn_labels(const std::vector<Arrow>& arrows) {
  std::set<Id> out;
  for (const Arrow& arrow : arrows) {
    std::set<Id> grown = out;
    grown.insert({arrow.helper, arrow.learner});
    if (grown.size() <= k_most_labels) out = std::move(grown);
  }
  return {out.begin(), out.end()};
}

PageTable arrows_table(const Relations& r, const std::vector<Arrow>& arrows) {
  PageTable out{.columns = {{.title = "helper"},
                            {.title = "learner"},
                            {.title = "score",
                             .kind = CellKind::number,
                             .help = "contribution of the helper to the learner, relative to the "
                                     "learner's own"},
                            {.title = "reverse",
                             .kind = CellKind::number,
                             .help = "score of the reverse arrow"}},
                .part = 10,
                .search = "Search labels"};
  if (r.phi.size() > 0) {
    out.columns.push_back({.title = "correlation", .kind = CellKind::number});
    out.columns.push_back(
        {.title = "together",
         .kind = CellKind::share,
         .digits = 1,
         .help = "of the rows with the learner, those that also have the helper"});
  }
  if (r.stability.repeats > 0) {
    out.columns.push_back({.title = "seen again",
                           .kind = CellKind::share,
                           .digits = 0,
                           .bar = true,
                           .help = "share of the repeats in which the arrow returned"});
    out.columns.push_back({.title = "mean of repeats", .kind = CellKind::number});
    out.columns.push_back({.title = "deviation", .kind = CellKind::number});
  }
  for (const Arrow& arrow : arrows) {
    const Id i = arrow.learner, j = arrow.helper;
    std::vector<PageCell>& row = out.rows.emplace_back();
    row = {r.names[at(j)], r.names[at(i)], arrow.score, arrow.reverse};
    if (r.phi.size() > 0) {
      row.emplace_back(r.phi(i, j));
      row.emplace_back(r.co_occurrence(i, j));
    }
    if (r.stability.repeats > 0) {
      row.emplace_back(r.stability.agreement(i, j));
      row.emplace_back(r.stability.mean(i, j));
      row.emplace_back(r.stability.deviation(i, j));
    }
  }
  return out;
}

}  // namespace

std::string add_relations(Page& page, const Relations& relations, double least) {
  const double faintest = std::min(least, k_faintest);
  std::vector<Arrow> all = strongest_arrows(relations, k_most_arrows, faintest);
  if (all.empty()) {
    return html_paragraph(
        fmt::format("No arrow of at least {:g}: no label helps another noticeably.", faintest));
  }
  const std::vector<Id> labels = drawn_labels(all);
  const Relations part = part_of(relations, labels);
  const std::vector<Arrow> arrows = strongest_arrows(part, k_most_arrows, faintest);
  page.tables["arrows"] = arrows_table(part, arrows);
  Json list = Json::array();
  for (const Arrow& arrow : arrows) {
    list.push_back({arrow.helper, arrow.learner, number_or_null<Json>(arrow.score),
                    is_firm(part, arrow.helper, arrow.learner)});
  }
  // At first about as many arrows as a reader can follow.
  constexpr std::size_t k_at_first = 40;
  const double start =
      std::max(least, arrows.size() > k_at_first ? std::abs(arrows[k_at_first].score) : 0.0);
  Json data = page.data == "null" ? Json::object() : Json::parse(page.data);
  data["relations"] = {{"names", part.names},
                       {"arrows", std::move(list)},
                       {"repeats", part.stability.repeats},
                       {"faintest", faintest},
                       {"start", start}};
  page.data = json_text(data);
  page.scripts.emplace_back("relations.js");
  std::string left_out;
  if (labels.size() < relations.names.size()) {
    left_out = fmt::format(" The graph has the {} labels with the strongest arrows, of {}.",
                           labels.size(), thousands_text(count_of(relations.names)));
  }
  return "<div id=\"relations-controls\" class=\"controls\"></div>\n<div id=\"relations-graph\">" +
         html_picture(
             relations_graph(part, arrows),
             "Labels on a circle, arrows from the label that helps to the one that learns; "
             "the table below has the same figures",
             "An arrow points from the helper to the learner; its width is the score. Purple makes "
             "the "
             "learner more likely, blue less likely; dashed arrows did not return in 8 of 10 "
             "repeats." +
                 left_out) +
         "</div>\n" + html_heading("Arrows shown") + html_table("arrows");
}

Page relations_page(const Relations& relations, const std::string& what, double least) {
  Page page{.title = "Which label helps which", .kind = "Relations between labels", .lead = what};
  const std::vector<Arrow> arrows = strongest_arrows(relations, 12, least);
  PageSection graph{.id = "graph",
                    .title = "Arrows",
                    .note =
                        "A score of 0.3 from sunset to sea means: the hypotheses of sunset "
                        "contributed 0.3 times as much to the model of sea as its own did. "
                        "Scores describe the model, not causes."};
  graph.body = add_relations(page, relations, least);
  page.sections.push_back(std::move(graph));
  if (!arrows.empty()) {
    std::vector<Remark> sentences;
    for (const std::string& words : arrow_sentences(relations, arrows, least)) {
      sentences.push_back({"", words});
    }
    if (relations.stability.repeats == 0) {
      sentences.push_back({"look",
                           "Trained once: with repeats on samples of the data, the report "
                           "also tells which arrows to trust."});
    }
    page.sections.insert(page.sections.begin(),
                         {.id = "words", .title = "In words", .body = html_remarks(sentences)});
  }
  // Labels without any relation only make the maps larger.
  PageSection maps{.id = "maps", .title = "All pairs"};
  maps.note =
      "Rows learn, columns help; the maps share their order, in which related labels are "
      "neighbours.";
  maps.body =
      html_picture(relations_picture(relations),
                   "Heat maps of scores, correlations and co-occurrence of every two labels",
                   "Of at most 60 labels, those with the largest scores.");
  if (relations.names.size() > 1) page.sections.push_back(std::move(maps));
  return page;
}

}  // namespace mulberry::report
