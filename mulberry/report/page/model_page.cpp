#include "mulberry/report/page/model_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "mulberry/core/json_text.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/evaluate/evaluate_split.hpp"
#include "mulberry/measures/bootstrap.hpp"
#include "mulberry/measures/label_table.hpp"
#include "mulberry/report/draw/chart.hpp"
#include "mulberry/report/draw/panels.hpp"
#include "mulberry/report/page/data_page.hpp"
#include "mulberry/report/page/label_curves.hpp"
#include "mulberry/report/set_tables.hpp"

namespace mulberry::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index k_most_labels = 5000;  // lines of the table of labels
constexpr Index k_most_curves = 1000;  // labels with curves
constexpr Index k_worst_rows = 60;
constexpr Index k_confused = 24;  // labels of the map of confusion
constexpr std::size_t k_most_pairs = 60;
// Curves over all rows are measured again on every resample: only with so many cells.
constexpr double k_most_cells = 3e5;

// A model on test data, measured.
struct Measured {
  const TrainedModel& model;
  const Dataset& test;
  MeasureOptions options;
  Labels truth, decided;
  Prediction prediction;
  Outcome outcome = {};
  std::vector<MeasureValue> values = {};
  std::map<std::string, Interval> intervals = {};
};

bool needs_all_rows(const std::string& name) {
  static const std::vector<std::string> names = {
      "macro_auc",    "mean_average_precision", "micro_auc",
      "protocol_auc", "protocol_auc_per_image", "calibration_error"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

void measure_it(Measured& m, const Context& ctx) {
  m.outcome = {.scores = &m.prediction.scores,
               .decided = &m.decided,
               .sets = m.model.sets.empty() ? nullptr : &m.model.sets,
               .probabilities = m.prediction.scale == Scale::probability};
  m.values = measure_all(m.truth, m.outcome, m.options, ctx);
  if (m.truth.rows() == 0) return;
  const bool large =
      static_cast<double>(m.truth.rows()) * static_cast<double>(m.truth.count()) > k_most_cells;
  std::vector<std::string> names;
  for (const MeasureInfo& info : measure_table()) {
    const std::string name(info.name);
    if (applies(info, m.outcome, m.options) && !(large && needs_all_rows(name)))
      names.push_back(name);
  }
  for (Interval& one : bootstrap(names, m.truth, m.outcome, m.options, {}, ctx)) {
    const std::string name = one.measured.name;
    m.intervals.emplace(name, std::move(one));
  }
}

const Interval* interval_of(const Measured& m, const std::string& name) {
  const auto found = m.intervals.find(name);
  return found == m.intervals.end() || !std::isfinite(found->second.low) ? nullptr : &found->second;
}

std::string sentence_of(const std::string& name) {
  const std::string known = name.substr(0, name.find(':'));
  for (const MeasureInfo& info : measure_table()) {
    if (info.name == known) return std::string(info.sentence);
  }
  return {};
}

std::string top_figures(const Measured& m) {
  std::vector<KeyFigure> figures;
  for (const std::string& wanted : usual_measures()) {
    for (const MeasureValue& value : m.values) {
      const bool same = value.name == wanted || value.name.starts_with(wanted + ":");
      if (!same || !std::isfinite(value.value) || figures.size() == 6) continue;
      const Interval* interval = interval_of(m, value.name);
      figures.push_back(
          {value.name + (value.higher_is_better ? " ↑" : " ↓"), fixed_text(value.value, 3),
           interval == nullptr ? std::string()
                               : fmt::format("{:.3f} to {:.3f}", interval->low, interval->high)});
    }
  }
  return html_figures(figures);
}

PageTable measures_table(const Measured& m) {
  PageTable out{.columns = {{.title = "measure"},
                            {.title = "value", .kind = CellKind::number, .digits = 4},
                            {.title = "from",
                             .kind = CellKind::number,
                             .digits = 4,
                             .help = "lower end of the 95 % interval"},
                            {.title = "to",
                             .kind = CellKind::number,
                             .digits = 4,
                             .help = "upper end of the 95 % interval"},
                            {.title = "better"},
                            {.title = "undefined",
                             .kind = CellKind::count,
                             .help = "rows or labels without a value"},
                            {.title = "what it says"}},
                .search = "Search measures"};
  const double none = std::nan("");
  for (const MeasureValue& value : m.values) {
    const Interval* interval = interval_of(m, value.name);
    out.rows.push_back(
        {value.name, value.value, interval == nullptr ? none : interval->low,
         interval == nullptr ? none : interval->high, value.higher_is_better ? "higher" : "lower",
         value.undefined,
         value.reason.empty() ? sentence_of(value.name) : "no value: " + value.reason});
  }
  return out;
}

// Dots with intervals of the measures between 0 and 1.
std::string measures_picture(const Measured& m) {
  std::vector<std::string> names;
  ValuePanel panel{.title = "value and 95 % interval"};
  for (const MeasureValue& value : m.values) {
    const std::string known = value.name.substr(0, value.name.find(':'));
    const bool unit = std::ranges::any_of(measure_table(), [&](const MeasureInfo& info) {
      return info.name == known && info.low == 0 && info.high == 1;
    });
    if (!unit || !std::isfinite(value.value)) continue;
    const Interval* interval = interval_of(m, value.name);
    names.push_back(value.name + (value.higher_is_better ? " ↑" : " ↓"));
    panel.rows.push_back({.middle = value.value,
                          .low = interval == nullptr ? value.value : interval->low,
                          .high = interval == nullptr ? value.value : interval->high,
                          .best = value.higher_is_better,
                          .tip = fmt::format("{}: {:.4f}", value.name, value.value)});
  }
  return names.empty() ? std::string() : panels_picture("", "", names, {panel});
}

// What the page draws when a label is chosen.
Json curves_json(const Measured& m, const LabelLine& line, double finest) {
  const LabelCurves c = label_curves(m.truth, m.outcome, line.label, finest);
  const auto rounded = [](double v) { return Json::parse(fmt::format("{:.4g}", v)); };
  Json cut = Json::array(), hits = Json::array(), mistakes = Json::array(), chances = Json::array();
  for (const CutPoint& point : c.cuts) {
    cut.push_back(rounded(point.cut));
    hits.push_back(point.hits);
    mistakes.push_back(point.mistakes);
  }
  for (const ChanceBin& bin : c.chances) {
    chances.push_back({bin.rows, bin.positives, rounded(bin.mean)});
  }
  return {{"positives", c.positives},
          {"negatives", c.negatives},
          {"cut", std::move(cut)},
          {"hits", std::move(hits)},
          {"mistakes", std::move(mistakes)},
          {"chances", std::move(chances)},
          {"low", rounded(c.low)},
          {"high", rounded(c.high)},
          {"with", c.with},
          {"without", c.without}};
}

double natural_cut(Scale scale) { return scale == Scale::margin ? 0.0 : 0.5; }

// The table of labels, worst first, and the curves of the first of them.
std::string add_labels(Page& page, const Measured& m, const Context& ctx) {
  std::vector<LabelLine> lines = label_table(m.truth, m.outcome, m.options, ctx);
  PageTable table{
      .columns =
          {{.title = "label"},
           {.title = "support", .kind = CellKind::count, .help = "rows that have it"},
           {.title = "predicted", .kind = CellKind::count, .help = "rows that get it"},
           {.title = "precision", .kind = CellKind::number},
           {.title = "recall", .kind = CellKind::number},
           {.title = "F1", .kind = CellKind::number, .bar = true},
           {.title = "AUC", .kind = CellKind::number},
           {.title = "threshold",
            .kind = CellKind::number,
            .help = "the label is given from this score on; none if more than the score decides"}},
      .choose = true,
      .search = "Search labels"};
  const Index all = count_of(lines);
  if (all > k_most_labels) {
    table.left_out = fmt::format("The {} worst of {} labels.", thousands_text(k_most_labels),
                                 thousands_text(all));
    lines.resize(at(k_most_labels));
  }
  std::vector<double> cuts(lines.size());
  parallel_for(ctx, count_of(lines), [&](Index k) {
    cuts[at(k)] = deciding_cut(m.outcome, lines[at(k)].label, natural_cut(m.prediction.scale));
  });
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const LabelLine& line = lines[k];
    table.rows.push_back({m.model.label_names[at(line.label)], line.support, line.decided,
                          line.precision, line.recall, line.f1, line.auc, cuts[k]});
  }
  page.tables["labels"] = std::move(table);
  const std::size_t drawn = std::min(lines.size(), at(k_most_curves));
  const double finest = drawn > 300 ? 0.04 : 0.015;
  std::vector<Json> curves(drawn);
  parallel_for(ctx, count_of(curves),
               [&](Index k) { curves[at(k)] = curves_json(m, lines[at(k)], finest); });
  Json data = page.data == "null" ? Json::object() : Json::parse(page.data);
  data["curves"] = std::move(curves);
  data["probabilities"] = m.outcome.probabilities;
  data["scale"] = scale_name(m.prediction.scale);
  page.data = json_text(data);
  page.scripts.insert(page.scripts.end(), {"charts.js", "model.js"});
  return "<div class=\"two\">\n" + html_table("labels") +
         "<div id=\"label-detail\" class=\"detail\" role=\"region\" aria-live=\"polite\" "
         "aria-label=\"The chosen label\" tabindex=\"-1\"></div>\n</div>\n" +
         (count_of(lines) > k_most_curves
              ? html_paragraph(fmt::format("Curves are kept of the {} worst labels.",
                                           thousands_text(k_most_curves)))
              : std::string());
}

struct Mistakes {
  std::vector<Id> right = {}, missed = {}, wrong = {};
};

Mistakes mistakes_of(const Measured& m, Index i) {
  Mistakes out;
  const auto truth = m.truth.row(i), decided = m.decided.row(i), missing = m.truth.missing_row(i);
  for (const Id l : truth) {
    (std::ranges::binary_search(decided, l) ? out.right : out.missed).push_back(l);
  }
  for (const Id l : decided) {
    if (!std::ranges::binary_search(truth, l) && !std::ranges::binary_search(missing, l)) {
      out.wrong.push_back(l);
    }
  }
  return out;
}

struct ConfusedPair {
  Id missed = 0, given = 0;
  Index rows = 0;
};

// Rows that lack a label of the truth and have a wrong one instead: the pairs, most frequent first.
std::vector<ConfusedPair> confused_pairs(const Measured& m) {
  constexpr std::size_t k_most_per_row = 50;  // rows with more mistakes say nothing about pairs
  std::map<std::pair<Id, Id>, Index> count;
  for (Index i = 0; i < m.truth.rows(); ++i) {
    const Mistakes row = mistakes_of(m, i);
    if (row.missed.size() > k_most_per_row || row.wrong.size() > k_most_per_row) continue;
    for (const Id a : row.missed) {
      for (const Id b : row.wrong) ++count[{a, b}];
    }
  }
  std::vector<ConfusedPair> out;
  for (const auto& [pair, rows] : count) out.push_back({pair.first, pair.second, rows});
  std::stable_sort(out.begin(), out.end(),
                   [](const ConfusedPair& a, const ConfusedPair& b) { return a.rows > b.rows; });
  return out;
}

HeatMap confusion_map(const Measured& m, const std::vector<ConfusedPair>& pairs) {
  std::vector<Index> involved(m.model.label_names.size(), 0);
  for (const ConfusedPair& pair : pairs) {
    involved[at(pair.missed)] += pair.rows;
    involved[at(pair.given)] += pair.rows;
  }
  std::vector<Id> labels;
  for (std::size_t l = 0; l < involved.size(); ++l) {
    if (involved[l] > 0) labels.push_back(static_cast<Id>(l));
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [&](Id a, Id b) { return involved[at(a)] > involved[at(b)]; });
  labels.resize(std::min(labels.size(), at(k_confused)));
  std::sort(labels.begin(), labels.end());
  const Index count = count_of(labels);
  HeatMap out{.values = Matrix(count, count, std::nan("")),
              .diverging = false,
              .numbers = true,
              .digits = 0,
              .row_title = "missed",
              .column_title = "given instead"};
  for (const Id l : labels) out.row_names.push_back(m.model.label_names[at(l)]);
  out.column_names = out.row_names;
  for (const ConfusedPair& pair : pairs) {
    const auto a = std::ranges::lower_bound(labels, pair.missed),
               b = std::ranges::lower_bound(labels, pair.given);
    if (a == labels.end() || b == labels.end() || *a != pair.missed || *b != pair.given) continue;
    out.values(a - labels.begin(), b - labels.begin()) = static_cast<double>(pair.rows);
  }
  return out;
}

PageSection confusion_section(Page& page, const Measured& m) {
  PageSection out{.id = "confusion", .title = "Confusion"};
  if (m.outcome.sets != nullptr) {
    out.note = "True classes of each set by predicted ones.";
    int k = 0;
    for (const SetTable& set : confusion_tables(m.truth, m.outcome, m.model.label_names)) {
      const std::string id = fmt::format("confusion-{}", ++k);
      PageTable table{.columns = {{.title = "true \\ predicted"}}};
      for (const std::string& name : set.columns)
        table.columns.push_back({.title = name, .kind = CellKind::count});
      for (Index i = 0; i < set.counts.rows(); ++i) {
        std::vector<PageCell>& row = table.rows.emplace_back();
        row.emplace_back(set.rows[at(i)]);
        for (const double v : set.counts.row(i)) row.emplace_back(v);
      }
      page.tables[id] = std::move(table);
      out.body +=
          html_heading(set.heading) +
          html_picture(tables_picture("", {set}), "Confusion of the classes of " + set.heading,
                       "A cell is coloured by its share of the true class.", id);
    }
    return out;
  }
  out.note =
      "A row that lacks one of its labels often has another one instead. Counted are rows in "
      "which the label of the row was missed and the label of the column was wrongly given.";
  const std::vector<ConfusedPair> pairs = confused_pairs(m);
  if (pairs.empty()) {
    out.body = html_paragraph("In no row was one label missed and another one wrongly given.");
    return out;
  }
  PageTable table{.columns = {{.title = "missed"},
                              {.title = "given instead"},
                              {.title = "rows", .kind = CellKind::count, .bar = true}},
                  .search = "Search labels"};
  for (std::size_t k = 0; k < std::min(pairs.size(), k_most_pairs); ++k) {
    table.rows.push_back({m.model.label_names[at(pairs[k].missed)],
                          m.model.label_names[at(pairs[k].given)], pairs[k].rows});
  }
  if (pairs.size() > k_most_pairs) {
    table.left_out = fmt::format("The {} most frequent of {} pairs.", k_most_pairs,
                                 thousands_text(count_of(pairs)));
  }
  page.tables["confusion"] = std::move(table);
  const HeatMap map = confusion_map(m, pairs);
  out.body =
      html_picture(heat_map(map), "Missed labels by the labels that were given instead",
                   count_of(m.model.label_names) > k_confused
                       ? fmt::format("The {} labels with the most such rows.", map.row_names.size())
                       : std::string(),
                   "confusion");
  return out;
}

PageSection rows_section(Page& page, const Measured& m) {
  std::vector<std::pair<Index, Id>> wrong;  // number of wrong labels, row
  Index perfect = 0;
  for (Id i = 0; i < m.truth.rows(); ++i) {
    const Mistakes row = mistakes_of(m, i);
    const Index count = count_of(row.missed) + count_of(row.wrong);
    perfect += count == 0 ? 1 : 0;
    if (count > 0) wrong.emplace_back(-count, i);
  }
  std::sort(wrong.begin(), wrong.end());
  PageTable table{.columns = {{.title = m.test.id_name.empty() ? "row" : m.test.id_name},
                              {.title = "wrong", .kind = CellKind::count},
                              {.title = "labels"},
                              {.title = m.test.texts.empty() ? "features" : "text"}},
                  .search = "Search rows"};
  const std::size_t shown = std::min(wrong.size(), at(k_worst_rows));
  for (std::size_t k = 0; k < shown; ++k) {
    const Id i = wrong[k].second;
    const Mistakes row = mistakes_of(m, i);
    std::vector<std::string> tags = label_tags(row.right, m.model.label_names, "=");
    for (auto&& tag : label_tags(row.missed, m.model.label_names, "-"))
      tags.push_back(std::move(tag));
    for (auto&& tag : label_tags(row.wrong, m.model.label_names, "+"))
      tags.push_back(std::move(tag));
    table.rows.push_back(
        {row_name(m.test, i), -wrong[k].first, std::move(tags), row_excerpt(m.test, i)});
  }
  if (shown < wrong.size()) {
    table.left_out = fmt::format("The {} worst of {} rows with a mistake.", shown,
                                 thousands_text(count_of(wrong)));
  }
  page.tables["rows"] = std::move(table);
  return {
      .id = "rows",
      .title = "Worst rows",
      .note = fmt::format("{} of {} rows have exactly the right labels. Below are those with the "
                          "most mistakes: green labels are right, dashed ones were missed, "
                          "crossed-out ones are wrong.",
                          thousands_text(perfect), thousands_text(m.truth.rows())),
      .body = wrong.empty() ? html_paragraph("No row has a mistake.") : html_table("rows")};
}

// The learner in few words: "br(base=logistic)".
std::string short_name(const Spec& spec) {
  const SpecValue* base = spec.find("base");
  return base == nullptr ? spec.id
                         : fmt::format("{}(base={})", spec.id, short_name(as_spec(*base)));
}

std::string about(const TrainedModel& model) {
  return fmt::format("{}, trained on {} ({} rows)", short_name(model.spec),
                     model.data_name.empty() ? "data" : model.data_name,
                     thousands_text(model.rows));
}

void add_importance(Page& page, const Measured& m, ImportanceOf importance, const Context& ctx) {
  constexpr Index k_few_rows = 300, k_all_rows = 1000;
  if (states_importance(m.model)) {
    add_stated_importance(page, m.model);
    return;
  }
  const Index features = shuffled_features(m.test);
  if (features == 0 || m.truth.rows() < 2) return;
  const bool all = importance == ImportanceOf::all;
  if (!all && features > k_shuffled_features) {
    page.sections.push_back(
        {.id = "features",
         .title = "Important features",
         .body = html_paragraph(fmt::format(
             "Not measured: the data has {} features, and each one costs a prediction. Beyond {} "
             "features this is done when it is asked for.",
             thousands_text(features), k_shuffled_features))});
    return;
  }
  add_shuffled_importance(page, m.model,
                          shuffled_importance(m.model, m.test, all ? k_all_rows : k_few_rows, ctx));
}

}  // namespace

