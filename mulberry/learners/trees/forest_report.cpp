#include "mulberry/learners/trees/forest_report.hpp"

#include "mulberry/core/parallel.hpp"

namespace mulberry::learners {
namespace {

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
  out_of_bag_ = OutOfBagScores(forest, data.x(), data.y(), *bags, ctx.quiet());
  keeps_scores_ = oob == OutOfBag::scores;
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
  out_of_bag_ = std::move(other.out_of_bag_);
  keeps_scores_ = other.keeps_scores_;
}

std::vector<Result> ForestReport::results() const {
  std::vector<Result> out = out_of_bag_.results();
  if (keeps_scores_) {
    out.push_back({.id = "oob_scores",
                   .sentence = "scores of the training rows by the trees that have not seen them",
                   .rows = Axis::numbered,
                   .columns = Axis::labels,
                   .values = *held_out()});
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
  return out_of_bag_.is_sound() && (importance_.empty() || count_of(importance_) == columns) &&
         matrix && (!keeps_scores_ || held_out() == nullptr || held_out()->cols() == labels);
}

}  // namespace mulberry::learners
