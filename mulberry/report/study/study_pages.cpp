#include "mulberry/report/study/study_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>

#include "mulberry/compare/signed_rank.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/statistics/summaries.hpp"
#include "mulberry/report/scores_pictures.hpp"
#include "mulberry/report/scores_report.hpp"
#include "mulberry/report/study/study_curves.hpp"
#include "mulberry/report/study/study_values.hpp"

namespace mulberry::report {

using compare::CellStatus;
using compare::ScoreCell;
using compare::Scores;
using compare::Verdicts;

namespace {

constexpr const char* k_summary_head =
    "| command | protocol | CPU time, half of that on two cores | published values |\n"
    "|---|---|--:|---|\n";

std::string arrow(const Scores& scores) { return scores.higher_is_better ? "↑" : "↓"; }

// Of a table whose first column is text: "| learner | a | b |" and the line below it.
std::string table_head(const std::string& first, std::span<const std::string> columns) {
  std::string out = "| " + first + " |", rule = "\n|---|";
  for (const std::string& column : columns) {
    out += " " + markdown_cell(column) + " |";
    rule += "--:|";
  }
  return out + rule + "\n";
}

std::string folded(const std::string& title, const std::string& body) {
  return "\n<details><summary>" + title + "</summary>\n\n" + body + "\n</details>\n";
}

// -1: not there
Index place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : found - names.begin();
}

// By learner of the scores; NaN: it has no rank.
std::vector<double> mean_ranks(const Scores& scores, const Verdicts& verdicts) {
  std::vector<double> out(scores.learners.size(), std::nan(""));
  for (std::size_t a = 0; a < verdicts.mean_rank.size(); ++a) {
    out[verdicts.part.learners[a]] = verdicts.mean_rank[a];
  }
  return out;
}

// Learners by a number, those without one last.
std::vector<std::size_t> order_by(const std::vector<double>& value) {
  std::vector<std::size_t> out(value.size());
  std::iota(out.begin(), out.end(), 0U);
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    if (std::isfinite(value[a]) != std::isfinite(value[b])) return std::isfinite(value[a]);
    return std::isfinite(value[a]) && value[a] < value[b];
  });
  return out;
}

double median(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  std::sort(values.begin(), values.end());
  return sorted_quantile(values, 0.5);
}

double training_seconds(const CellCost& cost) {
  return cost.fit_seconds.mean +
         (std::isfinite(cost.search_seconds.mean) ? cost.search_seconds.mean : 0.0);
}

// What a learner needs, over the sets on which it ended.
struct Needs {
  double seconds = 0;        // median of training
  double megabytes = 0;      // the largest
  Index over = 0, sets = 0;  // over the limit, of how many
};

std::vector<Needs> needs_of(const StudyResults& results) {
  std::vector<Needs> out(results.learners.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    std::vector<double> seconds;
    for (std::size_t s = 0; s < results.sets.size(); ++s) {
      const CellCost& cost = results.costs[s][k];
      seconds.push_back(training_seconds(cost));
      out[k].megabytes = std::max(out[k].megabytes, static_cast<double>(cost.peak_memory) / 1e6);
      for (const Scores& scores : results.scores) {
        const Index place = place_of(scores.learners, results.learners[k]);
        if (place < 0) continue;  // not measured so
        out[k].over += scores.sets[s].cells[at(place)].status == CellStatus::over_limit ? 1 : 0;
        break;
      }
      ++out[k].sets;
    }
    out[k].seconds = median(std::move(seconds));
  }
  return out;
}

// Learners that the test against the best (first by mean rank) does not set apart from it: their
// places in v.part, by mean rank.
std::vector<std::size_t> leaders(const Verdicts& v) {
  if (v.order.empty()) return {};
  const std::size_t best = v.order.front();
  std::vector<double> p;
  for (std::size_t place = 1; place < v.order.size(); ++place) {
    p.push_back(v.wilcoxon(static_cast<Index>(best), static_cast<Index>(v.order[place])));
  }
  const std::vector<double> corrected = compare::holm(p);
  std::vector<std::size_t> out = {best};
  for (std::size_t place = 1; place < v.order.size(); ++place) {
    if (!(corrected[place - 1] < v.options.alpha)) out.push_back(v.order[place]);
  }
  return out;
}

