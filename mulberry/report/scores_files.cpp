// The forms of scores_report.hpp that programs read.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/report/scores_report.hpp"

namespace mulberry::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return number_or_null<Json>(value); }

// {row: {column: value}} for the learners that were compared.
Json pair_table(const Scores& scores, const Verdicts& v, const Matrix& values) {
  Json out = Json::object();
  const auto& names = scores.learners;
  for (Index a = 0; a < values.rows(); ++a) {
    Json row = Json::object();
    for (Index b = 0; b < values.cols(); ++b) {
      if (a != b) row[names[v.part.learners[at(b)]]] = number(values(a, b));
    }
    out[names[v.part.learners[at(a)]]] = std::move(row);
  }
  return out;
}

Json set_tests(const Scores& scores, const Verdicts& v) {
  Json out = Json::object();
  for (std::size_t s = 0; s < scores.sets.size(); ++s) {
    const SetVerdicts& set = v.sets[s];
    if (set.best < 0) continue;
    Json against = Json::object();
    for (std::size_t k = 0; k < scores.learners.size(); ++k) {
      if (!std::isfinite(set.p[k])) continue;
      const ResampledTTest& test = set.against_best[k];
      against[scores.learners[k]] = {{"difference", number(test.mean)},
                                     {"t", number(test.t)},
                                     {"freedom", number(test.freedom)},
                                     {"p", number(test.p)},
                                     {"p_holm", number(set.p[k])}};
    }
    out[scores.sets[s].name] = {{"best", scores.learners[at(set.best)]},
                                {"against", std::move(against)}};
  }
  return out;
}

Json tests_of(const Scores& scores, const Verdicts& v) {
  Json names = Json::array(), sets = Json::array(), groups = Json::array(),
       bayesian = Json::object();
  for (const std::size_t k : v.part.learners) names.push_back(scores.learners[k]);
  for (const std::size_t s : v.part.sets) sets.push_back(scores.sets[s].name);
  for (const auto& [first, last] : v.groups()) {
    Json group = Json::array();
    for (std::size_t k = first; k <= last; ++k) {
      group.push_back(scores.learners[v.part.learners[v.order[k]]]);
    }
    groups.push_back(std::move(group));
  }
  for (std::size_t k = 0; k < v.bayesian.size(); ++k) {
    if (k == v.order[0]) continue;
    bayesian[names[k].get<std::string>()] = {{"better", v.bayesian[k].first},
                                             {"equivalent", v.bayesian[k].rope},
                                             {"worse", v.bayesian[k].second}};
  }
  const Json best = v.bayesian.empty() ? Json(nullptr) : names[v.order[0]];
  return {{"alpha", v.options.alpha},
          {"test", name_of(v.options.test)},
          {"learners", names},
          {"sets", sets},
          {"friedman",
           {{"chi_square", number(v.friedman.chi_square)},
            {"chi_square_p", number(v.friedman.chi_square_p)},
            {"iman_davenport_f", number(v.friedman.f)},
            {"iman_davenport_p", number(v.friedman.f_p)}}},
          {"wilcoxon", pair_table(scores, v, v.wilcoxon)},
          {"wilcoxon_holm", pair_table(scores, v, v.wilcoxon_holm)},
          {"nemenyi",
           {{"critical_difference", number(v.critical_difference)},
            {"p", pair_table(scores, v, v.nemenyi)}}},
          {"groups", groups},
          {"wins", pair_table(scores, v, v.wins)},
          {"bayesian", {{"best", best}, {"rope", v.options.bayesian.rope}, {"against", bayesian}}},
          {"resampled_t", set_tests(scores, v)}};
}

}  // namespace

