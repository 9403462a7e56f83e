// Decision tree in the style of C4.5 on numeric columns.
//
// A node is cut at x_j <= t, t midway between two neighbouring values. Each column offers its cut
// of highest information gain; among the columns whose gain is at least the average of those that
// gain anything, the highest gain ratio wins (the lower column, then the lower t, on ties). A cut
// leaves at least `min_leaf` weight on either side. Growing ends when no cut gains anything.
// Pruning then replaces, from the leaves up, a subtree by a leaf if the leaf's pessimistic error is
// not higher by more than 0.1: the upper end of the confidence interval for its errors in training
// (Wilson's bound with continuity correction). Scores are the class shares of a leaf.
//
// Quinlan, "C4.5: Programs for Machine Learning", 1993, without missing values, categories and
// subtree raising. Cost: O(stored log n) to sort once, then O(stored) per level: rows that are 0 in
// a column are never listed (tree_columns.hpp). Where weights are whole numbers, as those of rows
// drawn by bagging are, x log2 x comes from a table, each row changes the sums of two classes, and
// logarithms are taken only of cuts that this cannot rule out.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/base/tree_columns.hpp"
#include "mulberry/base/tree_pruning.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::base {
namespace {

struct Params {
  double min_leaf = 2;
  Index max_depth = 60;
  bool prune = true;
  double confidence = 0.25;

  static Fields fields() {
    return Fields{
        field("min_leaf", &Params::min_leaf, "smallest weight of a leaf", positive().search(1, 50)),
        field("max_depth", &Params::max_depth, "largest number of cuts between root and leaf",
              between(0, 1000)),
        field("prune", &Params::prune, "replace subtrees whose pessimistic error is no lower"),
        field("confidence", &Params::confidence, "lower values prune more",
              between(1e-6, 0.5).search(0.01, 0.5))};
  }
  MemoryNeed memory(const Extent& e) const {
    const double outputs = e.classes > 2 ? e.classes : 1;
    const double nodes = std::min(e.rows, e.rows / (2 * min_leaf));
    const double open = 16 * e.columns * std::min(24.0, static_cast<double>(max_depth) + 1);
    return {.fit = e.pieces() + TreeColumns::bytes(e) + open + 37 * e.rows +
                   nodes * (20 + 16 * e.classes),
            .model = nodes / 2 * (20 + 8 * e.classes),
            .predict = 8 * e.asked * outputs + 8 * e.columns * e.threads};
  }
};

struct Tree {
  Id classes = 2;
  std::vector<Id> column;   // of the cut; -1 for a leaf
  std::vector<double> cut;  // left if x <= cut
  std::vector<Id> left;     // children, always after their parent
  std::vector<Id> right;
  std::vector<double> shares;  // classes per node

  std::size_t size() const { return column.size(); }

  std::span<const double> leaf_shares(std::span<const double> row) const {
    std::size_t node = 0;
    while (column[node] >= 0) {
      const bool goes_left = row[at(column[node])] <= cut[node];
      node = at(goes_left ? left[node] : right[node]);
    }
    const auto width = at(classes);
    return std::span(shares).subspan(node * width, width);
  }

  Matrix scores(const Features& x, const Context& ctx) const {
    const Index width = classes == 2 ? 1 : classes;
    Matrix out(x.rows(), width);
    double* values = out.data();
    parallel_chunks(ctx, x.rows(), 1024, [&](Index begin, Index end) {
      std::vector<double> row(at(x.cols()));
      for (Index i = begin; i < end; ++i) {
        if (!x.is_sparse()) {
          std::copy_n(x.dense().data() + i * x.cols(), x.cols(), row.begin());
        } else {
          if (i > begin) {
            for (const Id j : x.sparse().row(i - 1).index) row[at(j)] = 0;
          }
          x.add_row(i, 1.0, row);
        }
        const auto from = leaf_shares(row);
        const auto first = from.begin() + (classes == 2 ? 1 : 0);
        std::copy(first, from.end(), values + i * width);
      }
    });
    return out;
  }

  Summary summary() const { return {.rounds = static_cast<Index>(size())}; }

  template <class V>
  void visit(V& v) {
    v("classes", classes, exactly(classes_behind(v.outputs())));
    v("column", column, whole(-1, v.features() - 1));
    const Index nodes = count_of(column);
    v("cut", cut, finite_or_infinite().length(nodes));
    v("left", left, whole(-1, nodes - 1).length(nodes));
    v("right", right, whole(-1, nodes - 1).length(nodes));
    v("shares", shares, real(0, 1).length(nodes * classes));
    v.check([this](const ArchiveReader& in) { require_sound(in); });
  }

  // A tree from a file must not send a row out of bounds or in circles.
  void require_sound(const ArchiveReader& in) const {
    const std::size_t n = size();
    in.require(n >= 1, "column", "has no node");
    for (std::size_t k = 0; k < n; ++k) {
      if (column[k] < 0) continue;
      for (const Id child : {left[k], right[k]}) {
        in.require(child > static_cast<Id>(k), "left", "has a child that is no later node");
      }
    }
  }
};

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
  Grower(const ColumnProblem& problem, const Params& params, const Context& ctx)
      : columns_(problem.x, ctx),
        params_(params),
        ctx_(ctx),
        weights_(problem),
        goes_left_(at(problem.x.rows())),
        rows_(at(problem.x.rows())) {
    out_.classes = problem.classes;
    std::iota(rows_.begin(), rows_.end(), 0);
  }

