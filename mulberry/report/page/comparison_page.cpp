#include "mulberry/report/page/comparison_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/text.hpp"
#include "mulberry/report/comparison_report.hpp"
#include "mulberry/report/draw/chart.hpp"
#include "mulberry/report/scores_pictures.hpp"
#include "mulberry/report/sweep_report.hpp"
#include "mulberry/report/tune_report.hpp"

namespace mulberry::report {
namespace {

constexpr double k_alpha = 0.05;

std::string arrow(bool higher) { return higher ? " ↑" : " ↓"; }

std::string name_or(const std::string& name, const char* otherwise) {
  return name.empty() ? std::string(otherwise) : name;
}

// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  if (names.size() < 2) return join(names, "");
  return join({names.data(), names.size() - 1}, ", ") + " and " + names.back();
}

// Who is best by a measure, and who is certainly worse.
Remark verdict_of(const Comparison& c, std::size_t m) {
  const Index best = c.best(m);
  if (best < 0) return {"look", c.measures[m] + ": no learner has a value."};
  const std::vector<double> p = c.p_against_best(m);
  std::vector<std::string> worse, open;
  for (std::size_t k = 0; k < c.learners.size(); ++k) {
    if (static_cast<Index>(k) == best || !std::isfinite(c.learners[k].estimates[m].mean)) continue;
    (p[k] < k_alpha ? worse : open).push_back(c.learners[k].name);
  }
  const LearnerResult& winner = c.learners[at(best)];
  std::string words = fmt::format("{}: {} is best, {}.", c.measures[m], winner.name,
                                  estimate_text(winner.estimates[m]));
  if (!worse.empty()) words += fmt::format(" Worse beyond chance: {}.", listed(worse));
  if (!open.empty()) words += fmt::format(" Not to be told apart from it: {}.", listed(open));
  return {worse.empty() ? "" : "good", words};
}

PageTable means_table(const Comparison& c) {
  PageTable out{.columns = {{.title = "learner"}}, .search = "Search learners"};
  std::vector<std::vector<double>> p;
  for (std::size_t m = 0; m < c.measures.size(); ++m) {
    out.columns.push_back({.title = c.measures[m] + arrow(c.higher_is_better[m]),
                           .kind = CellKind::number,
                           .digits = 4});
    p.push_back(c.p_against_best(m));
  }
  for (std::size_t k = 0; k < c.learners.size(); ++k) {
    std::vector<PageCell>& row = out.rows.emplace_back();
    row.emplace_back(c.learners[k].name);
    for (std::size_t m = 0; m < c.measures.size(); ++m) {
      PageCell& cell = row.emplace_back(c.learners[k].estimates[m].mean);
      cell.best = c.learners.size() > 1 && c.is_best(m, k);
      if (p[m][k] < k_alpha) cell.mark = "•";
    }
  }
  return out;
}

PageTable splits_table(const Comparison& c) {
  std::size_t splits = 0;
  for (const LearnerResult& learner : c.learners) {
    for (const Estimate& e : learner.estimates) splits = std::max(splits, e.values.size());
  }
  PageTable out{.columns = {{.title = "learner"}, {.title = "measure"}},
                .search = "Search learners and measures"};
  for (std::size_t s = 0; s < splits; ++s) {
    out.columns.push_back(
        {.title = fmt::format("split {}", s + 1), .kind = CellKind::number, .digits = 4});
  }
  for (const LearnerResult& learner : c.learners) {
    for (std::size_t m = 0; m < c.measures.size(); ++m) {
      std::vector<PageCell>& row = out.rows.emplace_back();
      row = {learner.name, c.measures[m]};
      const std::vector<double>& values = learner.estimates[m].values;
      for (std::size_t s = 0; s < splits; ++s)
        row.emplace_back(s < values.size() ? values[s] : std::nan(""));
    }
  }
  return out;
}

PageTable costs_table(const Comparison& c) {
  PageTable out{
      .columns = {
          {.title = "learner"},
          {.title = "fit, seconds per split", .kind = CellKind::number, .digits = 4, .bar = true},
          {.title = "predict, seconds", .kind = CellKind::number, .digits = 4},
          {.title = "peak memory, MB", .kind = CellKind::count},
          {.title = "splits not converged", .kind = CellKind::count}}};
  for (const LearnerResult& learner : c.learners) {
    out.rows.push_back({learner.name, learner.fit_seconds.mean, learner.predict_seconds.mean,
                        std::round(static_cast<double>(learner.peak_memory) / 1e6),
                        learner.unconverged});
  }
  return out;
}

PageTable expressions_table(const Comparison& c) {
  PageTable out{.columns = {{.title = "learner"}, {.title = "with all parameters"}}};
  for (const LearnerResult& learner : c.learners)
    out.rows.push_back({learner.name, learner.spec.text()});
  return out;
}

std::string comparison_lead(const Comparison& c) {
  return fmt::format("{} rows, {} labels; {}; convention {}.", thousands_text(c.rows),
                     thousands_text(c.labels), c.splits, c.convention);
}

std::string whisker_words(const Comparison& c) {
  return c.level > 0 ? fmt::format("line: {:.4g} % interval over the test rows", 100 * c.level)
                     : std::string("line: one deviation over splits to each side");
}

void add_comparison(Page& page, const Comparison& c) {
  if (c.learners.size() > 1) {
    std::vector<Remark> verdicts;
    for (std::size_t m = 0; m < c.measures.size(); ++m) verdicts.push_back(verdict_of(c, m));
    page.sections.push_back(
        {.id = "verdicts",
         .title = "In words",
         .note = "Corrected resampled t-test against the best, with Holm's correction over the "
                 "learners, at level 0.05.",
         .body = html_remarks(verdicts)});
  }
  page.tables["means"] = means_table(c);
  page.tables["all"] = page_table(comparison_rows(c));
  page.tables["all"].search = "Search";
  page.sections.push_back(
      {.id = "measures",
       .title = "Measures",
       .body = html_picture(comparison_picture(c), "A panel per measure, a dot per learner",
                            "Dot: mean over splits; " + whisker_words(c) +
                                ". The best mean of each measure stands out.") +
               html_table("means") +
               html_paragraph("Bold: best mean. •: worse than the best beyond chance.") +
               "<details><summary>Deviations, intervals and p-values</summary>\n" +
               html_table("all") + "</details>\n"});
  page.tables["splits"] = splits_table(c);
  page.sections.push_back({.id = "splits",
                           .title = "Splits",
                           .note = "Every learner saw the same splits.",
                           .body = html_table("splits")});
  page.tables["costs"] = costs_table(c);
  page.sections.push_back({.id = "costs",
                           .title = "Time and memory",
                           .note = fmt::format("Measured in {} time.", c.clock),
                           .body = html_table("costs")});
  page.tables["expressions"] = expressions_table(c);
  page.sections.push_back(
      {.id = "learners", .title = "Learners", .body = html_table("expressions")});
}

// One measure over data sets.
std::vector<Remark> rank_remarks(const Scores& scores, const Verdicts& v) {
  std::vector<Remark> out;
  if (v.order.size() < 2 || v.part.sets.empty()) return out;
  const auto name = [&](std::size_t place) { return scores.learners[v.part.learners[place]]; };
  std::vector<std::string> worse, open;
  for (std::size_t k = 1; k < v.order.size(); ++k) {
    (v.differ(v.order[0], v.order[k]) ? worse : open).push_back(name(v.order[k]));
  }
  std::string words =
      fmt::format("{} has the best mean rank, {:.2f}.", name(v.order[0]), v.mean_rank[v.order[0]]);
  if (!worse.empty()) words += fmt::format(" It differs from {}.", listed(worse));
  if (!open.empty()) words += fmt::format(" The tests do not tell it apart from {}.", listed(open));
  out.push_back({worse.empty() ? "" : "good", words});
  if (v.part.sets.size() > 1 && std::isfinite(v.friedman.chi_square)) {
    out.push_back(
        {"", fmt::format("Friedman over {} learners and {} data sets: chi-square {:.2f}, {}.",
                         v.order.size(), v.part.sets.size(), v.friedman.chi_square,
                         p_text(v.friedman.chi_square_p))});
  }
  if (v.part.sets.size() < 6) {
    out.push_back({"look", fmt::format("{} data set{}: tests over so few rarely find a difference.",
                                       v.part.sets.size(), v.part.sets.size() == 1 ? "" : "s")});
  }
  return out;
}

void add_scores(Page& page, std::span<const Scores> scores, std::span<const Verdicts> verdicts) {
  for (std::size_t m = 0; m < scores.size(); ++m) {
    const Scores& one = scores[m];
    const std::string id = fmt::format("measure-{}", m + 1),
                      title = one.measure + arrow(one.higher_is_better);
    page.tables[id] = page_table(scores_table(one, verdicts[m]));
    std::string key;
    if (one.learners.size() <= 6) key = short_names(one.learners).key;
    PageSection section{.id = id, .title = title};
    section.body = html_remarks(rank_remarks(one, verdicts[m]));
    if (verdicts[m].order.size() > 1 && !verdicts[m].part.sets.empty()) {
      section.body +=
          html_picture(critical_difference_picture(one, verdicts[m]),
                       "Learners on an axis of mean ranks by " + one.measure,
                       "Mean ranks, 1 is best. Bars join learners of which no two differ.");
    }
    section.body += html_table(id);
    if (!key.empty()) section.body += html_command(trim(key));
    section.body +=
        "<details><summary>Values over splits</summary>\n" +
        html_picture(boxes_picture(one, verdicts[m]),
                     "A panel per data set with the values of each learner over the splits") +
        "</details>\n";
    if (verdicts[m].order.size() > 1 && verdicts[m].part.sets.size() > 1) {
      section.body += "<details><summary>Wins, ties and losses</summary>\n" +
                      html_picture(win_tie_loss_picture(one, verdicts[m]),
                                   "Row against column: data sets won, tied and lost") +
                      "</details>\n";
    }
    page.sections.push_back(std::move(section));
  }
  page.tables["rows"] = page_table(scores_rows(scores, verdicts));
  page.tables["rows"].search = "Search";
  page.sections.push_back({.id = "rows", .title = "All values", .body = html_table("rows")});
}

// The number at a dotted name of a spec; NaN if it is no number.
double number_at(const Spec& spec, const std::string& name) {
  const auto dot = name.find('.');
  const SpecValue* value = spec.find(name.substr(0, dot));
  if (value == nullptr) return std::nan("");
  if (dot != std::string::npos) return number_at(as_spec(*value), name.substr(dot + 1));
  return parse_number(value_text(*value)).value_or(std::nan(""));
}

// A chart of dots per searched number, and the best so far.
std::string trial_charts(const TuneResult& result) {
  std::string out;
  const std::string measured = result.measure + arrow(result.higher_is_better);
  LineChart progress{.x_title = "trial", .y_title = measured, .dots = false};
  Series best{.name = "best so far"};  // a staircase: between trials nothing improves
  for (std::size_t t = 0; t < result.trials.size(); ++t) {
    const double value = result.trials[t].estimate.mean;
    if (result.trials[t].share < 1 || !std::isfinite(value)) continue;
    const double before = best.y.empty() ? value : best.y.back();
    const double now = result.higher_is_better ? std::max(before, value) : std::min(before, value);
    if (now != before) {
      best.x.push_back(static_cast<double>(t + 1));
      best.y.push_back(before);
    }
    best.x.push_back(static_cast<double>(t + 1));
    best.y.push_back(now);
  }
  if (best.x.size() > 1) {
    progress.series = {std::move(best)};
    out += html_heading("Best so far") +
           html_picture(line_chart(progress), "The best value after each trial");
  }
  for (const std::string& name : result.searched) {
    LineChart chart{.x_title = name, .y_title = measured, .lines = false};
    Series dots{.name = name};
    for (const Trial& trial : result.trials) {
      // The learner as given leaves parameters at their defaults.
      const double x =
          number_at(trial.failure.empty() ? CompleteSpec(trial.spec).spec() : trial.spec, name);
      if (trial.share < 1 || !std::isfinite(x) || !std::isfinite(trial.estimate.mean)) continue;
      dots.x.push_back(x);
      dots.y.push_back(trial.estimate.mean);
    }
    const auto [least, most] = std::ranges::minmax_element(dots.x);
    if (dots.x.size() < 3 || *least == *most) continue;
    chart.series.push_back(std::move(dots));
    out += html_heading(name) +
           html_picture(line_chart(chart),
                        fmt::format("{} of each trial by {}", result.measure, name));
  }
  return out;
}

}  // namespace

