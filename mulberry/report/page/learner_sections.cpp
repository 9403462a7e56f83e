// What a trained model says about itself, as sections of a page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/text.hpp"
#include "mulberry/report/draw/axis.hpp"
#include "mulberry/report/draw/chart.hpp"
#include "mulberry/report/page/model_page.hpp"
#include "mulberry/report/page/relations_page.hpp"

namespace mulberry::report {
namespace {

constexpr Index k_most_rows = 200, k_most_columns = 12;  // of a table
constexpr Index k_map_rows = 24, k_map_columns = 40;     // of a heat map
constexpr std::size_t k_most_features = 100;             // lines of importance
constexpr double k_least_arrow = 0.05;

struct Named {
  const Result& result;
  std::vector<std::string> rows, columns;
};

bool is_whole(double v) { return v == std::round(v) && std::abs(v) < 1e9; }

PageTable result_table(const Named& r) {
  const Index rows = std::min(r.result.values.rows(), k_most_rows);
  const Index columns = std::min(r.result.values.cols(), k_most_columns);
  PageTable out{.columns = {{.title = ""}}};
  for (Index j = 0; j < columns; ++j) {
    bool whole = true;
    for (Index i = 0; i < rows; ++i) {
      const double v = r.result.values(i, j);
      whole = whole && (!std::isfinite(v) || is_whole(v));
    }
    out.columns.push_back({.title = r.columns[at(j)],
                           .kind = whole ? CellKind::count : CellKind::number,
                           .digits = 4});
  }
  for (Index i = 0; i < rows; ++i) {
    std::vector<PageCell>& row = out.rows.emplace_back();
    row.emplace_back(r.rows[at(i)]);
    for (Index j = 0; j < columns; ++j) row.emplace_back(r.result.values(i, j));
  }
  if (rows < r.result.values.rows() || columns < r.result.values.cols()) {
    out.left_out = fmt::format("{} of {} rows and {} of {} columns.", rows,
                               thousands_text(r.result.values.rows()), columns,
                               thousands_text(r.result.values.cols()));
  }
  return out;
}

// Columns over numbered rows: a chart each, because their sizes may differ much.
std::string curves_of(const Named& r) {
  std::string out;
  std::vector<LineChart> charts;
  for (Index j = 0; j < r.result.values.cols(); ++j) {
    Series series{.name = r.columns[at(j)]};
    double size = 0;
    for (Index i = 0; i < r.result.values.rows(); ++i) {
      series.x.push_back(static_cast<double>(i + 1));
      series.y.push_back(r.result.values(i, j));
      if (std::isfinite(series.y.back())) size = std::max(size, std::abs(series.y.back()));
    }
    if (size == 0) continue;  // nothing but zeros or gaps
    LineChart chart{.x_title = "round", .y_title = series.name, .dots = series.x.size() <= 40};
    chart.series.push_back(std::move(series));
    charts.push_back(std::move(chart));
  }
  for (const LineChart& chart : charts) {
    out += html_picture(line_chart(chart), chart.y_title + " by round");
  }
  return out;
}

std::string map_of(const Named& r, bool square) {
  const Index rows = std::min(r.result.values.rows(), square ? k_map_columns : k_map_rows);
  const Index columns = std::min(r.result.values.cols(), k_map_columns);
  HeatMap map{.row_names = {r.rows.begin(), r.rows.begin() + rows},
              .column_names = {r.columns.begin(), r.columns.begin() + columns},
              .values = Matrix(rows, columns),
              .numbers = columns <= 16};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) map.values(i, j) = r.result.values(i, j);
  }
  if (!square) map.row_title = "row";
  return html_picture(heat_map(map), r.result.sentence,
                      rows < r.result.values.rows() || columns < r.result.values.cols()
                          ? fmt::format("The first {} of {} rows, {} of {} columns.", rows,
                                        thousands_text(r.result.values.rows()), columns,
                                        thousands_text(r.result.values.cols()))
                          : std::string());
}

