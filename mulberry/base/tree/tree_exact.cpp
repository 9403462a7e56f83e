// Every cut between two neighbouring values of a column. Where weights are whole numbers, as those
// of rows drawn by bagging are, x log2 x comes from a table, each row changes the sums of two
// classes, and logarithms are taken only of cuts that this cannot rule out.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/base/tree/tree_columns.hpp"
#include "mulberry/base/tree/tree_nodes.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::base {
namespace {

double entropy(std::span<const double> counts, double total) {
  double out = 0;
  for (const double c : counts) {
    if (c > 0) out -= c / total * std::log2(c / total);
  }
  return out;
}

struct Cut {
  double gain = 0;
  double ratio = 0;
  double value = 0;
};

// x log2 x for whole x; empty unless all weights are whole and their sum is moderate.
std::vector<double> make_table(const ColumnProblem& problem) {
  constexpr double k_most = 1 << 20;
  double sum = static_cast<double>(problem.weights.empty() ? problem.y.size() : 0);
  for (const double w : problem.weights) {
    if (w != std::floor(w)) return {};
    sum += w;
  }
  if (!(sum <= k_most)) return {};
  std::vector<double> out(static_cast<std::size_t>(sum) + 1, 0.0);
  for (std::size_t k = 2; k < out.size(); ++k)
    out[k] = static_cast<double>(k) * std::log2(static_cast<double>(k));
  return out;
}

// The weight of every row, by class.
struct RowWeights {
  std::span<const Id> y;
  std::span<const double> weights;  // empty: 1
  std::vector<double> table = {};   // make_table
  std::vector<Id> whole = {},
                  yes = {};  // of two classes, with a table: as whole numbers; of class 1

  explicit RowWeights(const ColumnProblem& problem)
      : y(problem.y), weights(problem.weights), table(make_table(problem)) {
    if (table.empty() || problem.classes != 2) return;
    for (std::size_t i = 0; i < y.size(); ++i) {
      whole.push_back(weights.empty() ? 1 : static_cast<Id>(weights[i]));
      yes.push_back(y[i] == 1 ? whole.back() : 0);
    }
  }
  std::size_t target(Id i) const { return at(y[at(i)]); }
  double weight(Id i) const { return weights.empty() ? 1.0 : weights[at(i)]; }
};

constexpr double k_slack = 1e-7;  // of an entropy from the table

// Rows that move from the right of a cut to its left.
class Sides {
 public:
  Sides(const RowWeights& rows, std::span<const double> total, double all)
      : rows_(rows), left_(total.size(), 0.0), right_(total.begin(), total.end()), all_(all) {
    if (rows.table.empty()) return;
    for (const double c : total) right_sum_ += f(c);
  }

  double left_weight() const { return left_weight_; }
  double right_weight() const { return all_ - left_weight_; }
  void move(Id row) { move(rows_.target(row), rows_.weight(row)); }
  void move(std::size_t target, double w) {
    double &left = left_[target], &right = right_[target];
    if (!rows_.table.empty()) {
      left_sum_ += f(left + w) - f(left);
      right_sum_ += f(right - w) - f(right);
    }
    left += w;
    right -= w;
    left_weight_ += w;
  }
  // The entropy after the cut is certainly not below this.
  double at_least() const {
    if (rows_.table.empty()) return 0;
    return (f(left_weight_) - left_sum_ + f(right_weight()) - right_sum_) / all_ - k_slack;
  }
  double after() const {
    return (left_weight_ * entropy(left_, left_weight_) +
            right_weight() * entropy(right_, right_weight())) /
           all_;
  }

 private:
  double f(double x) const { return rows_.table[static_cast<std::size_t>(x)]; }

  const RowWeights& rows_;
  std::vector<double> left_, right_;
  double all_, left_weight_ = 0, left_sum_ = 0, right_sum_ = 0;  // sums of f over the classes
};

// As Sides, of two classes with whole weights.
class PairSides {
 public:
  PairSides(const RowWeights& rows, std::span<const double> total, double all)
      : rows_(rows), yes_(static_cast<Id>(total[1])), all_(static_cast<Id>(all)) {}