Page comparison_page(const Comparison& c) {
  Page page{.title = name_or(c.data, "Comparison"),
            .kind = "Comparison of learners",
            .lead = comparison_lead(c)};
  add_comparison(page, c);
  return page;
}

Page sweep_page(const Sweep& sweep) {
  const Comparison& c = sweep.comparison;
  Page page{.title = fmt::format("{} over {}", name_or(c.data, "data"), sweep.parameter),
            .kind = "Effect of a parameter",
            .lead = comparison_lead(c)};
  for (std::size_t m = 0; m < c.measures.size(); ++m) {
    const std::string id = fmt::format("measure-{}", m + 1);
    const bool whole = std::ranges::all_of(
        sweep.values, [](double v) { return v == std::round(v) && std::abs(v) < 1e9; });
    PageTable table{.columns = {{.title = sweep.parameter,
                                 .kind = whole ? CellKind::count : CellKind::number,
                                 .digits = 4}}};
    for (const SweepCurve& curve : sweep.curves) {
      table.columns.push_back({.title = curve.name, .kind = CellKind::number, .digits = 4});
      table.columns.push_back({.title = "±", .kind = CellKind::number, .digits = 4});
    }
    for (std::size_t v = 0; v < sweep.values.size(); ++v) {
      std::vector<PageCell>& row = table.rows.emplace_back();
      row.emplace_back(sweep.values[v]);
      for (std::size_t k = 0; k < sweep.curves.size(); ++k) {
        const Estimate& e = sweep.at(k, v, m);
        row.emplace_back(e.mean).best = sweep.curves.size() > 1 && sweep.is_best(v, m, k);
        row.emplace_back(e.deviation);
      }
    }
    page.tables[id] = std::move(table);
    page.sections.push_back(
        {.id = id,
         .title = c.measures[m] + arrow(c.higher_is_better[m]),
         .body = html_picture(sweep_picture(sweep, m),
                              fmt::format("{} over {}", c.measures[m], sweep.parameter),
                              "Band: one deviation over splits to each side.") +
                 html_table(id)});
  }
  return page;
}