std::string spoken(const std::string& id) {
  std::string out = id;
  std::ranges::replace(out, '_', ' ');
  if (!out.empty()) out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out;
}

bool is_importance(const std::string& id) {
  return id == "importance" || id == "importance_by_label";
}

// What the table of importance shows: features by decreasing importance, and the labels that need
// each of them most.
struct Importance {
  std::string title, note;
  std::vector<std::string> names = {};
  std::vector<double> total = {};
  Matrix by_label = {};  // features x labels, or empty
};

std::string strongest_labels(const Importance& of, Index j, const TrainedModel& model) {
  constexpr std::size_t k_named = 3;
  std::vector<Id> order(at(of.by_label.cols()));
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](Id l) { return !(of.by_label(j, l) > 0); });
  std::ranges::stable_sort(order,
                           [&](Id a, Id b) { return of.by_label(j, a) > of.by_label(j, b); });
  std::string out;
  for (const Id l : std::span(order).first(std::min(order.size(), k_named))) {
    out += fmt::format("{}{} ({:.3f})", out.empty() ? "" : ", ", model.label_names[at(l)],
                       of.by_label(j, l));
  }
  return out;
}

void add_importance_section(Page& page, const TrainedModel& model, const Importance& of) {
  std::vector<Id> order(of.total.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](Id a, Id b) { return of.total[at(a)] > of.total[at(b)]; });
  PageTable table{
      .columns = {{.title = "feature"},
                  {.title = of.title, .kind = CellKind::number, .digits = 4, .bar = true}},
      .search = "Search features"};
  const bool by_label = of.by_label.size() > 0;
  if (by_label) table.columns.push_back({.title = "most for these labels"});
  for (std::size_t k = 0; k < std::min(order.size(), k_most_features); ++k) {
    const Id j = order[k];
    std::vector<PageCell>& row = table.rows.emplace_back();
    row.emplace_back(of.names[at(j)]);
    row.emplace_back(of.total[at(j)]);
    if (by_label) row.emplace_back(strongest_labels(of, j, model));
  }
  if (order.size() > k_most_features) {
    table.left_out = fmt::format("The {} most important of {} features.", k_most_features,
                                 thousands_text(count_of(order)));
  }
  page.tables["importance"] = std::move(table);
  page.sections.push_back({.id = "features",
                           .title = "Important features",
                           .note = of.note,
                           .body = html_table("importance")});
}

const Result* find_result(const TrainedModel& model, std::string_view id) {
  const auto found =
      std::ranges::find_if(model.results, [&](const Result& result) { return result.id == id; });
  return found == model.results.end() ? nullptr : &*found;
}

std::vector<Remark> summary_remarks(const TrainedModel& model) {
  const Summary& s = model.summary;
  std::vector<Remark> out;
  if (s.interrupted) {
    out.push_back({"look", "Training was stopped by the user; this is the best model so far."});
  } else if (s.converged) {
    out.push_back({"good", "Training reached its tolerance."});
  } else {
    out.push_back({"look",
                   "Training stopped before its tolerance: more rounds or a larger "
                   "tolerance may help."});
  }
  std::string figures;
  if (std::isfinite(s.objective)) figures += fmt::format("Objective {:.6g}. ", s.objective);
  if (std::isfinite(s.gap))
    figures += fmt::format("Certified relative gap to the optimum: {:.2e}. ", s.gap);
  if (s.rounds > 0) figures += fmt::format("Rounds: {}.", thousands_text(s.rounds));
  if (!figures.empty()) out.push_back({"", figures});
  return out;
}

PageTable settings_table(const TrainedModel& model) {
  PageTable out{.columns = {{.title = "setting"}, {.title = "value"}}};
  const auto add = [&](const Spec& spec) {
    for (const auto& [name, value] : spec.params) out.rows.push_back({name, value_text(value)});
  };
  out.rows.push_back({"learner", model.spec.id});
  add(model.spec);
  Spec steps = write_params("preprocessing", model.preprocess);
  if (model.text.empty()) {
    std::erase_if(steps.params, [](const auto& step) { return step.first.starts_with("text_"); });
  }
  add(steps);
  out.rows.push_back({"features", thousands_text(model.columns)});
  out.rows.push_back({"labels", thousands_text(count_of(model.label_names))});
  out.rows.push_back({"training rows", thousands_text(model.rows)});
  out.rows.push_back({"fingerprint of the training data", model.fingerprint});
  return out;
}

}  // namespace

