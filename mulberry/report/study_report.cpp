#include "mulberry/report/study_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "mulberry/core/json_text.hpp"

namespace mulberry::report {
namespace {

using Json = nlohmann::ordered_json;
using compare::CellStatus;
using compare::ScoreCell;
using compare::Scores;

std::string mean_text(double mean, double deviation) {
  if (!std::isfinite(mean)) return "-";
  return std::isfinite(deviation) ? fmt::format("{:.4f} ± {:.4f}", mean, deviation)
                                  : fmt::format("{:.4f}", mean);
}

std::string cell_text(const ScoreCell& cell) {
  if (cell.status == CellStatus::measured) return mean_text(mean(cell), deviation(cell));
  return cell.status == CellStatus::missing ? "-" : std::string(compare::name_of(cell.status));
}

// The learner with the best mean on a set; -1 if none has one.
Index best_of(const compare::SetScores& set, bool higher) {
  Index out = -1;
  for (std::size_t k = 0; k < set.cells.size(); ++k) {
    const double value = mean(set.cells[k]);
    if (!std::isfinite(value)) continue;
    const double best = out < 0 ? value : mean(set.cells[static_cast<std::size_t>(out)]);
    if (out < 0 || (higher ? value > best : value < best)) out = static_cast<Index>(k);
  }
  return out;
}

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  return seconds < 0.001 ? fmt::format("{:.1e} s", seconds) : fmt::format("{:.3g} s", seconds);
}

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

double total_seconds(const StudyResults& results) {
  double out = 0;
  for (const auto& learners : results.costs) {
    for (const study::CellCost& cost : learners) {
      for (const Estimate* e : {&cost.fit_seconds, &cost.predict_seconds, &cost.search_seconds}) {
        for (const double v : e->values) out += std::isfinite(v) ? v : 0;
      }
    }
  }
  return out;
}

std::string head(const StudyResults& results) {
  return fmt::format("{}: {} learner{}, {} set{}; {}; convention {}\n", results.title,
                     results.learners.size(), results.learners.size() == 1 ? "" : "s",
                     results.sets.size(), results.sets.size() == 1 ? "" : "s", results.protocol,
                     results.convention);
}

// One line per set, learner and table: its values with the largest size, each with its place.
std::string result_lines(const StudyResults& results) {
  constexpr std::size_t k_shown = 25;
  std::vector<std::string> ids;
  for (const Scores& scores : results.tables) {
    const std::string id = scores.measure.substr(0, scores.measure.find('['));
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  std::string out;
  for (const std::string& id : ids) {
    for (std::size_t s = 0; s < results.sets.size(); ++s) {
      for (std::size_t k = 0; k < results.learners.size(); ++k) {
        std::vector<std::pair<double, std::string>> values;
        for (const Scores& scores : results.tables) {
          if (!scores.measure.starts_with(id + "[")) continue;
          const double value = mean(scores.sets[s].cells[k]);
          const std::string place =
              scores.measure.substr(id.size() + 1, scores.measure.size() - id.size() - 2);
          const auto comma = place.find(", ");
          const bool diagonal =
              comma != std::string::npos && place.substr(0, comma) == place.substr(comma + 2);
          if (std::isfinite(value) && !diagonal) values.emplace_back(value, place);
        }
        if (values.empty()) continue;
        std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
          return std::abs(a.first) > std::abs(b.first);
        });
        out += fmt::format("\n{} of {} on {}, largest first:\n", id, results.learners[k],
                           results.sets[s]);
        for (std::size_t v = 0; v < std::min(values.size(), k_shown); ++v) {
          out += fmt::format("  {:8.4f}  {}\n", values[v].first, values[v].second);
        }
      }
    }
  }
  return out;
}

std::string difference_text(const study::PublishedLine& line) {
  return std::isfinite(line.ours) ? fmt::format("{:+.4f}", line.ours - line.published.value) : "-";
}

}  // namespace

