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
// subtree raising. Cost: O(d n log n) to sort once, then O(d n) per level.
#include <algorithm>
#include <cmath>
#include <numeric>

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
    return {
        .fit = e.made_dense() + 4 * e.rows * e.columns + 7 * e.rows + nodes * (20 + 16 * e.classes),
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
        std::fill(row.begin(), row.end(), 0.0);
        x.add_row(i, 1.0, row);
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

class Grower {
 public:
  Grower(const ColumnProblem& problem, const Params& params, const Context& ctx)
      : x_(to_dense(problem.x)), problem_(problem), params_(params), ctx_(ctx) {
    out_.classes = problem.classes;
    order_.resize(at(x_.cols()));
    const auto n = at(x_.rows());
    goes_left_.resize(n);
    parallel_for(ctx_, x_.cols(), [&](Index j) {
      auto& order = order_[at(j)];
      order.resize(n);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(),
                       [&](Id a, Id b) { return value(a, j) < value(b, j); });
    });
  }

  // The grown tree and the class weights of its nodes.
  Tree grow(std::vector<double>& counts) {
    struct Task {
      std::size_t begin, end;
      Index depth;
      std::size_t node;
    };
    std::vector<Task> open = {{0, at(x_.rows()), 0, add_node()}};
    while (!open.empty()) {
      const Task task = open.back();
      open.pop_back();
      count_node(task.node, task.begin, task.end);
      Id column = -1;
      Cut cut;
      if (task.depth < params_.max_depth) column = best_column(task.begin, task.end, cut);
      if (column < 0) continue;
      const std::size_t middle = partition(task.begin, task.end, column, cut.value);
      out_.column[task.node] = column;
      out_.cut[task.node] = cut.value;
      const std::size_t left = add_node(), right = add_node();
      out_.left[task.node] = static_cast<Id>(left);
      out_.right[task.node] = static_cast<Id>(right);
      // Continue with the left side: parents come before their children either way.
      open.push_back({middle, task.end, task.depth + 1, right});
      open.push_back({task.begin, middle, task.depth + 1, left});
    }
    counts = std::move(node_counts_);
    return std::move(out_);
  }

 private:
  double value(Id i, Index j) const { return x_(i, j); }
  double weight(Id i) const { return problem_.weights.empty() ? 1.0 : problem_.weights[at(i)]; }
  std::size_t target(Id i) const { return at(problem_.y[at(i)]); }

  std::size_t add_node() {
    out_.column.push_back(-1);
    out_.cut.push_back(0);
    out_.left.push_back(-1);
    out_.right.push_back(-1);
    node_counts_.resize(node_counts_.size() + at(out_.classes), 0.0);
    return out_.size() - 1;
  }

  // Class weights of the rows [begin, end) of the orders, into total_ and the node.
  void count_node(std::size_t node, std::size_t begin, std::size_t end) {
    total_.assign(at(out_.classes), 0.0);
    for (std::size_t k = begin; k < end; ++k) {
      const Id i = order_[0][k];
      total_[target(i)] += weight(i);
    }
    std::copy(total_.begin(), total_.end(),
              node_counts_.begin() + static_cast<std::ptrdiff_t>(node * total_.size()));
  }

  // The cut with the highest gain in one column; gain 0 if there is none.
  Cut best_cut(Index j, std::size_t begin, std::size_t end, double all, double before) const {
    const auto& order = order_[at(j)];
    std::vector<double> left(total_.size(), 0.0), right = total_;
    double left_weight = 0;
    Cut best;
    double best_left = 0;
    for (std::size_t k = begin; k + 1 < end; ++k) {
      const Id i = order[k];
      const double w = weight(i);
      left[target(i)] += w;
      right[target(i)] -= w;
      left_weight += w;
      const double here = value(i, j), next = value(order[k + 1], j);
      if (!(here < next)) continue;
      const double right_weight = all - left_weight;
      if (left_weight < params_.min_leaf || right_weight < params_.min_leaf) continue;
      const double after =
          (left_weight * entropy(left, left_weight) + right_weight * entropy(right, right_weight)) /
          all;
      if (before - after > best.gain) {
        const double middle = here + (next - here) / 2;
        best = {before - after, 0, middle < next ? middle : here};
        best_left = left_weight;
      }
    }
    if (best.gain > 0) {
      const double sides[] = {best_left, all - best_left};
      best.ratio = best.gain / entropy(sides, all);
    }
    return best;
  }

  // The column to cut a node at, or -1.
  Id best_column(std::size_t begin, std::size_t end, Cut& chosen) const {
    constexpr double k_least_gain = 1e-9;  // smaller gains are rounding errors
    const double all = std::accumulate(total_.begin(), total_.end(), 0.0);
    if (all < 2 * params_.min_leaf) return -1;
    const double before = entropy(total_, all);
    std::vector<Cut> cuts(order_.size());
    parallel_chunks(ctx_, x_.cols(), 8, [&](Index first, Index last) {
      for (Index j = first; j < last; ++j) {
        cuts[at(j)] = best_cut(j, begin, end, all, before);
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

  // Splits the rows of every order, each side keeping its order; returns where the right begins.
  std::size_t partition(std::size_t begin, std::size_t end, Id column, double cut) {
    std::size_t middle = begin;
    for (std::size_t k = begin; k < end; ++k) {
      const Id i = order_[0][k];
      const bool left = value(i, column) <= cut;
      goes_left_[at(i)] = left ? 1 : 0;
      middle += left ? 1 : 0;
    }
    parallel_chunks(ctx_, x_.cols(), 8, [&](Index first, Index last) {
      for (Index j = first; j < last; ++j) {
        auto& order = order_[at(j)];
        std::stable_partition(order.begin() + static_cast<std::ptrdiff_t>(begin),
                              order.begin() + static_cast<std::ptrdiff_t>(end),
                              [&](Id i) { return goes_left_[at(i)] != 0; });
      }
    });
    return middle;
  }

  const FixedMatrix x_;
  const ColumnProblem& problem_;
  const Params& params_;
  const Context& ctx_;
  Tree out_;
  std::vector<std::vector<Id>> order_;  // of every column, the rows by value; nodes are ranges
  std::vector<std::uint8_t> goes_left_;
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
       .tags = {.sparse = false, .probabilities = true, .weights = true}},
      fit);
}

}  // namespace mulberry::base