// Who leads by each measure, and the quickest of those that are not behind.
std::string at_a_glance(const StudyResults& results, std::span<const Verdicts> verdicts,
                        const std::vector<Needs>& needs) {
  std::string out =
      "\n## At a glance\n\nThe three best mean ranks of each measure, and the quickest learner "
      "that "
      "is not significantly worse than the first (Wilcoxon's signed-rank test against it, Holm's "
      "correction), with its median of CPU seconds per training.\n\n"
      "| measure | best mean ranks | not worse | the quickest of them |\n|---|---|--:|---|\n";
  for (std::size_t m = 0; m < results.scores.size(); ++m) {
    const Verdicts& v = verdicts[m];
    if (v.part.sets.empty()) continue;
    std::string best;
    for (std::size_t place = 0; place < std::min<std::size_t>(3, v.order.size()); ++place) {
      const std::size_t a = v.order[place];
      best += fmt::format("{}`{}` {:.1f}", place == 0 ? "" : ", ",
                          results.scores[m].learners[v.part.learners[a]], v.mean_rank[a]);
    }
    const std::vector<std::size_t> level = leaders(v);
    std::string quickest = "–";
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t a : level) {
      const std::string& name = results.scores[m].learners[v.part.learners[a]];
      const std::size_t k = at(place_of(results.learners, name));
      if (!(needs[k].seconds < least)) continue;
      least = needs[k].seconds;
      quickest = fmt::format("`{}`, {:.2g} s", name, least);
    }
    out += fmt::format("| {} {} | {} | {} of {} | {} |\n", results.scores[m].measure,
                       arrow(results.scores[m]), best, level.size(), v.order.size(), quickest);
  }
  return out;
}

// One row per learner: mean ranks by all measures, what it needs.
std::string overview(const StudyResults& results, std::span<const Verdicts> verdicts,
                     const std::vector<Needs>& needs) {
  std::vector<std::string> columns = {"all"};
  std::vector<std::vector<double>> ranks;
  for (std::size_t m = 0; m < results.scores.size(); ++m) {
    columns.push_back(results.scores[m].measure);
    const std::vector<double> found = mean_ranks(results.scores[m], verdicts[m]);
    std::vector<double>& rank = ranks.emplace_back(results.learners.size(), std::nan(""));
    for (std::size_t k = 0; k < found.size(); ++k) {
      rank[at(place_of(results.learners, results.scores[m].learners[k]))] = found[k];
    }
  }
  columns.insert(columns.end(), {"CPU s", "MB", "over the limit"});
  std::vector<double> all(results.learners.size(), 0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (const auto& rank : ranks) all[k] += rank[k] / static_cast<double>(ranks.size());
  }
  std::string out =
      "\n## Mean ranks, time and memory\n\nSorted by the mean over the measures; bold: the best of "
      "a column. CPU s is the median over the sets of a training, its search included; MB the "
      "largest "
      "peak of a process; the last column counts sets.\n\n" +
      table_head("learner", columns);
  std::vector<double> best(ranks.size(), std::numeric_limits<double>::infinity());
  for (std::size_t m = 0; m < ranks.size(); ++m) {
    for (const double r : ranks[m]) best[m] = r < best[m] ? r : best[m];
  }
  for (const std::size_t k : order_by(all)) {
    out += fmt::format("| `{}` | {} |", results.learners[k],
                       std::isfinite(all[k]) ? fmt::format("{:.1f}", all[k]) : "–");
    for (std::size_t m = 0; m < ranks.size(); ++m) {
      const double r = ranks[m][k];
      const char* mark = r == best[m] ? "**" : "";
      out += std::isfinite(r) ? fmt::format(" {}{:.1f}{} |", mark, r, mark) : " – |";
    }
    out += std::isfinite(needs[k].seconds) ? fmt::format(" {:.2g} |", needs[k].seconds) : " – |";
    out += fmt::format(
        " {} | {} |\n", needs[k].megabytes > 0 ? fmt::format("{:.0f}", needs[k].megabytes) : "–",
        needs[k].over > 0 ? fmt::format("{} of {}", needs[k].over, needs[k].sets) : std::string());
  }
  return out;
}