Table plan_table(const Plan& plan, const CellStore& store, const RunOptions& options) {
  Table table({{"set", "set", false},
               {"learner", "learner", false},
               {"cells", "cells"},
               {"finished", "finished"}});
  const std::vector<std::size_t> chosen = chosen_cells(plan, options);
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    for (std::size_t k = 0; k < plan.learners.size(); ++k) {
      Index cells = 0, finished = 0;
      for (const std::size_t c : chosen) {
        if (plan.cells[c].set != s || plan.cells[c].learner != k) continue;
        ++cells;
        finished += plan.find(store, plan.cells[c]) ? 1 : 0;
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
  if (lines.empty()) return "";
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
    table.add({p.measure, p.data, p.learner,
               mean_text(p.value, p.deviation > 0 ? p.deviation : std::nan("")),
               mean_text(line.ours, line.deviation), difference_text(line), mark});
  }
  std::string out = "\nPublished" +
                    (study.source.empty() ? std::string() : " (" + study.source + ")") +
                    " and ours\n\n" + table.text(colours);
  for (std::size_t k = 0; k < remarks.size(); ++k) {
    out += fmt::format("\n[{}] {}\n", k + 1, remarks[k]);
  }
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
                         {"reached", line.reached},
                         {"remark", line.remark}});
  }
  out["failures"] = std::move(failures);
  if (!chosen.empty()) out["chosen"] = std::move(chosen);
  if (!published.empty()) out["published"] = std::move(published);
  if (files.costs) out["costs"] = Json::parse(cost_table(results).json());
  return json_text(out);
}

std::string results_page(const Study& study, const StudyResults& results,
                         std::span<const compare::Verdicts> verdicts, const std::string& command) {
  std::string out = "# " + results.title + "\n\n" + (study.text.empty() ? "" : study.text + "\n\n");
  out += fmt::format(
      "Made by `{}`: {}; measures by the convention `{}`. All cells together took {} of CPU time. "
      "The best value of each column is bold; learners are in the order of their mean rank. "
      "\"limit\" "
      "means that the learner needed more than {:g} CPU seconds or {:g} GB for a split, a dash "
      "that "
      "it cannot learn from this data.\n",
      command, results.protocol, results.convention, duration_text(total_seconds(results)),
      study.limits.cpu_seconds, study.limits.memory_gb);
  for (std::size_t m = 0; m < results.scores.size(); ++m) {
    const Scores& scores = results.scores[m];
    out += fmt::format("\n## {} {}\n\n| learner | mean rank |", scores.measure,
                       scores.higher_is_better ? "↑" : "↓");
    std::string rule = "\n|---|--:|";
    for (const compare::SetScores& set : scores.sets) {
      out += " " + set.name + " |";
      rule += "--:|";
    }
    out += rule + "\n";
    std::vector<double> rank(scores.learners.size(), std::nan(""));
    const compare::Verdicts& v = verdicts[m];
    for (std::size_t a = 0; a < v.mean_rank.size(); ++a) {
      rank[v.part.learners[a]] = v.mean_rank[a];
    }
    std::vector<std::size_t> order(rank.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (std::isfinite(rank[a]) != std::isfinite(rank[b])) return std::isfinite(rank[a]);
      return std::isfinite(rank[a]) && rank[a] < rank[b];
    });
    for (const std::size_t k : order) {
      out += fmt::format("| `{}` | {} |", scores.learners[k],
                         std::isfinite(rank[k]) ? fmt::format("{:.2f}", rank[k]) : "-");
      for (const compare::SetScores& set : scores.sets) {
        const ScoreCell& cell = set.cells[k];
        const bool best = best_of(set, scores.higher_is_better) == static_cast<Index>(k);
        std::string text = cell.status == CellStatus::over_limit ? "limit"
                           : cell.status == CellStatus::measured ? fmt::format("{:.4f}", mean(cell))
                                                                 : "–";
        out += best ? " **" + text + "** |" : " " + text + " |";
      }
      out += "\n";
    }
  }
  out +=
      "\n## Time and memory\n\nCPU seconds to train on one split, and peak memory of its process "
      "in MB.\n\n| learner |";
  std::string rule = "\n|---|";
  for (const std::string& set : results.sets) {
    out += " " + set + " |";
    rule += "--:|";
  }
  out += rule + "\n";
  for (std::size_t k = 0; k < results.learners.size(); ++k) {
    out += "| `" + results.learners[k] + "` |";
    for (std::size_t s = 0; s < results.sets.size(); ++s) {
      const study::CellCost& cost = results.costs[s][k];
      const double fit = cost.fit_seconds.mean +
                         (std::isfinite(cost.search_seconds.mean) ? cost.search_seconds.mean : 0.0);
      out += std::isfinite(fit) ? fmt::format(" {:.3g} s, {:.0f} |", fit,
                                              static_cast<double>(cost.peak_memory) / 1e6)
                                : std::string(" – |");
    }
    out += "\n";
  }
  if (results.missing > 0) {
    out += fmt::format("\n{} of {} cells are not finished yet.\n", results.missing, results.cells);
  }
  return out;
}

