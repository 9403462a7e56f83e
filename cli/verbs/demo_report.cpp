#include "cli/verbs/demo_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mulberry/data/generate/hide.hpp"
#include "mulberry/evaluate/cross_validate.hpp"
#include "mulberry/evaluate/suspects.hpp"
#include "mulberry/evaluate/trained_model.hpp"
#include "mulberry/measures/relations.hpp"
#include "mulberry/measures/sets.hpp"
#include "mulberry/report/comparison_report.hpp"
#include "mulberry/report/label_bars.hpp"
#include "mulberry/report/page/data_page.hpp"
#include "mulberry/report/page/relations_page.hpp"
#include "mulberry/report/set_tables.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::cli {
namespace {

std::vector<CompleteSpec> specs_of(std::initializer_list<const char*> texts) {
  std::vector<CompleteSpec> out;
  for (const char* text : texts) out.emplace_back(parse_spec(text));
  return out;
}

const Result& result_of(const TrainedModel& model, const std::string& id) {
  const auto found =
      std::ranges::find_if(model.results, [&](const Result& result) { return result.id == id; });
  MULBERRY_ASSERT(found != model.results.end());
  return *found;
}

std::string answered(const std::vector<KeyFigure>& figures, const std::string& command) {
  return html_figures(figures) + html_command(command);
}

PageSection measure_question(Page& page, const Dataset& photos, KeyFigure& headline,
                             const Context& ctx) {
  EvaluateOptions options;
  options.split.folds = 5;
  options.measures = {"macro_f1"};
  const Comparison c =
      cross_validate(specs_of({"br_logistic", "ml_knn", "rml(measure=f1)"}), photos, options, ctx);
  const auto mean = [&](std::size_t k) { return c.learners[k].estimates[0].mean; };
  headline = {"macro-F1", fixed_text(mean(2), 3),
              fmt::format("trained for it; {:.3f} by logistic regression", mean(0))};
  page.tables["macro-f1"] = page_table(comparison_rows(c));
  return {.id = "measure",
          .title = "1. Can it be trained for the measure I am judged by?",
          .note =
              "Macro-F1 counts rare labels as much as frequent ones. Most learners minimise "
              "something else and hope; rml maximises the measure itself.",
          .body = answered({{"rml, trained for macro-F1", fixed_text(mean(2), 3)},
                            {"ml_knn", fixed_text(mean(1), 3)},
                            {"br_logistic", fixed_text(mean(0), 3)}},
                           "mulberry cv br_logistic ml_knn 'rml(measure=f1)' photos.arff --folds 5 "
                           "--measures macro_f1") +
                  html_picture(comparison_picture(c), "Macro-F1 of three learners over five folds",
                               "Dot: mean over five folds; line: one deviation to each side.",
                               "macro-f1"),
          .entry = "Train for a measure"};
}

PageSection relations_question(Page& page, const Dataset& photos, KeyFigure& headline,
                               const Context& ctx) {
  constexpr double k_least = 0.05;
  const TrainedModel model =
      train(CompleteSpec(parse_spec("mahr(rounds=60, kappa=0)")), photos, {}, ctx);
  const Relations relations{.names = photos.label_names,
                            .score = result_of(model, "reuse_score").values,
                            .phi = phi(photos.y, ctx),
                            .co_occurrence = co_occurrence(photos.y, ctx)};
  const std::vector<Arrow> arrows = strongest_arrows(relations, 4, k_least);
  std::vector<Remark> sentences;
  for (const std::string& words : arrow_sentences(relations, arrows, k_least)) {
    sentences.push_back({"", words});
  }
  if (!arrows.empty()) {
    headline = {"strongest help",
                photos.label_names[at(arrows[0].helper)] + " → " +
                    photos.label_names[at(arrows[0].learner)],
                fmt::format("score {:.2f}", arrows[0].score)};
  }
  return {.id = "relations",
          .title = "2. Which labels help which?",
          .note =
              "mahr lets every label reuse what the others have learnt, and measures how much "
              "each was worth. Move the slider, rest on an arrow, choose a label.",
          .body = html_remarks(sentences) +
                  html_command("mulberry relations photos.arff --report relations.html") +
                  add_relations(page, relations, k_least),
          .entry = "Relations"};
}

PageSection missing_question(Page& page, const Dataset& photos, KeyFigure& headline,
                             const Context& ctx) {
  constexpr Index k_shown = 15, k_judged = 100;
  Dataset hidden = photos;
  hidden.y = hide_labels(photos.y, {.share = 0.4}, ctx);
  const CompleteSpec spec = "mlr_gl";
  PreprocessOptions preprocess;
  preprocess.scale = FeatureScale::standardise;
  const Matrix scores = out_of_fold_scores(spec, hidden, preprocess, 5, ctx);
  const Matrix chances = label_chances(hidden.y, scores, Scale::margin, ctx);
  const auto suspects = rank_suspects(hidden.y, scores, chances, SuspectKind::missing);
  const std::vector<Index> at_most = {k_judged};
  const Recovery found = judge_suspects(suspects, photos.y, SuspectKind::missing, at_most);
  PageTable table{
      .columns = {{.title = "photo"},
                  {.title = "suggested label"},
                  {.title = "chance", .kind = CellKind::share, .digits = 0, .bar = true},
                  {.title = "in truth"},
                  {.title = "labels that were left"}}};
  for (std::size_t k = 0; k < std::min(suspects.size(), at(k_shown)); ++k) {
    const Suspect& one = suspects[k];
    const bool right = photos.y.cell(one.row, one.label) == Cell::positive;
    table.rows.push_back(
        {std::to_string(one.row + 1), photos.label_names[at(one.label)], one.chance,
         std::vector<std::string>{right ? "= it was hidden" : "+ it was not there"},
         label_tags(hidden.y.row(one.row), photos.label_names)});
  }
  page.tables["missing"] = std::move(table);
  const double precision = found.precision(0);
  headline = {"hidden labels found", fmt::format("{:.0f} of {}", precision * k_judged, k_judged),
              fmt::format("{:.0f} by chance", found.random() * k_judged)};
  return {.id = "missing",
          .title = "3. Which labels are missing?",
          .note = fmt::format("For this question, {} of the labels were hidden. mlr_gl learns from "
                              "what was left and proposes what rows lack; each row is judged by a "
                              "model that has not seen it.",
                              thousands_text(found.wrong)),
          .body = answered({{fmt::format("right among the first {}", k_judged),
                             fmt::format("{:.0f} %", 100 * precision)},
                            {"right by chance", fmt::format("{:.0f} %", 100 * found.random())},
                            {"area under the curve", fixed_text(found.area, 3)}},
                           "mulberry missing mlr_gl hidden.arff --scale standardise") +
                  html_table("missing"),
          .entry = "Missing labels"};
}

PageSection strength_question(Page& page, const Dataset& photos, KeyFigure& headline,
                              const Context& ctx) {
  const TrainedModel model = train(CompleteSpec(parse_spec("mll_le")), photos, {}, ctx);
  const Matrix& values = result_of(model, "numerical_labels").values;
  // Rows with the most labels have the most to tell apart.
  std::vector<Id> order(at(photos.rows()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Id>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](Id a, Id b) { return photos.y.row(a).size() > photos.y.row(b).size(); });
  order.resize(std::min<std::size_t>(order.size(), 3));
  std::vector<LabelBars> bars;
  PageTable table{.columns = {{.title = "photo"},
                              {.title = "label"},
                              {.title = "strength", .kind = CellKind::number, .digits = 2},
                              {.title = "given"}}};
  for (const Id i : order) {
    LabelBars& row = bars.emplace_back();
    row.title = fmt::format("photo {}", i + 1);
    row.values.assign(values.row(i).begin(), values.row(i).end());
    row.given.assign(row.values.size(), 0);
    for (const Id l : photos.y.row(i)) row.given[at(l)] = 1;
    for (const Id l : strongest_labels(row, 8)) {
      table.rows.push_back({std::to_string(i + 1), photos.label_names[at(l)], row.values[at(l)],
                            row.given[at(l)] != 0 ? "yes" : "no"});
    }
  }
  page.tables["strength"] = std::move(table);
  if (!order.empty()) {
    const Id first = strongest_labels(bars[0], 1).front();
    headline = {fmt::format("photo {} is above all", order[0] + 1), photos.label_names[at(first)],
                fmt::format("strength {:.2f}", bars[0].values[at(first)])};
  }
  return {.id = "strength",
          .title = "4. How strongly does each label apply?",
          .note =
              "A label of the data says yes or no. mll_le learns how much: from the row itself, "
              "from its neighbours, and from the other labels.",
          .body = html_command("mulberry enhance mll_le photos.arff -o numeric.csv") +
                  html_picture(label_bars("", "", photos.label_names, bars, 8),
                               "Strength of the labels of three photos",
                               "Three photos with many labels; bold names are given in the data. "
                               "Above 0 a label applies.",
                               "strength"),
          .entry = "Strength"};
}

PageSection sets_question(Page& page, const Dataset& cars, KeyFigure& headline,
                          const Context& ctx) {
  SplitOptions how;
  how.holdout = 0.3;
  const Fold fold = hold_out(cars.y, how, ctx);
  const Dataset test = take_rows(cars, fold.test);
  TrainOptions options;
  options.preprocess.scale = FeatureScale::standardise;
  const TrainedModel model =
      train(CompleteSpec(parse_spec("dsml")), take_rows(cars, fold.train), options, ctx);
  const Prediction prediction = model.predict(test, ctx);
  const Labels decided = model.decide(prediction);
  const Outcome outcome{.scores = &prediction.scores, .decided = &decided, .sets = &model.sets};
  std::vector<KeyFigure> figures;
  Index both = 0;
  std::vector<char> right(at(test.rows()), 1);
  std::string names;
  for (std::size_t s = 0; s < model.sets.size(); ++s) {
    const auto truth = true_classes(test.y, model.sets, s), found = predicted_classes(outcome, s);
    Index hits = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const bool hit = truth[i] == found[i];
      hits += hit ? 1 : 0;
      right[i] = static_cast<char>(right[i] != 0 && hit);
    }
    figures.push_back({model.sets.names[s] + " right",
                       fmt::format("{:.0f} %", 100.0 * static_cast<double>(hits) /
                                                   static_cast<double>(test.rows()))});
    names += (names.empty() ? "" : " and ") + model.sets.names[s];
  }
  for (const char one : right) both += one;
  const std::string all =
      fmt::format("{:.0f} %", 100.0 * static_cast<double>(both) / static_cast<double>(test.rows()));
  figures.push_back({"all right", all, fmt::format("{} cars not seen in training", test.rows())});
  headline = {names + " right", all, "of cars not seen in training"};
  PageTable table{.columns = {{.title = "set"},
                              {.title = "true"},
                              {.title = "predicted"},
                              {.title = "cars", .kind = CellKind::count, .bar = true}}};
  const std::vector<SetTable> tables = confusion_tables(test.y, outcome, model.label_names);
  for (const SetTable& one : tables) {
    for (Index i = 0; i < one.counts.rows(); ++i) {
      for (Index j = 0; j < one.counts.cols(); ++j) {
        if (one.counts(i, j) > 0) {
          table.rows.push_back(
              {one.heading, one.rows[at(i)], one.columns[at(j)], one.counts(i, j)});
        }
      }
    }
  }
  page.tables["sets"] = std::move(table);
  return {.id = "sets",
          .title = "5. One label of each set?",
          .note = fmt::format(
              "Every car has exactly one of each: {}. dsml learns both together and never "
              "answers two brands or none.",
              names),
          .body = answered(figures, "mulberry cv dsml cars.arff --scale standardise") +
                  html_picture(tables_picture("", tables), "Confusion of the classes of each set",
                               "True classes down, predicted ones across.", "sets"),
          .entry = "Label sets"};
}

}  // namespace

Page demo_page(const Dataset& photos, const Dataset& cars, const Context& ctx) {
  Page page{.title = "Five questions about labels",
            .kind = "Mulberry",
            .lead = fmt::format(
                "{} made-up photos with {} possible labels, and {} made-up cars. Five questions, "
                "each answered by the method that was made for it.",
                thousands_text(photos.rows()), photos.labels(), thousands_text(cars.rows()))};
  std::vector<KeyFigure> headlines(5);
  page.sections.push_back(measure_question(page, photos, headlines[0], ctx));
  page.sections.push_back(relations_question(page, photos, headlines[1], ctx));
  page.sections.push_back(missing_question(page, photos, headlines[2], ctx));
  page.sections.push_back(strength_question(page, photos, headlines[3], ctx));
  page.sections.push_back(sets_question(page, cars, headlines[4], ctx));
  page.top = html_figures(headlines);
  return page;
}

}  // namespace mulberry::cli