// What the bars of the pictures mean, and whether the test can tell so many learners apart at all.
std::string about_bars(const Verdicts& v) {
  std::string out =
      "Bars join learners of which no two differ significantly by the test over sets.";
  const auto sets = static_cast<double>(v.part.sets.size());
  const auto learners = static_cast<double>(v.part.learners.size());
  const double least = std::pow(2, 1 - sets), pairs = learners * (learners - 1) / 2;
  if (v.options.test == compare::PairTest::wilcoxon_holm && least * pairs > v.options.alpha) {
    out += fmt::format(
        " With {} set{} its smallest p-value is {:.2g}, and Holm's correction multiplies it by {} "
        "pairs: no two of so many learners can differ.",
        v.part.sets.size(), v.part.sets.size() == 1 ? "" : "s", least, pairs);
  }
  return out + "\n";
}

std::string values_on_sets(const Scores& scores, const Verdicts& verdicts) {
  std::vector<std::string> columns;
  for (const compare::SetScores& set : scores.sets) columns.push_back(set.name);
  std::string out = table_head("learner", columns);
  for (const std::size_t k : order_by(mean_ranks(scores, verdicts))) {
    out += "| `" + markdown_cell(scores.learners[k]) + "` |";
    for (const compare::SetScores& set : scores.sets) {
      const ScoreCell& cell = set.cells[k];
      const bool best = compare::is_best(set, scores.higher_is_better, k);
      const char* mark = best ? "**" : "";
      out += cell.status == CellStatus::over_limit ? std::string(" limit |")
             : cell.status == CellStatus::measured
                 ? fmt::format(" {}{:.4f}{} |", mark, mean(cell), mark)
                 : std::string(" – |");
    }
    out += "\n";
  }
  return out;
}

std::string costs_on_sets(const StudyResults& results) {
  std::string out = table_head("learner", results.sets);
  for (std::size_t k = 0; k < results.learners.size(); ++k) {
    out += "| `" + markdown_cell(results.learners[k]) + "` |";
    for (std::size_t s = 0; s < results.sets.size(); ++s) {
      const CellCost& cost = results.costs[s][k];
      const double fit = training_seconds(cost);
      const std::string memory =
          cost.peak_memory > 0
              ? fmt::format(", {:.0f}", static_cast<double>(cost.peak_memory) / 1e6)
              : std::string();
      out += std::isfinite(fit) ? fmt::format(" {:.3g} s{} |", fit, memory) : std::string(" – |");
    }
    out += "\n";
  }
  return out;
}

std::string unfinished(const StudyResults& results) {
  if (results.missing == 0) return "";
  return fmt::format("\n{} of {} cells are not finished yet.\n", results.missing, results.cells);
}

// Sets as rows and learners as columns; the other way round if that would be too wide to read.
std::string markdown_scores(const Scores& scores) {
  constexpr std::size_t k_most_columns = 8;
  const std::size_t sets = scores.sets.size(), learners = scores.learners.size();
  const bool turned = learners > k_most_columns && learners > sets;
  std::vector<std::string> columns;
  for (std::size_t c = 0; c < (turned ? sets : learners); ++c) {
    columns.push_back(turned ? scores.sets[c].name : "`" + scores.learners[c] + "`");
  }
  std::string out = table_head(turned ? "learner" : "set", columns);
  for (std::size_t r = 0; r < (turned ? learners : sets); ++r) {
    out +=
        "| " + markdown_cell(turned ? "`" + scores.learners[r] + "`" : scores.sets[r].name) + " |";
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const compare::SetScores& set = scores.sets[turned ? c : r];
      const std::size_t k = turned ? r : c;
      const bool best = learners > 1 && compare::is_best(set, scores.higher_is_better, k);
      const char* mark = best ? "**" : "";
      out += fmt::format(" {}{}{} |", mark, cell_text(set.cells[k]), mark);
    }
    out += "\n";
  }
  return out;
}