namespace {

// Sets as rows and learners as columns; the other way round if that would be too wide to read.
std::string markdown_scores(const Scores& scores) {
  constexpr std::size_t k_most_columns = 8;
  const std::size_t sets = scores.sets.size(), learners = scores.learners.size();
  const bool turned = learners > k_most_columns && learners > sets;
  std::string out = turned ? "| learner |" : "| set |", rule = "\n|---|";
  const std::size_t columns = turned ? sets : learners;
  for (std::size_t c = 0; c < columns; ++c) {
    out += turned ? " " + scores.sets[c].name + " |" : " `" + scores.learners[c] + "` |";
    rule += "--:|";
  }
  out += rule + "\n";
  for (std::size_t r = 0; r < (turned ? learners : sets); ++r) {
    out += turned ? "| `" + scores.learners[r] + "` |" : "| " + scores.sets[r].name + " |";
    for (std::size_t c = 0; c < columns; ++c) {
      const compare::SetScores& set = scores.sets[turned ? c : r];
      const std::size_t k = turned ? r : c;
      const bool best =
          learners > 1 && best_of(set, scores.higher_is_better) == static_cast<Index>(k);
      const char* mark = best ? "**" : "";
      out += fmt::format(" {}{}{} |", mark, cell_text(set.cells[k]), mark);
    }
    out += "\n";
  }
  return out;
}

}  // namespace

std::string published_page(const Study& study, const StudyResults& results,
                           const std::string& command) {
  std::string out = "## " + results.title + "\n\n" +
                    (study.text.empty() ? "" : study.text + "\n\n") +
                    fmt::format("`{}`: {}; {} of CPU time, half of that on two cores.\n", command,
                                results.protocol, duration_text(total_seconds(results)));
  if (results.missing > 0) {
    out += fmt::format("\n{} of {} cells are not finished yet.\n", results.missing, results.cells);
  }
  const auto lines = compare_published(study, results);
  std::vector<std::string> remarks;
  if (!lines.empty()) {
    out +=
        "\n| measure | set | learner | published | ours | difference | |\n"
        "|---|---|---|--:|--:|--:|---|\n";
  }
  for (const study::PublishedLine& line : lines) {
    const PublishedValue& p = line.published;
    std::string mark;
    if (!line.reached && !line.remark.empty()) {
      const auto known = std::find(remarks.begin(), remarks.end(), line.remark);
      mark = fmt::format("({})", known - remarks.begin() + 1);
      if (known == remarks.end()) remarks.push_back(line.remark);
    }
    out += fmt::format("| {} | {} | `{}` | {} | {} | {} | {} |\n", p.measure, p.data, p.learner,
                       mean_text(p.value, p.deviation > 0 ? p.deviation : std::nan("")),
                       mean_text(line.ours, line.deviation), difference_text(line), mark);
  }
  for (std::size_t k = 0; k < remarks.size(); ++k) {
    out += fmt::format("\n({}) {}\n", k + 1, remarks[k]);
  }
  // What nobody published is shown as well.
  const std::string tables = result_lines(results);
  if (!tables.empty()) out += "\n```" + tables + "```\n";
  for (const Scores& scores : results.scores) {
    const bool covered = std::any_of(lines.begin(), lines.end(), [&](const auto& line) {
      return line.published.measure == scores.measure;
    });
    if (covered && lines.size() >= scores.learners.size() * scores.sets.size()) continue;
    out += fmt::format("\n{} {}:\n\n", scores.measure, scores.higher_is_better ? "↑" : "↓") +
           markdown_scores(scores);
  }
  for (const study::StudyFailure& failure : results.failures) {
    out += fmt::format("\n`{}` on {}: {}\n", failure.learner, failure.set, failure.reason);
  }
  return out;
}

}  // namespace mulberry::report
