#include "mulberry/learners/trees/forest_report.hpp"

#include <cmath>
#include <limits>

#include "mulberry/core/parallel.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/prediction.hpp"

namespace mulberry::learners {
namespace {

constexpr const char* k_trees = "trees";
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// The mean over the trees that have not seen a row.
Matrix out_of_bag(const Forest& forest, const Features& x, const ForestBags& bags,
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

// How much the squared error of the left-out rows of a tree grows if the values of a column are
// shuffled among them: mean over rows and trees, for every label.
Matrix permuted_errors(const Forest& forest, const Compact& data, const ForestBags& bags,
                       const Context& ctx) {
  const Index labels = forest.labels(), trees = forest.trees().count();
  Matrix out(data.x().cols(), labels);
  std::vector<std::vector<std::pair<Id, std::vector<double>>>> parts(at(trees));
  parallel_for(ctx, trees, [&](Index t) {
    std::vector<Id> rows;
    for (Id i = 0; i < data.x().rows(); ++i) {
      if (!bags.has(t, i)) rows.push_back(i);
    }
    if (rows.empty()) return;
    double total = 0;
    std::vector<Id> before;
    RowReader reader(data.x());
    for (const Id i : rows) {
      total += data.weight(i);
      before.push_back(forest.trees().leaf(t, reader.row(i)));
    }
    for (const Id column : forest.trees().columns_of(t)) {
      ctx.check();
      std::vector<double> values, growth(at(labels), 0.0);
      for (const Id i : rows) values.push_back(data.x().at(i, column));
      ctx.rng("forest permutation", static_cast<std::uint64_t>(t),
              static_cast<std::uint64_t>(column))
          .shuffle(std::span(values));
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const double* const row = reader.row(rows[k]);
        const Id after =
            forest.trees().leaf_of(t, [&](Id j) { return j == column ? values[k] : row[j]; });
        if (after == before[k]) continue;
        const auto add = [&](double sign) {
          return [&, sign](Id l, double share) {
            const Cell cell = data.y().cell(rows[k], l);
            if (cell == Cell::missing) return;
            const double truth = cell == Cell::positive ? 1 : 0;
            growth[at(l)] += sign * data.weight(rows[k]) * share * (share - 2 * truth);
          };
        };
        forest.visit_leaf(after, add(1));
        forest.visit_leaf(before[k], add(-1));
      }
      for (double& g : growth) g /= total;
      parts[at(t)].emplace_back(column, std::move(growth));
    }
    ctx.step(static_cast<double>(t) / static_cast<double>(trees));
  });
  for (const auto& part : parts) {
    for (const auto& [column, growth] : part) {
      for (Index l = 0; l < labels; ++l) {
        out(column, l) += growth[at(l)] / static_cast<double>(forest.trees_per_target());
      }
    }
  }
  return out;
}

}  // namespace

ForestReport::ForestReport(const Forest& forest, const Compact& data, const ForestBags* bags,
                           const ForestGains* gains, OutOfBag oob, Importance importance,
                           const Context& ctx) {
  if (gains != nullptr) {
    importance_ = gains->total(data.x().cols());
    by_label_ = gains->by_label(data.x().cols(), forest.labels(), forest.trees_per_target());
  }
  if (bags == nullptr) return;
  if (importance == Importance::permutation) {
    permuted_ = true;
    by_label_ = permuted_errors(forest, data, *bags, ctx.quiet());
    for (Index j = 0; j < by_label_.rows(); ++j) {
      double sum = 0;
      for (const double v : by_label_.row(j)) sum += v;
      importance_[at(j)] = sum;
    }
  }
  if (oob == OutOfBag::none) return;
  scores_ = out_of_bag(forest, data.x(), *bags, ctx.quiet());
  keeps_scores_ = oob == OutOfBag::scores;
  measure(data.y(), ctx.quiet());
}

void ForestReport::blend(const ForestReport& earlier, double share) {
  const auto mix = [share](double before, double now) {
    return share * before + (1 - share) * now;
  };
  if (earlier.permuted_ != permuted_ || earlier.importance_.size() != importance_.size()) {
    importance_.clear();  // of some trees only, or of two kinds
  }
  for (std::size_t j = 0; j < importance_.size(); ++j) {
    importance_[j] = mix(earlier.importance_[j], importance_[j]);
  }
  if (earlier.permuted_ != permuted_ || earlier.by_label_.size() != by_label_.size()) {
    by_label_ = {};
  }
  for (Index k = 0; k < by_label_.size(); ++k) {
    by_label_.data()[k] = mix(earlier.by_label_.data()[k], by_label_.data()[k]);
  }
}

void ForestReport::take_out_of_bag(ForestReport&& other) {
  measures_ = std::move(other.measures_);
  values_ = std::move(other.values_);
  scores_ = std::move(other.scores_);
  keeps_scores_ = other.keeps_scores_;
}

void ForestReport::say_trees(Index trees) {
  if (measures_.empty()) return;
  measures_.emplace_back(k_trees);
  values_.push_back(static_cast<double>(trees));
}

void ForestReport::measure(const Labels& y, const Context& ctx) {
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

std::vector<Result> ForestReport::results() const {
  std::vector<Result> out;
  if (!measures_.empty()) {
    const bool all = std::ranges::find(measures_, k_trees) == measures_.end();
    const std::string seen =
        "rows that some trees have not seen, and measures of the scores that these trees give them";
    out.push_back({.id = "out_of_bag",
                   .sentence = all ? seen
                                   : seen + "; of the trees of the last training only: which of "
                                            "these rows earlier ones have seen is not known",
                   .rows = Axis::named,
                   .row_names = measures_,
                   .column_names = {"value"},
                   .values = Matrix(count_of(values_), 1, values_)});
  }
  if (keeps_scores_) {
    out.push_back({.id = "oob_scores",
                   .sentence = "scores of the training rows by the trees that have not seen them",
                   .rows = Axis::numbered,
                   .columns = Axis::labels,
                   .values = scores_});
  }
  const std::string what =
      permuted_ ? "growth of the squared error of left-out rows if the feature is shuffled"
                : "reduction of variance by the splits of the feature";
  if (!importance_.empty()) {
    out.push_back({.id = "importance",
                   .sentence = "of each feature: " + what + ", sum of labels",
                   .rows = Axis::features,
                   .column_names = {permuted_ ? "permutation" : "gain"},
                   .values = Matrix(count_of(importance_), 1, importance_)});
  }
  if (by_label_.size() > 0) {
    out.push_back({.id = "importance_by_label",
                   .sentence = "of each feature: " + what,
                   .rows = Axis::features,
                   .columns = Axis::labels,
                   .values = by_label_});
  }
  return out;
}

bool ForestReport::fits(Index columns, Index labels) const {
  const bool matrix =
      by_label_.size() == 0 || (by_label_.rows() == columns && by_label_.cols() == labels);
  return values_.size() == measures_.size() &&
         (importance_.empty() || count_of(importance_) == columns) && matrix &&
         (!keeps_scores_ || scores_.cols() == labels);
}

}  // namespace mulberry::learners
