#include "mulberry/study/study_results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/index.hpp"
#include "mulberry/study/cell_process.hpp"

namespace mulberry::study {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// The measures that any cell has, in the order of the study and then of their appearance.
std::vector<MeasureValue> measures_of(const Plan& plan,
                                      const std::vector<std::optional<SplitResult>>& cells) {
  EvaluateOptions options;
  options.measures = plan.study.measures;
  std::vector<MeasureValue> out;
  const auto add = [&](const MeasureValue& value) {
    const bool known = std::any_of(out.begin(), out.end(),
                                   [&](const MeasureValue& v) { return v.name == value.name; });
    if (!known) out.push_back(value);
  };
  std::vector<std::string> wanted;
  for (const std::string& name : wanted_measures(options)) {
    if (!evaluate::depends_on_beta(name) || plan.study.betas.empty()) wanted.push_back(name);
    if (!evaluate::depends_on_beta(name)) continue;
    for (const double beta : plan.study.betas) {
      wanted.push_back(evaluate::name_at_beta(name, beta));
    }
  }
  wanted.insert(wanted.end(), plan.study.results.begin(), plan.study.results.end());
  for (const std::string& name : wanted) {
    for (const auto& cell : cells) {
      if (!cell) continue;
      for (const MeasureValue& v : cell->values) {
        if (v.name == name || v.name.starts_with(name + ":") || v.name.starts_with(name + "[")) {
          add(v);
        }
      }
    }
  }
  return out;
}

// Whether a learner is measured so: one with a beta is not by the F-beta measures of others.
bool takes_part(const Study& study, const StudyLearner& learner, const std::string& measure) {
  if (learner.beta == 0) return true;
  for (const double beta : study.betas) {
    if (beta != learner.beta && measure.ends_with(evaluate::name_at_beta("_fbeta", beta))) {
      return false;
    }
  }
  return true;
}

double value_of(const SplitResult& cell, const std::string& measure) {
  for (const MeasureValue& v : cell.values) {
    if (v.name == measure) return v.value;
  }
  return k_nan;
}

}  // namespace

StudyResults collect(const Plan& plan, const CellStore& store) {
  const Study& study = plan.study;
  StudyResults out{.title = study.title,
                   .protocol = describe_protocol(study.protocol),
                   .convention = std::string(measures::name_of(study.measure.convention))};
  for (std::size_t k = 0; k < study.learners.size(); ++k) {
    out.learners.push_back(study.learners[k].name);
    out.expressions.push_back(study.learners[k].spec.text());
  }
  for (const PlannedSet& set : plan.sets) {
    out.sets.push_back(set.set.name);
    out.rows.push_back(plan.data[set.set.data].rows());
    out.labels.push_back(plan.data[set.set.data].labels());
  }
  // By set, learner and split; the cells of the plan are in another order.
  std::vector<std::vector<std::vector<const SplitResult*>>> table;
  std::vector<std::optional<SplitResult>> cells;
  for (const PlannedCell& cell : plan.cells) cells.push_back(plan.find(store, cell));
  for (const PlannedSet& set : plan.sets) {
    table.emplace_back(study.learners.size(),
                       std::vector<const SplitResult*>(set.splits.size(), nullptr));
  }
  out.cells = count_of(cells);
  const OverLimit over(plan, store);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const PlannedCell& cell = plan.cells[c];
    if (cells[c]) {
      table[cell.set][cell.learner][cell.split] = &*cells[c];
    } else if (!over.has(cell)) {
      ++out.missing;
    }
  }
  for (const MeasureValue& measure : measures_of(plan, cells)) {
    // "reuse_score[sea, boat]" is a value of a table, not a measure.
    compare::Scores& scores =
        (measure.name.ends_with("]") ? out.tables : out.scores).emplace_back();
    scores.measure = measure.name;
    scores.higher_is_better = measure.higher_is_better;
    std::vector<std::size_t> members;  // of the scores, in the study
    for (std::size_t k = 0; k < study.learners.size(); ++k) {
      if (!takes_part(study, study.learners[k], measure.name)) continue;
      members.push_back(k);
      scores.learners.push_back(out.learners[k]);
    }
    for (std::size_t s = 0; s < plan.sets.size(); ++s) {
      compare::SetScores& set = scores.sets.emplace_back();
      set.name = out.sets[s];
      for (const Fold& fold : plan.sets[s].splits) {
        set.splits.push_back({count_of(fold.train), count_of(fold.test)});
      }
      for (const std::size_t k : members) {
        compare::ScoreCell& cell = set.cells.emplace_back();
        if (over.has({.set = s, .learner = k})) {
          cell.status = compare::CellStatus::over_limit;
          continue;
        }
        cell.status = compare::CellStatus::measured;
        for (const SplitResult* split : table[s][k]) {
          if (split == nullptr) {
            cell.status = compare::CellStatus::missing;
          } else if (!split->failure.empty()) {
            cell.status = compare::CellStatus::failed;
          } else {
            cell.values.push_back(value_of(*split, measure.name));
            continue;
          }
          break;
        }
        const bool any = std::any_of(cell.values.begin(), cell.values.end(),
                                     [](double v) { return std::isfinite(v); });
        if (cell.status == compare::CellStatus::measured && !any) {
          cell.status = compare::CellStatus::missing;
        }
        if (cell.status != compare::CellStatus::measured) cell.values.clear();
      }
    }
  }
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    std::vector<CellCost>& costs = out.costs.emplace_back();
    auto& chosen = out.chosen.emplace_back();
    for (std::size_t k = 0; k < study.learners.size(); ++k) {
      std::vector<double> fit, predict, search;
      CellCost& cost = costs.emplace_back();
      chosen.emplace_back();
      StudyFailure failure{.set = out.sets[s], .learner = out.learners[k]};
      for (const SplitResult* split : table[s][k]) {
        if (split == nullptr) continue;
        cost.peak_memory = std::max(cost.peak_memory, split->peak_memory);
        if (!split->failure.empty()) {
          if (failure.splits++ == 0) failure.reason = split->failure;
          continue;
        }
        fit.push_back(split->fit_seconds);
        predict.push_back(split->predict_seconds);
        search.push_back(split->search_seconds);
        if (!split->chosen.empty()) chosen.back().push_back(split->chosen);
      }
      cost.fit_seconds = summarise(std::move(fit));
      cost.predict_seconds = summarise(std::move(predict));
      cost.search_seconds = summarise(std::move(search));
      // However many splits ran before one was over the limit.
      if (over.has({.set = s, .learner = k})) failure.splits = count_of(table[s][k]);
      if (failure.splits > 0) out.failures.push_back(std::move(failure));
    }
  }
  return out;
}