Page tune_page(const TuneResult& result, const std::string& learner, const std::string& data) {
  const Trial& winner = result.trials[result.best];
  Page page{.title = fmt::format("{} on {}", learner, data),
            .kind = "Search of parameters",
            .lead = fmt::format("{} trials; {}; convention {}.", result.trials.size(),
                                result.splits, result.convention)};
  std::vector<KeyFigure> figures = {
      {result.measure + arrow(result.higher_is_better) + ", best trial",
       fixed_text(winner.estimate.mean, 4), "the best of many: too optimistic"}};
  if (result.outer) {
    const Estimate& e = *result.outer;
    figures.push_back({"on outer folds", fixed_text(e.mean, 4),
                       std::isfinite(e.low) ? fmt::format("{:.4f} to {:.4f}", e.low, e.high)
                                            : fmt::format("± {:.4f}", e.deviation)});
  }
  figures.push_back({"trials", std::to_string(result.trials.size())});
  page.top = html_figures(figures);
  std::vector<Remark> remarks;
  if (!result.outer) {
    remarks.push_back({"look",
                       "The best of many trials looks better than it is: outer folds, which "
                       "the search never sees, give an honest figure."});
  }
  for (const Spec& spec : result.outer_winners)
    remarks.push_back({"", "Chosen in an outer fold: " + spec.text()});
  page.sections.push_back({.id = "best",
                           .title = "Best parameters",
                           .body = html_command(winner.spec.text()) +
                                   (remarks.empty() ? std::string() : html_remarks(remarks))});
  page.tables["trials"] = page_table(tune_table(result));
  page.tables["trials"].search = "Search trials";
  PageSection trials{.id = "trials", .title = "What was tried", .body = html_table("trials")};
  std::vector<Remark> failures;
  for (const Trial& trial : result.trials) {
    if (!trial.failure.empty())
      failures.push_back({"bad", trial.spec.text() + ": " + trial.failure});
  }
  if (!failures.empty()) trials.body += html_remarks(failures);
  page.sections.push_back(std::move(trials));
  const std::string charts = trial_charts(result);
  if (!charts.empty()) {
    page.sections.push_back({.id = "effects",
                             .title = "Course and effects",
                             .note = "The best trial so far, and the effect of each parameter: a "
                                     "dot per trial on all rows; other parameters vary with it.",
                             .body = charts});
  }
  return page;
}