  double left_weight() const { return left_; }
  double right_weight() const { return all_ - left_; }
  void move(Id row) {
    left_ += rows_.whole[at(row)];
    left_yes_ += rows_.yes[at(row)];
  }
  void move(std::size_t target, double w) {
    left_ += static_cast<Id>(w);
    left_yes_ += target == 1 ? static_cast<Id>(w) : 0;
  }
  double at_least() const {
    const Id right = all_ - left_, right_yes = yes_ - left_yes_;
    const double sum = f(left_) - f(left_yes_) - f(left_ - left_yes_) + f(right) - f(right_yes) -
                       f(right - right_yes);
    return sum / all_ - k_slack;
  }
  double after() const {
    const Id right = all_ - left_, right_yes = yes_ - left_yes_;
    const double low[] = {static_cast<double>(left_ - left_yes_), static_cast<double>(left_yes_)};
    const double high[] = {static_cast<double>(right - right_yes), static_cast<double>(right_yes)};
    return (left_ * entropy(low, left_) + right * entropy(high, right)) / all_;
  }

 private:
  double f(Id x) const { return rows_.table[at(x)]; }

  const RowWeights& rows_;
  Id yes_, all_, left_ = 0, left_yes_ = 0;
};

class Grower {
 public:
  Grower(const ColumnProblem& problem, double min_leaf, Index max_depth, const Context& ctx)
      : columns_(problem.x, ctx),
        min_leaf_(min_leaf),
        max_depth_(max_depth),
        ctx_(ctx),
        weights_(problem),
        goes_left_(at(problem.x.rows())),
        rows_(at(problem.x.rows())) {
    out_.classes = problem.classes;
    std::iota(rows_.begin(), rows_.end(), 0);
  }

  TreeNodes grow() {
    struct Task {
      std::size_t begin, end;  // of its rows
      Index depth;
      std::size_t node;
      TreeColumns::Node columns;
    };
    std::vector<Task> open;
    open.push_back({0, rows_.size(), 0, add_node(), columns_.root()});
    while (!open.empty()) {
      const Task task = std::move(open.back());
      open.pop_back();
      const auto rows = std::span(rows_).subspan(task.begin, task.end - task.begin);
      count_node(task.node, rows);
      Id column = -1;
      Cut cut;
      if (task.depth < max_depth_) column = best_column(task.columns, rows.size(), cut);
      if (column < 0) continue;
      const std::size_t middle = task.begin + divide(rows, task.columns, column, cut.value);
      TreeColumns::Node below, above;
      columns_.split(task.columns, goes_left_, below, above, ctx_);
      out_.column[task.node] = column;
      out_.cut[task.node] = cut.value;
      const std::size_t left = add_node(), right = add_node();
      out_.left[task.node] = static_cast<Id>(left);
      out_.right[task.node] = static_cast<Id>(right);
      // Continue with the left side: parents come before their children either way.
      open.push_back({middle, task.end, task.depth + 1, right, std::move(above)});
      open.push_back({task.begin, middle, task.depth + 1, left, std::move(below)});
    }
    return std::move(out_);
  }

 private:
  std::size_t add_node() {
    out_.column.push_back(-1);
    out_.cut.push_back(0);
    out_.left.push_back(-1);
    out_.right.push_back(-1);
    out_.counts.resize(out_.counts.size() + at(out_.classes), 0.0);
    return out_.size() - 1;
  }

  // Class weights of the rows, into total_ and the node.
  void count_node(std::size_t node, std::span<const Id> rows) {
    total_.assign(at(out_.classes), 0.0);
    for (const Id i : rows) total_[weights_.target(i)] += weights_.weight(i);
    std::copy(total_.begin(), total_.end(),
              out_.counts.begin() + static_cast<std::ptrdiff_t>(node * total_.size()));
  }

