#include "mulberry/report/study/study_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mulberry/core/json_text.hpp"
#include "mulberry/report/study/study_values.hpp"
#include "mulberry/study/cell_process.hpp"

namespace mulberry::report {
namespace {

using Json = nlohmann::ordered_json;
using compare::Scores;

std::string head(const StudyResults& results) {
  return fmt::format("{}: {} learner{}, {} set{}; {}; convention {}\n", results.title,
                     results.learners.size(), results.learners.size() == 1 ? "" : "s",
                     results.sets.size(), results.sets.size() == 1 ? "" : "s", results.protocol,
                     results.convention);
}

}  // namespace

Table plan_table(const Plan& plan, const CellStore& store, const RunOptions& options) {
  Table table({{"set", "set", false},
               {"learner", "learner", false},
               {"cells", "cells"},
               {"finished", "finished"}});
  const std::vector<std::size_t> chosen = chosen_cells(plan, options);
  const OverLimit over(plan, store);
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    for (std::size_t k = 0; k < plan.learners.size(); ++k) {
      Index cells = 0, finished = 0;
      for (const std::size_t c : chosen) {
        if (plan.cells[c].set != s || plan.cells[c].learner != k) continue;
        ++cells;
        finished += over.has(plan.cells[c]) || plan.find(store, plan.cells[c]) ? 1 : 0;
      }
      if (cells == 0) continue;
      table.add({plan.sets[s].set.name, plan.study.learners[k].name, TableCell::of(cells),
                 TableCell::of(finished)});
    }
  }
  return table;
}

std::string results_text(const StudyResults& results, std::span<const compare::Verdicts> verdicts,
                         bool colours) {
  std::string out = head(results);
  for (std::size_t m = 0; m < results.scores.size(); ++m) {
    out += "\n" + scores_text(results.scores[m], verdicts[m], colours);
  }
  out += result_lines(results);
  for (const study::StudyFailure& failure : results.failures) {
    out += fmt::format("\n{} on {}, {} split{}: {}\n", failure.learner, failure.set, failure.splits,
                       failure.splits == 1 ? "" : "s", failure.reason);
  }
  if (results.missing > 0) {
    out += fmt::format("\n{} of {} cells are not finished\n", results.missing, results.cells);
  }
  return out;
}

Table cost_table(const StudyResults& results) {
  Table table({{"set", "set", false},
               {"learner", "learner", false},
               {"fit per split", "fit_seconds"},
               {"predict", "predict_seconds"},
               {"search", "search_seconds"},
               {"peak memory", "peak_memory_bytes"}});
  const auto cell = [](double seconds) {
    TableCell out(seconds_text(seconds));
    out.is_number = true;
    out.number = seconds;
    return out;
  };
  for (std::size_t s = 0; s < results.sets.size(); ++s) {
    for (std::size_t k = 0; k < results.learners.size(); ++k) {
      const study::CellCost& cost = results.costs[s][k];
      TableCell memory(cost.peak_memory > 0
                           ? fmt::format("{:.0f} MB", static_cast<double>(cost.peak_memory) / 1e6)
                           : std::string("-"));
      memory.is_number = true;
      if (cost.peak_memory > 0) memory.number = static_cast<double>(cost.peak_memory);
      table.add({results.sets[s], results.learners[k], cell(cost.fit_seconds.mean),
                 cell(cost.predict_seconds.mean), cell(cost.search_seconds.mean),
                 std::move(memory)});
    }
  }
  return table;
}

std::string published_text(const Study& study, const StudyResults& results, bool colours) {
  const auto lines = compare_published(study, results);
  if (lines.empty()) return general_remarks(study);
  Table table({{"measure", "measure", false},
               {"set", "set", false},
               {"learner", "learner", false},
               {"published", "published"},
               {"ours", "ours"},
               {"difference", "difference"},
               {"", "", false}});
  std::vector<std::string> remarks;
  for (const study::PublishedLine& line : lines) {
    const PublishedValue& p = line.published;
    std::string mark;
    if (!line.reached && !line.remark.empty()) {
      const auto known = std::find(remarks.begin(), remarks.end(), line.remark);
      mark = fmt::format("[{}]", known - remarks.begin() + 1);
      if (known == remarks.end()) remarks.push_back(line.remark);
    }
    table.add({p.measure, p.data, p.learner, published_value_text(p), our_value_text(line),
               difference_text(line), mark});
  }
  std::string out = "\nPublished" +
                    (study.source.empty() ? std::string() : " (" + study.source + ")") +
                    " and ours\n\n" + table.text(colours);
  for (std::size_t k = 0; k < remarks.size(); ++k) {
    out += fmt::format("\n[{}] {}\n", k + 1, remarks[k]);
  }
  if (study.other_data) out += "\nThe published values are of other data.\n";
  return out;
}

std::string results_json(const Study& study, const StudyResults& results,
                         std::span<const compare::Verdicts> verdicts, const StudyFiles& files) {
  Json out = {{"title", results.title},
              {"protocol", results.protocol},
              {"convention", results.convention},
              {"cells", results.cells},
              {"missing", results.missing}};
  out.update(Json::parse(scores_json(results.scores, verdicts)));
  out["learners"] = results.learners;  // also if there is no value yet
  out["sets"] = results.sets;
  out["expressions"] = results.expressions;
  for (const Scores& scores : results.tables) {
    for (const compare::SetScores& set : scores.sets) {
      for (std::size_t k = 0; k < set.cells.size(); ++k) {
        out["tables"][scores.measure][set.name][scores.learners[k]] =
            number_or_null<Json>(mean(set.cells[k]));
      }
    }
  }
  Json failures = Json::array(), chosen = Json::array(), published = Json::array();
  for (const study::StudyFailure& f : results.failures) {
    failures.push_back(
        {{"set", f.set}, {"learner", f.learner}, {"splits", f.splits}, {"reason", f.reason}});
  }
  for (std::size_t s = 0; s < results.sets.size(); ++s) {
    for (std::size_t k = 0; k < results.learners.size(); ++k) {
      if (results.chosen[s][k].empty()) continue;
      chosen.push_back({{"set", results.sets[s]},
                        {"learner", results.learners[k]},
                        {"expressions", results.chosen[s][k]}});
    }
  }
  for (const study::PublishedLine& line : compare_published(study, results)) {
    const PublishedValue& p = line.published;
    published.push_back({{"measure", p.measure},
                         {"set", p.data},
                         {"learner", p.learner},
                         {"published", p.value},
                         {"ours", number_or_null<Json>(line.ours)},
                         {"reached", line.comparable ? Json(line.reached) : Json()},
                         {"remark", line.remark}});
  }
  out["failures"] = std::move(failures);
  if (!chosen.empty()) out["chosen"] = std::move(chosen);
  if (!published.empty()) out["published"] = std::move(published);
  if (files.costs) out["costs"] = Json::parse(cost_table(results).json());
  return json_text(out);
}

}  // namespace mulberry::report
