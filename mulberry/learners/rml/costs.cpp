#include "mulberry/learners/rml/costs.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/learners/rml/cut.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::learners::rml {

namespace {

// The noise of a held-out measure is larger than the effect of this gap, and scorers that take
// longer belong to a C that is too large: they are accurate enough to lose.
constexpr double k_search_tolerance = 1e-2;
constexpr int k_search_iterations = 200;

std::size_t first_best(const std::vector<double>& values) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < values.size(); ++k) {
    if (values[k] > values[best]) best = k;
  }
  return best;
}

}  // namespace

double CostSearch::best() const { return costs[first_best(mean)]; }

std::vector<double> CostSearch::best_by_label() const {
  std::vector<double> out;
  for (Index l = 0; l < value.cols(); ++l) {
    std::vector<double> column;
    for (Index c = 0; c < value.rows(); ++c) column.push_back(value(c, l));
    out.push_back(std::isnan(column.front()) ? best() : costs[first_best(column)]);
  }
  return out;
}

CostSearch search_costs(const Inputs& inputs, const Labels& y, const Settings& settings,
                        Index folds, bool cut, const Context& ctx) {
  CostSearch out;
  out.costs = {1e-2, 1e-1, 1, 1e1, 1e2, 1e3};
  const auto costs = count_of(out.costs);
  const Index labels = y.count();
  const auto splits = k_folds(y, {.folds = folds}, ctx);
  Settings looser = settings;
  looser.tolerance = std::max(settings.tolerance, k_search_tolerance);
  looser.max_iterations = std::min(settings.max_iterations, k_search_iterations);

  // One cell per (fold, label, cost), and per (row, label, cost): tasks never share one.
  const auto parts = count_of(splits);
  std::vector<Matrix> scores;
  for (Index c = 0; cut && c < costs; ++c) {
    scores.emplace_back(inputs.rows(), labels, 0.0);
    scores.back().data();  // owns its memory before threads write to it
  }
  std::vector<Counts> counts(at(parts * labels * costs));
  std::atomic<Index> done = 0;
  parallel_for(ctx, parts * labels, [&](Index task) {
    const Fold& fold = splits[at(task / labels)];
    const Index label = task % labels;
    const Cells train = observed_cells(y, label, fold.train);
    const Cells test = observed_cells(y, label, fold.test);
    if (train.size() > 0) {
      train_column(inputs, train, label, looser, out.costs, ctx.quiet(),
                   [&](std::size_t k, const Scorer& scorer) {
                     const auto column = column_scores(inputs, test.rows, scorer);
                     counts[at(task * costs) + k] = count_cells(test, column, settings);
                     for (std::size_t i = 0; cut && i < column.size(); ++i) {
                       scores[k](test.rows[i], label) = column[i];
                     }
                   });
    }
    ctx.step(static_cast<double>(++done) / static_cast<double>(parts * labels));
  });

  out.value = Matrix(costs, labels);
  for (Index c = 0; c < costs; ++c) {
    double sum = 0;
    Index counted = 0;
    std::vector<Counts> after_cuts;
    if (cut) after_cuts = counts_of_cuts(scores[at(c)], y, splits, settings, ctx.quiet());
    for (Index l = 0; l < labels; ++l) {
      Counts all;
      for (Index f = 0; f < parts; ++f) all += counts[at((f * labels + l) * costs + c)];
      if (cut) all = after_cuts[at(l)];
      const bool counts_here =
          all.positives > 0 || (settings.loss.measure() == SetMeasure::hamming && all.rows > 0);
      out.value(c, l) =
          counts_here ? all.value(settings.loss) : std::numeric_limits<double>::quiet_NaN();
      if (counts_here) sum += out.value(c, l);
      counted += counts_here ? 1 : 0;
    }
    out.mean.push_back(counted > 0 ? sum / static_cast<double>(counted) : 0);
  }
  return out;
}

}  // namespace mulberry::learners::rml