  // The cut with the highest gain in one column; gain 0 if there is none.
  template <class S>
  Cut best_cut(const TreeColumns::Listed& listed, bool zeros, double all, double before) const {
    if (listed.row.empty()) return {};
    S sides(weights_, total_, all);
    Cut best;
    double best_left = 0;
    const auto consider = [&](double here, double next) {
      if (sides.left_weight() < min_leaf_ || sides.right_weight() < min_leaf_) return;
      if (before - sides.at_least() <= best.gain) return;
      const double gain = before - sides.after();
      if (!(gain > best.gain)) return;
      const double middle = here + (next - here) / 2;
      best = {gain, 0, middle < next ? middle : here};
      best_left = sides.left_weight();
    };
    const auto move = [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        sides.move(listed.row[k]);
        if (k + 1 < end && listed.value[k] < listed.value[k + 1])
          consider(listed.value[k], listed.value[k + 1]);
      }
    };
    const std::size_t count = listed.row.size();
    if (zeros) {
      const auto negative = at(std::lower_bound(listed.value.begin(), listed.value.end(), 0.0) -
                               listed.value.begin());
      std::vector<double> rest = total_;
      for (const Id i : listed.row) rest[weights_.target(i)] -= weights_.weight(i);
      move(0, negative);
      if (negative > 0) consider(listed.value[negative - 1], 0.0);
      for (std::size_t c = 0; c < rest.size(); ++c) {
        if (rest[c] > 0) sides.move(c, rest[c]);
      }
      if (negative < count) consider(0.0, listed.value[negative]);
      move(negative, count);
    } else {
      move(0, count);
    }
    if (best.gain > 0) {
      const double parts[] = {best_left, all - best_left};
      best.ratio = best.gain / entropy(parts, all);
    }
    return best;
  }

  // The column to cut a node at, or -1.
  Id best_column(const TreeColumns::Node& node, std::size_t rows, Cut& chosen) const {
    const double all = std::accumulate(total_.begin(), total_.end(), 0.0);
    if (all < 2 * min_leaf_) return -1;
    const double before = entropy(total_, all);
    if (before == 0) return -1;
    std::vector<Cut> cuts(at(columns_.size()));
    parallel_chunks(ctx_, columns_.size(), 16, [&](Index first, Index last) {
      for (Index j = first; j < last; ++j) {
        const auto listed = columns_.listed(node, j);
        const bool zeros = listed.row.size() < rows;
        cuts[at(j)] = weights_.whole.empty() ? best_cut<Sides>(listed, zeros, all, before)
                                             : best_cut<PairSides>(listed, zeros, all, before);
      }
    });
    double sum = 0;
    int useful = 0;
    for (const Cut& cut : cuts) {
      if (cut.gain <= k_least_gain) continue;
      sum += cut.gain;
      ++useful;
    }
    Id best = -1;
    for (std::size_t j = 0; j < cuts.size(); ++j) {
      const Cut& cut = cuts[j];
      if (cut.gain <= k_least_gain || cut.gain < sum / useful - k_least_gain) continue;
      if (best < 0 || cut.ratio > chosen.ratio) {
        best = static_cast<Id>(j);
        chosen = cut;
      }
    }
    return best;
  }

  // Moves the rows at or below the cut to the front, in order, and flags them; returns how many.
  std::size_t divide(std::span<Id> rows, const TreeColumns::Node& node, Id column, double cut) {
    for (const Id i : rows) goes_left_[at(i)] = 0.0 <= cut ? 1 : 0;
    const auto listed = columns_.listed(node, column);
    for (std::size_t k = 0; k < listed.row.size(); ++k)
      goes_left_[at(listed.row[k])] = listed.value[k] <= cut ? 1 : 0;
    const auto middle = std::stable_partition(rows.begin(), rows.end(),
                                              [&](Id i) { return goes_left_[at(i)] != 0; });
    return at(middle - rows.begin());
  }

  TreeColumns columns_;
  double min_leaf_;
  Index max_depth_;
  const Context& ctx_;
  const RowWeights weights_;
  TreeNodes out_;
  std::vector<std::uint8_t> goes_left_;
  std::vector<Id> rows_;       // nodes are ranges of it
  std::vector<double> total_;  // class weights of the node at hand
};

}  // namespace

TreeNodes grow_exactly(const ColumnProblem& problem, double min_leaf, Index max_depth,
                       const Context& ctx) {
  return Grower(problem, min_leaf, max_depth, ctx).grow();
}

}  // namespace mulberry::base
