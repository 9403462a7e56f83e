#include "mulberry/base/forest/out_of_bag.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/parallel.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/prediction.hpp"

namespace mulberry::base {
namespace {

constexpr const char* k_trees = "trees";
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// The mean over the trees that have not seen a row.
Matrix mean_of_others(const Forest& forest, const Features& x, const ForestBags& bags,
                      const Context& ctx) {
  const Index labels = forest.labels(), trees = forest.trees_per_target();
  Matrix out(x.rows(), labels);
  double* const scores = out.data();
  parallel_chunks(ctx, x.rows(), 128, [&](Index begin, Index end) {
    RowReader reader(x);
    for (Index i = begin; i < end; ++i) {
      const double* const row = reader.row(i);
      double* const to = scores + i * labels;
      for (Index target = 0; target < forest.targets(); ++target) {
        double count = 0;
        for (Index t = target * trees; t < (target + 1) * trees; ++t) {
          if (bags.has(t, static_cast<Id>(i))) continue;
          ++count;
          forest.visit_leaf(forest.trees().leaf(t, row),
                            [&](Id l, double share) { to[l] += share; });
        }
        // One target has all labels, or each has one.
        const Index first = forest.targets() == 1 ? 0 : target;
        const Index last = forest.targets() == 1 ? labels : target + 1;
        for (Index l = first; l < last; ++l) {
          to[l] = count > 0 ? std::min(1.0, to[l] / count) : k_nan;
        }
      }
    }
  });
  return out;
}

}  // namespace

OutOfBagScores::OutOfBagScores(const Forest& forest, const Features& x, const Labels& y,
                               const ForestBags& bags, const Context& ctx)
    : scores_(mean_of_others(forest, x, bags, ctx)) {
  measure(y, ctx);
}

void OutOfBagScores::say_trees(Index trees) {
  if (measures_.empty()) return;
  measures_.emplace_back(k_trees);
  values_.push_back(static_cast<double>(trees));
}

void OutOfBagScores::measure(const Labels& y, const Context& ctx) {
  std::vector<Id> rows;
  for (Id i = 0; i < scores_.rows(); ++i) {
    const auto row = scores_.row(i);
    if (std::ranges::none_of(row, [](double v) { return std::isnan(v); })) rows.push_back(i);
  }
  measures_ = {"rows"};
  values_ = {static_cast<double>(rows.size())};
  if (rows.empty()) return;
  const Labels truth = take_rows(y, rows);
  const Prediction prediction{.scores = measures::take_rows(scores_, rows),
                              .scale = Scale::probability};
  const Labels decided = decide(prediction);
  for (const char* name : {"average_precision", "ranking_loss", "one_error", "macro_auc",
                           "macro_f1", "micro_f1", "hamming_loss", "brier_score"}) {
    const Outcome outcome{.scores = &prediction.scores, .decided = &decided, .probabilities = true};
    const MeasureValue value = measures::measure(name, truth, outcome, {}, ctx);
    if (std::isnan(value.value)) continue;
    measures_.emplace_back(name);
    values_.push_back(value.value);
  }
}

std::vector<Result> OutOfBagScores::results() const {
  if (measures_.empty()) return {};
  const bool all = std::ranges::find(measures_, k_trees) == measures_.end();
  const std::string seen =
      "rows that some trees have not seen, and measures of the scores that these trees give them";
  return {{.id = "out_of_bag",
           .sentence = all ? seen
                           : seen + "; of the trees of the last training only: which of "
                                    "these rows earlier ones have seen is not known",
           .rows = Axis::named,
           .row_names = measures_,
           .column_names = {"value"},
           .values = Matrix(count_of(values_), 1, values_)}};
}

}  // namespace mulberry::base