Table scores_rows(std::span<const Scores> scores, std::span<const Verdicts> verdicts) {
  MULBERRY_ASSERT(scores.size() == verdicts.size());
  Table table({{"measure", "measure", false},
               {"set", "set", false},
               {"learner", "learner", false},
               {"status", "status", false},
               {"mean", "mean"},
               {"deviation", "deviation"},
               {"splits", "splits"},
               {"best", "best"},
               {"rank", "rank"},
               {"p against the best", "p_against_best"}});
  for (std::size_t m = 0; m < scores.size(); ++m) {
    const Verdicts& v = verdicts[m];
    const auto place_in = [](const std::vector<std::size_t>& list, std::size_t value) {
      return std::ranges::find(list, value) - list.begin();
    };
    for (std::size_t s = 0; s < scores[m].sets.size(); ++s) {
      for (std::size_t k = 0; k < scores[m].learners.size(); ++k) {
        const ScoreCell& cell = scores[m].sets[s].cells[k];
        const Index row = place_in(v.part.sets, s), column = place_in(v.part.learners, k);
        const bool ranked = row < v.ranks.rows() && column < v.ranks.cols();
        const auto splits =
            std::ranges::count_if(cell.values, [](double value) { return std::isfinite(value); });
        table.add({scores[m].measure, scores[m].sets[s].name, scores[m].learners[k],
                   std::string(name_of(cell.status)), TableCell::of(mean(cell), 4),
                   TableCell::of(deviation(cell), 4), TableCell::of(static_cast<Index>(splits)),
                   TableCell::of(
                       Index{is_best(scores[m].sets[s], scores[m].higher_is_better, k) ? 1 : 0}),
                   TableCell::of(ranked ? v.ranks(row, column) : std::nan(""), 1),
                   TableCell::of(v.sets[s].p[k], 4)});
      }
    }
  }
  return table;
}

std::string scores_json(std::span<const Scores> scores, std::span<const Verdicts> verdicts) {
  MULBERRY_ASSERT(scores.size() == verdicts.size());
  Json learners = Json::array(), sets = Json::array(), measures = Json::array(),
       means = Json::object(), deviations = Json::object(), statuses = Json::object(),
       ranks = Json::object(), tests = Json::object();
  for (std::size_t m = 0; m < scores.size(); ++m) {
    const Scores& one = scores[m];
    const Verdicts& v = verdicts[m];
    measures.push_back({{"name", one.measure}, {"higher_is_better", one.higher_is_better}});
    Json mean_sets = Json::object(), deviation_sets = Json::object(), status_sets = Json::object();
    for (const SetScores& set : one.sets) {
      Json mean_row = Json::object(), deviation_row = Json::object(), status_row = Json::object();
      for (std::size_t k = 0; k < one.learners.size(); ++k) {
        mean_row[one.learners[k]] = number(mean(set.cells[k]));
        deviation_row[one.learners[k]] = number(deviation(set.cells[k]));
        status_row[one.learners[k]] = name_of(set.cells[k].status);
      }
      mean_sets[set.name] = std::move(mean_row);
      deviation_sets[set.name] = std::move(deviation_row);
      status_sets[set.name] = std::move(status_row);
    }
    means[one.measure] = std::move(mean_sets);
    deviations[one.measure] = std::move(deviation_sets);
    statuses[one.measure] = std::move(status_sets);
    Json rank_row = Json::object();
    for (std::size_t k = 0; k < v.mean_rank.size(); ++k) {
      rank_row[one.learners[v.part.learners[k]]] = number(v.mean_rank[k]);
    }
    ranks[one.measure] = std::move(rank_row);
    tests[one.measure] = tests_of(one, v);
    if (m > 0) continue;
    for (const std::string& name : one.learners) learners.push_back(name);
    for (const SetScores& set : one.sets) sets.push_back(set.name);
  }
  return json_text(Json{{"learners", learners},
                        {"sets", sets},
                        {"measures", measures},
                        {"mean", means},
                        {"deviation", deviations},
                        {"status", statuses},
                        {"ranks", ranks},
                        {"tests", tests}});
}

}  // namespace mulberry::report