std::vector<compare::Verdicts> verdicts_of(const StudyResults& results,
                                           const compare::VerdictOptions& options,
                                           const Context& ctx) {
  std::vector<compare::Verdicts> out;
  for (const compare::Scores& scores : results.scores) {
    out.push_back(compare::judge(scores, options, ctx));
  }
  return out;
}

std::vector<PublishedLine> compare_published(const Study& study, const StudyResults& results) {
  const auto place = [](const std::vector<std::string>& names, const std::string& name) {
    return at(std::find(names.begin(), names.end(), name) - names.begin());
  };
  std::vector<PublishedLine> out;
  for (const PublishedValue& value : study.published) {
    PublishedLine& line = out.emplace_back();
    line.published = value;
    line.ours = line.deviation = k_nan;
    const auto& all = value.measure.ends_with("]") ? results.tables : results.scores;
    const auto scores = std::find_if(all.begin(), all.end(),
                                     [&](const auto& s) { return s.measure == value.measure; });
    if (scores != all.end()) {
      const std::size_t learner = place(scores->learners, value.learner);
      if (learner < scores->learners.size()) {
        const auto& cell = scores->sets[place(results.sets, value.data)].cells[learner];
        line.ours = compare::mean(cell);
        line.deviation = compare::deviation(cell);
      }
    }
    if (value.measure == k_fit_seconds) {
      const CellCost& cost =
          results.costs[place(results.sets, value.data)][place(results.learners, value.learner)];
      line.ours = cost.fit_seconds.mean;
    }
    line.comparable = !study.other_data && value.measure != k_fit_seconds;
    line.reached = line.comparable &&
                   std::abs(line.ours - value.value) <= std::max(study.within, value.deviation);
    const auto fits = [](const std::string& wanted, const std::string& name) {
      return wanted.empty() || wanted == name;
    };
    for (const PublishedRemark& remark : study.remarks) {
      if (line.reached || !std::isfinite(line.ours)) break;
      if (fits(remark.measure, value.measure) && fits(remark.learner, value.learner) &&
          fits(remark.data, value.data)) {
        line.remark = remark.text;
        break;
      }
    }
  }
  return out;
}

}  // namespace mulberry::study