// Published values next to ours, and a sentence for each difference that has one.
std::string published_table(std::span<const PublishedLine> lines) {
  if (lines.empty()) return "";
  std::string out =
      "\n| measure | set | learner | published | ours | difference | |\n"
      "|---|---|---|--:|--:|--:|---|\n";
  std::vector<std::string> remarks;
  for (const PublishedLine& line : lines) {
    const PublishedValue& p = line.published;
    std::string mark;
    if (!line.reached && !line.remark.empty()) {
      const auto known = std::ranges::find(remarks, line.remark);
      mark = fmt::format("({})", known - remarks.begin() + 1);
      if (known == remarks.end()) remarks.push_back(line.remark);
    }
    out += fmt::format("| {} | {} | `{}` | {} | {} | {} | {} |\n", p.measure, markdown_cell(p.data),
                       markdown_cell(p.learner), published_value_text(p), our_value_text(line),
                       difference_text(line), mark);
  }
  for (std::size_t k = 0; k < remarks.size(); ++k) {
    out += fmt::format("\n({}) {}\n", k + 1, remarks[k]);
  }
  return out;
}

// A file name of letters, digits and dots.
std::string picture_name(const std::string& title, const std::string& measure,
                         const std::string& set) {
  std::string out = title + "-" + measure + "-" + set + ".svg";
  std::ranges::replace_if(
      out, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '.'; }, '_');
  return out;
}

// "14 agree, 13 better, 15 worse": how our values compare with the published ones.
std::string verdict_on(const StudyResults& results, std::span<const PublishedLine> lines) {
  Index agree = 0, better = 0, worse = 0, differ = 0, open = 0, other = 0, times = 0;
  for (const PublishedLine& line : lines) {
    const auto scores = std::ranges::find(results.scores, line.published.measure, &Scores::measure);
    if (!std::isfinite(line.ours)) {
      ++open;
    } else if (!line.comparable) {
      ++(line.published.measure == k_fit_seconds ? times : other);
    } else if (line.reached) {
      ++agree;
    } else if (scores == results.scores.end()) {  // a value of a table has no better or worse
      ++differ;
    } else {
      ++(scores->higher_is_better == (line.ours > line.published.value) ? better : worse);
    }
  }
  std::string out;
  for (const auto& [count, what] :
       {std::pair(agree, "agree"), std::pair(better, "better"), std::pair(worse, "worse"),
        std::pair(differ, "differ"), std::pair(other, "on other data"), std::pair(times, "times"),
        std::pair(open, "without a value")}) {
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, what);
  }
  return out.empty() ? "none" : out;
}

std::string summary_line(const StudyResults& results, std::span<const PublishedLine> lines,
                         const std::string& command) {
  return fmt::format("| `{}` | {} | {} | {} |\n", command, results.protocol,
                     duration_text(total_seconds(results)), verdict_on(results, lines));
}

}  // namespace

std::string results_page(const Study& study, const StudyResults& results,
                         std::span<const Verdicts> verdicts, const std::string& command,
                         std::span<const std::string> pictures) {
  std::string out = "# " + results.title + "\n\n" + (study.text.empty() ? "" : study.text + "\n\n");
  out += fmt::format(
      "Made by `{}`: {}; measures by the convention `{}`. All cells together took {} of CPU time.",
      command, results.protocol, results.convention, duration_text(total_seconds(results)));
  if (study.limits.any()) {
    out += fmt::format(
        " A learner that needs more than {:g} CPU seconds or {:g} GB for a split is over the limit "
        "and ranks behind all that are not.",
        study.limits.cpu_seconds, study.limits.memory_gb);
  }
  out += "\n" + unfinished(results);
  if (results.scores.empty()) return out;
  const std::vector<Needs> needs = needs_of(results);
  const bool ranked =
      std::ranges::any_of(verdicts, [](const Verdicts& v) { return !v.part.sets.empty(); });
  if (ranked) out += at_a_glance(results, verdicts, needs);
  out += overview(results, verdicts, needs);
  if (!pictures.empty()) {
    out += "\n" + about_bars(verdicts[0]) +
           "The table at the beginning compares with the best one only.\n";
  }
  for (std::size_t m = 0; m < pictures.size(); ++m) {
    out += fmt::format("\n![mean ranks by {}]({})\n", results.scores[m].measure, pictures[m]);
  }
  out +=
      "\n## On each set\n\nLearners in the order of their mean rank, the best value of each set in "
      "bold; \"limit\": over the limit; a dash: it cannot learn from this data.\n";
  for (std::size_t m = 0; m < results.scores.size(); ++m) {
    out += folded(results.scores[m].measure + " " + arrow(results.scores[m]),
                  values_on_sets(results.scores[m], verdicts[m]));
  }
  out += folded("CPU seconds to train on one split, and peak memory in MB", costs_on_sets(results));
  return out;
}