Page sets_page(std::span<const Scores> scores, std::span<const Verdicts> verdicts,
               const std::string& what) {
  Page page{.title = "Comparison over data sets", .kind = "Comparison of learners", .lead = what};
  add_scores(page, scores, verdicts);
  return page;
}

Page study_page(const Study& study, const StudyResults& results, std::span<const Verdicts> verdicts,
                const std::string& command) {
  Page page{.title = results.title,
            .kind = "Study",
            .lead = fmt::format("{} learner{}, {} data set{}; {}; convention {}.",
                                results.learners.size(), results.learners.size() == 1 ? "" : "s",
                                results.sets.size(), results.sets.size() == 1 ? "" : "s",
                                results.protocol, results.convention)};
  PageSection about{.id = "about", .title = "The study"};
  if (!study.text.empty()) about.body += html_paragraph(study.text);
  about.body += html_command(command);
  std::vector<Remark> remarks;
  if (results.missing > 0) {
    remarks.push_back(
        {"look", fmt::format("{} of {} cells are not finished.", results.missing, results.cells)});
  }
  for (const StudyFailure& failure : results.failures) {
    remarks.push_back(
        {"bad", fmt::format("{} on {}, {} split{}: {}", failure.learner, failure.set,
                            failure.splits, failure.splits == 1 ? "" : "s", failure.reason)});
  }
  if (!remarks.empty()) about.body += html_remarks(remarks);
  page.tables["learners"] = {.columns = {{.title = "learner"}, {.title = "expression"}}};
  for (std::size_t k = 0; k < results.learners.size(); ++k) {
    page.tables["learners"].rows.push_back({results.learners[k], results.expressions[k]});
  }
  page.tables["sets"] = {.columns = {{.title = "data set"},
                                     {.title = "rows", .kind = CellKind::count},
                                     {.title = "labels", .kind = CellKind::count}}};
  for (std::size_t s = 0; s < results.sets.size(); ++s) {
    page.tables["sets"].rows.push_back({results.sets[s], results.rows[s], results.labels[s]});
  }
  about.body += html_table("learners") + html_table("sets");
  page.sections.push_back(std::move(about));
  add_scores(page, results.scores, verdicts);
  const std::vector<PublishedLine> published = compare_published(study, results);
  if (!published.empty()) {
    PageTable table{.columns = {{.title = "measure"},
                                {.title = "data set"},
                                {.title = "learner"},
                                {.title = "published", .kind = CellKind::number, .digits = 4},
                                {.title = "ours", .kind = CellKind::number, .digits = 4},
                                {.title = "difference", .kind = CellKind::number, .digits = 4},
                                {.title = "remark"}},
                    .search = "Search"};
    for (const PublishedLine& line : published) {
      const PublishedValue& p = line.published;
      table.rows.push_back({p.measure, p.data, p.learner, p.value, line.ours, line.ours - p.value,
                            line.reached      ? std::string("reached")
                            : line.comparable ? line.remark
                                              : "other data or machine. " + line.remark});
    }
    page.tables["published"] = std::move(table);
    page.sections.push_back({.id = "published",
                             .title = "Published and ours",
                             .note = study.source,
                             .body = html_table("published")});
  }
  page.tables["costs"] = page_table(cost_table(results));
  page.sections.push_back({.id = "costs",
                           .title = "Time and memory",
                           .note = "Seconds of CPU time; memory in bytes.",
                           .body = html_table("costs")});
  return page;
}

}  // namespace mulberry::report
