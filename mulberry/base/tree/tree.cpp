// Decision tree in the style of C4.5 on numeric columns.
//
// A node is cut at x_j <= t. Each column offers its cut of highest information gain; among the
// columns whose gain is at least the average of those that gain anything, the highest gain ratio
// wins (the lower column, then the lower t, on ties). A cut leaves at least `min_leaf` weight on
// either side. Growing ends when no cut gains anything. Pruning then replaces, from the leaves up,
// a subtree by a leaf if the leaf's pessimistic error is not higher by more than 0.1: the upper end
// of the confidence interval for its errors in training (Wilson's bound with continuity
// correction). Scores are the class shares of a leaf.
//
// Quinlan, "C4.5: Programs for Machine Learning", 1993, without missing values, categories and
// subtree raising. Ours: two classes are told apart on binned features, as those of forests are
// (tree_binned.cpp), and the labels of br share the bins; with bins=0, and for more classes, t is
// midway between two neighbouring values of the node (tree_exact.cpp). Cost: O(stored log n) to
// sort once, then O(stored) per level; rows that are 0 in a sparse column are never visited.
#include <algorithm>
#include <numeric>
#include <optional>

#include "mulberry/base/tree/tree_columns.hpp"
#include "mulberry/base/tree/tree_nodes.hpp"
#include "mulberry/base/tree/tree_pruning.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/data/row_window.hpp"
#include "mulberry/model/define.hpp"

namespace mulberry::base {
namespace {

struct Params {
  double min_leaf = 2;
  Index max_depth = 60;
  bool prune = true;
  double confidence = 0.25;
  Index bins = 255;

  void require() const {
    if (bins != 1) return;
    throw Error(Code::parameter, "tree: expected bins=0 or at least 2 bins, found 1",
                "Set " + core::mention("bins", "0") + " for every cut between values");
  }
  // More than two classes are always cut exactly.
  bool is_binned(Id classes) const { return bins > 0 && classes == 2; }

  static Fields fields() {
    return Fields{
        field("min_leaf", &Params::min_leaf, "smallest weight of a leaf", positive().search(1, 50)),
        field("max_depth", &Params::max_depth, "largest number of cuts between root and leaf",
              between(0, 1000)),
        field("prune", &Params::prune, "replace subtrees whose pessimistic error is no lower"),
        field("confidence", &Params::confidence, "lower values prune more",
              between(1e-6, 0.5).search(0.01, 0.5)),
        field("bins", &Params::bins,
              "largest number of intervals per feature, where there are two classes; 0: every cut "
              "between its values",
              between(0, 255))};
  }
  MemoryNeed memory(const Extent& e) const {
    const double outputs = e.classes > 2 ? e.classes : 1;
    const double nodes = std::min(e.rows, e.rows / (2 * min_leaf));
    const bool binned = is_binned(static_cast<Id>(e.classes));
    const double open = 16 * e.columns * std::min(24.0, static_cast<double>(max_depth) + 1);
    const double columns = binned ? BinnedFeatures::bytes(e, bins) : TreeColumns::bytes(e) + open;
    const double work = binned ? std::max(BinnedFeatures::work_bytes(e), growing(e)) : 37 * e.rows;
    return {.fit = e.pieces() + columns + work + nodes * (20 + 16 * e.classes),
            .model = nodes / 2 * (20 + 8 * e.classes),
            .predict = 8 * e.asked * outputs + 8 * e.columns * e.threads};
  }
  // The labels share their bins.
  MemoryNeed memory_of_labels(const Extent& e) const {
    const Extent alone = e.of_classes(2).alone();
    MemoryNeed one = memory(alone);
    if (!is_binned(2)) return separate_need(one, e);
    const double work = BinnedFeatures::work_bytes(e), shared = BinnedFeatures::bytes(e, bins);
    one.fit += growing(alone) - std::max(work, growing(alone)) - shared;
    MemoryNeed out = separate_need(one, e);
    out.fit = shared + std::max(e.pieces() + work, out.fit);
    return out;
  }

 private:
  // On bins: sums, table, rows and those set aside; offers of columns.
  static double growing(const Extent& e) { return (16 + 8 + 4 + 4) * e.rows + 24 * e.columns; }
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
      data::RowWindow window(x);
      data::SparseLine line;
      std::vector<double> own(x.is_sparse() ? at(x.cols()) : 0);
      for (Index i = begin; i < end; ++i) {
        if (x.is_sparse()) {
          if (i > begin) {
            for (const Id j : x.sparse_row(i - 1, line).index) own[at(j)] = 0;
          }
          x.add_row(i, 1.0, own);
        }
        const auto from =
            leaf_shares(x.is_sparse() ? std::span<const double>(own) : window.values(i));
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

// Turns a node into a leaf if its subtree promises no fewer errors. Children come after their
// parent, so one pass backwards sees children first.
void prune(TreeNodes& tree, double confidence) {
  std::vector<double> promised(tree.size());
  for (std::size_t node = tree.size(); node-- > 0;) {
    const auto own = tree.counts_of(node);
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
Tree compact(const TreeNodes& tree) {
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
    const auto own = tree.counts_of(node);
    const double all = std::accumulate(own.begin(), own.end(), 0.0);
    for (std::size_t c = 0; c < classes; ++c) {
      out.shares[to * classes + c] = all > 0 ? own[c] / all : 0.0;
    }
  }
  return out;
}

Tree finish(TreeNodes tree, const Params& params) {
  if (params.prune) prune(tree, params.confidence);
  return compact(tree);
}

Tree fit(const ColumnProblem& problem, const Params& params, const Context& ctx) {
  params.require();
  if (!params.is_binned(problem.classes)) {
    return finish(grow_exactly(problem, params.min_leaf, params.max_depth, ctx), params);
  }
  const BinnedFeatures bins(problem.x, params.bins, problem.weights, ctx);
  return finish(grow_on_bins(bins, problem, params.min_leaf, params.max_depth, ctx), params);
}

// As label by label; labels without missing cells share the bins.
std::unique_ptr<LabelsModel> fit_labels(const Features& x, const Labels& y,
                                        std::span<const double> weights, const Spec& spec,
                                        const Context& ctx) {
  const auto params = read_params<Params>(spec);
  params.require();
  std::optional<BinnedFeatures> bins;
  if (params.is_binned(2)) bins.emplace(x, params.bins, weights, ctx);
  const auto fit_one = [&](const ColumnProblem& problem,
                           const Context& inner) -> std::unique_ptr<BaseModel> {
    const bool shares = bins.has_value() && &problem.x == &x;
    return std::make_unique<model::detail::BaseModelOf<Tree>>(
        shares
            ? finish(grow_on_bins(*bins, problem, params.min_leaf, params.max_depth, inner), params)
            : fit(problem, params, inner));
  };
  return model::detail::fit_separately(x, y, weights, Scale::probability, fit_one, ctx);
}

}  // namespace

BaseLearner make_tree() {
  BaseLearner out =
      define_base<Params, Tree>({.id = "tree",
                                 .summary = "decision tree on numeric columns, pruned",
                                 .reference = "Quinlan, C4.5: Programs for Machine Learning, 1993",
                                 .scale = Scale::probability,
                                 .tags = {.probabilities = true, .weights = true},
                                 .listed_rows = true,
                                 .revision = 3},
                                fit);
  out.fit_labels = fit_labels;
  out.memory_of_labels = [](const Extent& extent, const Spec& spec) {
    return read_params<Params>(spec).memory_of_labels(extent);
  };
  return out;
}

}  // namespace mulberry::base
