#include "mulberry/report/scores_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/report/comparison_report.hpp"

namespace mulberry::report {
namespace {

constexpr std::size_t k_most_columns = 6;  // learners; more are rows
constexpr const char* k_worse = "•";

std::string arrow(const Scores& scores) { return scores.higher_is_better ? " ↑" : " ↓"; }

// A learner on a set. NaN for what does not exist.
TableCell score_cell(const Scores& scores, const SetScores& set, const SetVerdicts& verdicts,
                     std::size_t learner, double alpha, bool deviations) {
  const ScoreCell& cell = set.cells[learner];
  if (cell.status == CellStatus::over_limit || cell.status == CellStatus::failed) {
    return TableCell(std::string(name_of(cell.status)));
  }
  const double nan = std::nan("");
  TableCell out(estimate_text({.mean = mean(cell),
                               .deviation = deviations ? deviation(cell) : nan,
                               .low = nan,
                               .high = nan}));
  out.best = set.cells.size() > 1 && is_best(set, scores.higher_is_better, learner);
  if (verdicts.p[learner] < alpha) out.mark = k_worse;
  return out;
}

TableCell rank_cell(const Verdicts& v, std::size_t learner) {
  const auto found = std::ranges::find(v.part.learners, learner);
  if (found == v.part.learners.end() || v.part.sets.empty()) return TableCell("-");
  const auto place = at(found - v.part.learners.begin());
  TableCell out(fmt::format("{:.2f}", v.mean_rank[place]));
  out.best = v.order.size() > 1 && v.mean_rank[place] == v.mean_rank[v.order[0]];
  if (v.differ(v.order[0], place)) out.mark = k_worse;
  return out;
}

// Learners by mean rank, then those without one.
std::vector<std::size_t> by_rank(const Scores& scores, const Verdicts& v) {
  std::vector<std::size_t> out;
  for (const std::size_t place : v.order) out.push_back(v.part.learners[place]);
  for (std::size_t k = 0; k < scores.learners.size(); ++k) {
    if (std::ranges::find(out, k) == out.end()) out.push_back(k);
  }
  return out;
}

std::string test_name(const Verdicts& v) {
  return v.options.test == PairTest::nemenyi ? "Nemenyi's test"
                                             : "Wilcoxon's signed-rank test with Holm's correction";
}

std::string explanation(const Scores& scores, const Verdicts& v) {
  const bool deviations = scores.learners.size() <= k_most_columns;
  std::string out = fmt::format("{}{}: mean{} over splits; * best", scores.measure, arrow(scores),
                                deviations ? " ± deviation" : "");
  const auto has_test = [](const SetVerdicts& set) {
    return std::ranges::any_of(set.p, [](double p) { return std::isfinite(p); });
  };
  if (std::ranges::any_of(v.sets, has_test)) {
    out += fmt::format(
        "; {} worse than the best at level {:g}\n(on a set: corrected resampled t-test with Holm's "
        "correction; mean rank: {})",
        k_worse, v.options.alpha, test_name(v));
  } else if (v.part.sets.size() > 1) {
    out += fmt::format("; {} rank worse than the best at level {:g} ({})", k_worse, v.options.alpha,
                       test_name(v));
  }
  if (v.part.sets.size() < scores.sets.size() && !v.part.learners.empty()) {
    out += fmt::format("\nranks and tests use the {} of {} sets on which no result is missing",
                       v.part.sets.size(), scores.sets.size());
  }
  return out;
}

// What no number of sets like these could show, so that nobody reads it as "the same".
std::string warning(const Verdicts& v) {
  const std::size_t count = v.order.size() * (v.order.size() - 1) / 2;
  const auto pairs = static_cast<double>(count);
  const double least = std::min(1.0, std::ldexp(pairs, 1 - static_cast<int>(v.part.sets.size())));
  if (v.options.test != PairTest::wilcoxon_holm || least < v.options.alpha) return {};
  return fmt::format(
      "With {} sets and {:.0f} {} no difference can be significant at {:g}: the smallest "
      "possible value is {:.2g}.\n",
      v.part.sets.size(), pairs, pairs == 1 ? "pair" : "pairs", v.options.alpha, least);
}

std::string pairs_text(const Scores& scores, const Verdicts& v) {
  std::string out;
  for (const std::size_t a : v.order) {
    std::string worse;
    for (const std::size_t b : v.order) {
      if (!v.differ(a, b) || v.mean_rank[a] >= v.mean_rank[b]) continue;
      worse +=
          fmt::format("{}{} ({})", worse.empty() ? "" : ", ", scores.learners[v.part.learners[b]],
                      p_text(v.pairs()(static_cast<Index>(a), static_cast<Index>(b))));
    }
    if (worse.empty()) continue;
    out += fmt::format("  {} is better than {}\n", scores.learners[v.part.learners[a]], worse);
  }
  return fmt::format("{} at {:g}:{}\n", test_name(v), v.options.alpha,
                     out.empty() ? " no two learners differ" : "") +
         out + warning(v);
}

// Each learner against the one with the best mean rank.
std::string against_best_text(const Scores& scores, const Verdicts& v, bool colours) {
  Table table({{"learner", "", false},
               {"mean rank", ""},
               {"wins/ties/losses of the best", ""},
               {"p", ""},
               {"best is better", ""},
               {"equivalent", ""},
               {"best is worse", ""}});
  const std::size_t best = v.order[0];
  for (const std::size_t k : v.order) {
    if (k == best) continue;
    const auto a = static_cast<Index>(best), b = static_cast<Index>(k);
    const double ties = static_cast<double>(v.part.sets.size()) - v.wins(a, b) - v.wins(b, a);
    const BayesianVerdict& bayes = v.bayesian[k];
    table.add({scores.learners[v.part.learners[k]], fmt::format("{:.2f}", v.mean_rank[k]),
               fmt::format("{:.0f}/{:.0f}/{:.0f}", v.wins(a, b), ties, v.wins(b, a)),
               TableCell::of(v.pairs()(a, b), 4), fmt::format("{:.3f}", bayes.first),
               fmt::format("{:.3f}", bayes.rope), fmt::format("{:.3f}", bayes.second)});
  }
  return fmt::format(
             "\nAgainst {}, the best by mean rank; the last three columns are probabilities by the "
             "Bayesian\nsigned-rank test, differences of at most {:g} count as equivalent\n",
             scores.learners[v.part.learners[best]], v.options.bayesian.rope) +
         table.text(colours);
}

}  // namespace

std::string p_text(double p) {
  return p < 0.0001 ? std::string("p < 0.0001") : fmt::format("p {:.4f}", p);
}

Table scores_table(const Scores& scores, const Verdicts& v) {
  MULBERRY_ASSERT(v.sets.size() == scores.sets.size());
  const double alpha = v.options.alpha;
  const bool ranked = scores.sets.size() > 1;
  if (scores.learners.size() > k_most_columns) {
    std::vector<TableColumn> columns = {{"learner", "", false}};
    if (ranked) columns.push_back({"mean rank", ""});
    for (const SetScores& set : scores.sets) columns.push_back({set.name, ""});
    Table table(std::move(columns));
    for (const std::size_t k : by_rank(scores, v)) {
      std::vector<TableCell> row = {scores.learners[k]};
      if (ranked) row.push_back(rank_cell(v, k));
      for (std::size_t s = 0; s < scores.sets.size(); ++s) {
        row.push_back(score_cell(scores, scores.sets[s], v.sets[s], k, alpha, false));
      }
      table.add(std::move(row));
    }
    return table;
  }
  std::vector<TableColumn> columns = {{"set", "", false}};
  for (const std::string& title : short_names(scores.learners).titles) {
    columns.push_back({title, ""});
  }
  Table table(std::move(columns));
  for (std::size_t s = 0; s < scores.sets.size(); ++s) {
    std::vector<TableCell> row = {scores.sets[s].name};
    for (std::size_t k = 0; k < scores.learners.size(); ++k) {
      row.push_back(score_cell(scores, scores.sets[s], v.sets[s], k, alpha, true));
    }
    table.add(std::move(row));
  }
  if (!ranked) return table;
  table.add_rule();
  std::vector<TableCell> row = {"mean rank"};
  for (std::size_t k = 0; k < scores.learners.size(); ++k) row.push_back(rank_cell(v, k));
  table.add(std::move(row));
  return table;
}

std::string scores_text(const Scores& scores, const Verdicts& v, bool colours) {
  std::string out = explanation(scores, v) + "\n\n" + scores_table(scores, v).text(colours);
  if (scores.learners.size() <= k_most_columns) {
    const std::string key = short_names(scores.learners).key;
    if (!key.empty()) out += "\n" + key;
  }
  if (v.order.size() < 2 || v.part.sets.size() < 2) return out;
  return out + "\n" + tests_text(scores, v) + against_best_text(scores, v, colours);
}

std::string tests_text(const Scores& scores, const Verdicts& v) {
  const FriedmanTest& f = v.friedman;
  std::string out =
      fmt::format("Friedman over {} learners and {} sets: ", v.order.size(), v.part.sets.size());
  out +=
      std::isnan(f.chi_square)
          ? std::string("all values are equal\n")
          : fmt::format("chi-square {:.2f}, {}; Iman-Davenport: F {}, {}\n", f.chi_square,
                        p_text(f.chi_square_p),
                        std::isinf(f.f) ? "infinite" : fmt::format("{:.2f}", f.f), p_text(f.f_p));
  return out + pairs_text(scores, v);
}

std::string scores_latex(std::span<const Scores> scores, std::span<const Verdicts> verdicts) {
  MULBERRY_ASSERT(scores.size() == verdicts.size());
  std::string out = "% Needs \\usepackage{booktabs}.\n";
  for (std::size_t m = 0; m < scores.size(); ++m) {
    std::string words = explanation(scores[m], verdicts[m]);
    if (scores[m].learners.size() <= k_most_columns) {
      const std::string key = short_names(scores[m].learners).key;
      if (!key.empty()) words += "\n" + key;
    }
    while (words.ends_with('\n')) words.pop_back();
    std::string comment = "% ";
    for (const char c : words) comment += c == '\n' ? std::string("\n% ") : std::string(1, c);
    out += "\n" + comment + "\n" + scores_table(scores[m], verdicts[m]).latex();
  }
  return out;
}

}  // namespace mulberry::report