  // The grown tree and the class weights of its nodes.
  Tree grow(std::vector<double>& counts) {
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
      if (task.depth < params_.max_depth) column = best_column(task.columns, rows.size(), cut);
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
    counts = std::move(node_counts_);
    return std::move(out_);
  }

 private:
  std::size_t add_node() {
    out_.column.push_back(-1);
    out_.cut.push_back(0);
    out_.left.push_back(-1);
    out_.right.push_back(-1);
    node_counts_.resize(node_counts_.size() + at(out_.classes), 0.0);
    return out_.size() - 1;
  }

  // Class weights of the rows, into total_ and the node.
  void count_node(std::size_t node, std::span<const Id> rows) {
    total_.assign(at(out_.classes), 0.0);
    for (const Id i : rows) total_[weights_.target(i)] += weights_.weight(i);
    std::copy(total_.begin(), total_.end(),
              node_counts_.begin() + static_cast<std::ptrdiff_t>(node * total_.size()));
  }

  // The cut with the highest gain in one column; gain 0 if there is none.
  template <class S>
  Cut best_cut(const TreeColumns::Listed& listed, bool zeros, double all, double before) const {
    if (listed.row.empty()) return {};
    S sides(weights_, total_, all);
    Cut best;
    double best_left = 0;
    const auto consider = [&](double here, double next) {
      if (sides.left_weight() < params_.min_leaf || sides.right_weight() < params_.min_leaf) return;
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
      const auto negative = static_cast<std::size_t>(
          std::lower_bound(listed.value.begin(), listed.value.end(), 0.0) - listed.value.begin());
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
    constexpr double k_least_gain = 1e-9;  // smaller gains are rounding errors
    const double all = std::accumulate(total_.begin(), total_.end(), 0.0);
    if (all < 2 * params_.min_leaf) return -1;
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
    return static_cast<std::size_t>(middle - rows.begin());
  }

  TreeColumns columns_;
  const Params& params_;
  const Context& ctx_;
  const RowWeights weights_;
  Tree out_;
  std::vector<std::uint8_t> goes_left_;
  std::vector<Id> rows_;             // nodes are ranges of it
  std::vector<double> total_;        // class weights of the node at hand
  std::vector<double> node_counts_;  // class weights of every node
};

std::span<const double> counts_of(const std::vector<double>& counts, std::size_t node,
                                  std::size_t classes) {
  return std::span(counts).subspan(node * classes, classes);
}

// Turns a node into a leaf if its subtree promises no fewer errors. Children come after their
// parent, so one pass backwards sees children first.
void prune(Tree& tree, const std::vector<double>& counts, double confidence) {
  const auto classes = at(tree.classes);
  std::vector<double> promised(tree.size());
  for (std::size_t node = tree.size(); node-- > 0;) {
    const auto own = counts_of(counts, node, classes);
    const double all = std::accumulate(own.begin(), own.end(), 0.0);
    const double errors = all - *std::max_element(own.begin(), own.end());
    promised[node] = all > 0 ? pessimistic_errors(all, errors, confidence) : 0.0;
    if (tree.column[node] < 0) continue;
    const double below = promised[at(tree.left[node])] + promised[at(tree.right[node])];
    if (promised[node] <= below + 0.1) {
      tree.column[node] = -1;
    } else {
      promised[node] = below;
    }
  }
}

// The nodes that can be reached, with their class shares.
Tree compact(const Tree& tree, const std::vector<double>& counts) {
  const auto classes = at(tree.classes);
  Tree out;
  out.classes = tree.classes;
  std::vector<Id> place(tree.size(), -1);
  place[0] = 0;
  Id next = 1;
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (place[node] < 0 || tree.column[node] < 0) continue;
    place[at(tree.left[node])] = next++;
    place[at(tree.right[node])] = next++;
  }
  const auto size = at(next);
  out.column.assign(size, -1);
  out.cut.assign(size, 0.0);
  out.left.assign(size, -1);
  out.right.assign(size, -1);
  out.shares.assign(size * classes, 0.0);
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (place[node] < 0) continue;
    const auto to = at(place[node]);
    if (tree.column[node] >= 0) {
      out.column[to] = tree.column[node];
      out.cut[to] = tree.cut[node];
      out.left[to] = place[at(tree.left[node])];
      out.right[to] = place[at(tree.right[node])];
    }
    const auto own = counts_of(counts, node, classes);
    const double all = std::accumulate(own.begin(), own.end(), 0.0);
    for (std::size_t c = 0; c < classes; ++c) {
      out.shares[to * classes + c] = all > 0 ? own[c] / all : 0.0;
    }
  }
  return out;
}

Tree fit(const ColumnProblem& problem, const Params& params, const Context& ctx) {
  std::vector<double> counts;
  Tree tree = Grower(problem, params, ctx).grow(counts);
  if (params.prune) prune(tree, counts, params.confidence);
  return compact(tree, counts);
}

}  // namespace

BaseLearner make_tree() {
  return define_base<Params, Tree>(
      {.id = "tree",
       .summary = "decision tree on numeric columns, pruned",
       .reference = "Quinlan, C4.5: Programs for Machine Learning, 1993",
       .scale = Scale::probability,
       .tags = {.probabilities = true, .weights = true},
       .revision = 2},
      fit);
}

}  // namespace mulberry::base