Page learner_page(const TrainedModel& model) {
  Page page{.title = short_name(model.spec), .kind = "Model", .lead = about(model) + "."};
  page.sections.push_back(
      {.id = "measures",
       .title = "Measures",
       .body = html_paragraph("Nothing was measured: give the report data that the model was not "
                              "trained on.")});
  add_stated_importance(page, model);
  add_learner_sections(page, model);
  return page;
}

Page model_page(const TrainedModel& model, const Dataset& test, MeasureOptions options,
                ImportanceOf importance, const Context& ctx) {
  Prediction prediction = model.predict(test, ctx.part(0, 0.4));
  Measured m{.model = model,
             .test = test,
             .options = std::move(options),
             .truth = align_labels(test, model.label_names, model.sets),
             .decided = model.decide(prediction),
             .prediction = std::move(prediction)};
  m.options.propensities = model.propensities;
  measure_it(m, ctx.part(0.4, 0.7));
  const std::string data = test.name.empty() ? "the test data" : test.name;
  Page page{.title = short_name(model.spec) + " on " + data, .kind = "Model"};
  page.lead = fmt::format("{}; measured on {}: {} rows, {} labels.", about(model), data,
                          thousands_text(m.truth.rows()), thousands_text(m.truth.count()));
  if (!model.fingerprint.empty() && model.fingerprint == fingerprint(test)) {
    page.lead += " This is the data that it was trained on: the figures are too good.";
  }
  page.top = top_figures(m);
  page.tables["measures"] = measures_table(m);
  const std::string picture = measures_picture(m);
  PageSection measures{
      .id = "measures",
      .title = "Measures",
      .note = fmt::format("Convention {}; intervals of 95 % from 1,000 bootstrap samples of the "
                          "test rows.",
                          name_of(m.options.convention))};
  if (!picture.empty()) {
    measures.body = html_picture(picture, "Every measure between 0 and 1 with its interval",
                                 "Purple: higher is better. Grey: lower is better.");
  }
  measures.body +=
      picture.empty()
          ? html_table("measures")
          : "<details><summary>The same as a table, and what each measure says</summary>\n" +
                html_table("measures") + "</details>\n";
  page.sections.push_back(std::move(measures));
  if (m.truth.rows() > 0) {
    page.sections.push_back({.id = "labels",
                             .title = "Labels",
                             .note = "Worst first. Choose a label to see its curves.",
                             .body = add_labels(page, m, ctx)});
    page.sections.push_back(confusion_section(page, m));
    page.sections.push_back(rows_section(page, m));
  }
  add_importance(page, m, importance, ctx.part(0.7, 1));
  add_learner_sections(page, model);
  return page;
}

}  // namespace mulberry::report