StudyPage published_page(const Study& study, const StudyResults& results,
                         std::span<const Verdicts> verdicts, const std::string& command) {
  StudyPage out;
  const auto lines = compare_published(study, results);
  out.text = "# " + results.title + "\n\n" + (study.text.empty() ? "" : study.text + "\n\n") +
             k_summary_head + summary_line(results, lines, command) + unfinished(results) +
             published_table(lines) + general_remarks(study);
  // What nobody published is shown as well.
  const std::string tables = result_lines(results);
  if (!tables.empty()) out.text += "\n```" + tables + "```\n";
  const auto draw = [&](const std::string& measure, const std::string& what, const std::string& of,
                        const std::string& svg) {
    const std::string file = picture_name(results.title, measure, of);
    out.pictures.push_back({file, svg});
    out.text += fmt::format("\n![{} {}]({})\n", measure, what, file);
  };
  for (const std::string& measure : measures_over_beta(study, results)) {
    for (std::size_t s = 0; s < results.sets.size(); ++s) {
      draw(measure, "on " + results.sets[s], results.sets[s],
           beta_picture(study, results, measure, s));
    }
  }
  for (const Scores& scores : results.scores) {
    const bool covered = std::ranges::any_of(
        lines, [&](const PublishedLine& line) { return line.published.measure == scores.measure; });
    if (covered && lines.size() >= scores.learners.size() * scores.sets.size()) continue;
    const std::string title = scores.measure + " " + arrow(scores);
    const auto curves = find_curves(scores.learners);
    if (!curves) {
      out.text += "\n" + title + ":\n\n" + markdown_scores(scores);
      continue;
    }
    for (std::size_t s = 0; s < results.sets.size(); ++s) {
      draw(scores.measure, "on " + results.sets[s], results.sets[s],
           curves_picture(on_axis(*curves, study.figure, results.labels[s]), scores, s));
    }
    out.text += folded(title + ", as numbers", markdown_scores(scores));
  }
  bool explained = false;
  for (std::size_t m = 0; m < results.scores.size(); ++m) {
    const Verdicts& v = verdicts[m];
    // Nothing to say about sets. Shares of hidden labels of one set are not several sets.
    if (study.data.size() < 3 || v.part.sets.size() < 3 || v.order.size() < 2) continue;
    if (find_curves(results.scores[m].learners)) continue;
    if (!explained) out.text += "\n## Mean ranks\n\n" + about_bars(v);
    explained = true;
    draw(results.scores[m].measure, "by mean rank", "ranks",
         critical_difference_picture(results.scores[m], v));
    out.text += "\n```\n" + tests_text(results.scores[m], v) + "```\n";
  }
  if (study.costs) {
    out.text +=
        "\n## Time and memory\n\nCPU seconds to train on one split, and peak memory in MB "
        "where it was measured.\n\n" +
        costs_on_sets(results);
  }
  for (const StudyFailure& failure : results.failures) {
    out.text += fmt::format("\n`{}` on {}: {}\n", failure.learner, failure.set, failure.reason);
  }
  return out;
}

std::string summary_of_page(const std::string& page) {
  const std::string head = k_summary_head;
  const auto found = page.find(head);
  if (found == std::string::npos) return "";
  const auto begin = found + head.size();
  return page.substr(begin, page.find('\n', begin) - begin);
}

}  // namespace mulberry::report