bool states_importance(const TrainedModel& model) {
  return find_result(model, "importance") != nullptr;
}

void add_stated_importance(Page& page, const TrainedModel& model) {
  const Result* total = find_result(model, "importance");
  if (total == nullptr) return;
  Importance out{.title = total->column_names.empty() ? "importance" : total->column_names[0],
                 .note = spoken(total->sentence) + ".",
                 .names = model.names_along(model::Axis::features, {}, total->values.rows(), 1)};
  for (Index j = 0; j < total->values.rows(); ++j) out.total.push_back(total->values(j, 0));
  const Result* by_label = find_result(model, "importance_by_label");
  if (by_label != nullptr && by_label->values.rows() == total->values.rows() &&
      by_label->values.cols() == count_of(model.label_names)) {
    out.by_label = by_label->values;
  }
  add_importance_section(page, model, out);
}

void add_shuffled_importance(Page& page, const TrainedModel& model,
                             const ShuffledImportance& found) {
  Importance out{.title = "loss of AUC",
                 .note = fmt::format("What the mean AUC of the labels loses when the values of one "
                                     "feature are shuffled among {} test rows. Features that say "
                                     "the same stand in for each other.",
                                     thousands_text(found.rows)),
                 .by_label = Matrix(count_of(found.features), count_of(model.label_names))};
  Index j = 0;
  for (const ShuffledFeature& feature : found.features) {
    out.names.push_back(feature.name);
    out.total.push_back(feature.loss);
    std::ranges::copy(feature.per_label, out.by_label.row(j++).begin());
  }
  add_importance_section(page, model, out);
}

void add_learner_sections(Page& page, const TrainedModel& model) {
  PageSection said{.id = "learner",
                   .title = "What the learner says",
                   .body = html_remarks(summary_remarks(model))};
  bool has_graph = false;
  for (const Result& result : model.results) {
    if (is_importance(result.id) || result.values.size() == 0) continue;
    const Named named{
        result, model.names_along(result.rows, result.row_names, result.values.rows(), 1),
        model.names_along(result.columns, result.column_names, result.values.cols(), 1)};
    const bool by_label = result.columns == model::Axis::labels;
    const bool square = by_label && result.rows == model::Axis::labels;
    const bool numbered = result.rows == model::Axis::numbered;
    const std::string id = "result-" + result.id;
    if (square && result.id == "reuse_score" && !has_graph) {
      const Relations relations{.names = model.label_names, .score = result.values};
      PageSection graph{.id = "relations",
                        .title = "Which label helps which",
                        .note = spoken(result.sentence) + "."};
      graph.body = add_relations(page, relations, k_least_arrow);
      page.sections.push_back(std::move(graph));
      has_graph = true;
      continue;
    }
    said.body += html_heading(spoken(result.id)) +
                 fmt::format("<p class=\"note\">{}.</p>\n", html_text(spoken(result.sentence)));
    page.tables[id] = result_table(named);
    std::string picture;
    if (square || (numbered && by_label)) {
      picture = map_of(named, square);
    } else if (numbered && result.values.rows() > 2) {
      picture = curves_of(named);
    }
    if (picture.empty()) {
      said.body += html_table(id);
    } else {
      said.body += picture + "<details><summary>The same as a table</summary>\n" + html_table(id) +
                   "</details>\n";
    }
  }
  page.sections.push_back(std::move(said));
  page.tables["settings"] = settings_table(model);
  page.sections.push_back({.id = "settings", .title = "Settings", .body = html_table("settings")});
}

}  // namespace mulberry::report
