// Forest: random trees whose leaves hold the share of every label, and how they are grown. Shared
// by the learner `forest`, whose trees answer for all labels at once or for one each, and the base
// learner of the same name.
//
// Tree t is grown on a bootstrap sample of the rows (drawn from the stream "forest rows", t) or on
// all of them; a node tries some columns, drawn again for each node, and takes the split of the
// highest summed reduction of variance (base/forest/label_search.hpp). A leaf stores the shares of
// the labels that occur in it, nothing for the others.
//
// Cost of a tree: O(n log n) rows times tried columns times positive labels per row; of a
// prediction: O(depth + labels of the leaf) per tree and row. Trees are grown in parallel.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mulberry/base/forest/label_search.hpp"
#include "mulberry/base/tree_words.hpp"
#include "mulberry/core/archive.hpp"
#include "mulberry/core/params.hpp"
#include "mulberry/math/trees/tree_list.hpp"
#include "mulberry/model/memory_need.hpp"

namespace mulberry::base {

enum class ForestSample { bootstrap, all };
enum class ForestCuts { best, random };

struct ForestParams {
  Index trees = 100;
  std::optional<Index> columns = {};
  Index max_depth = 1000;
  Index max_leaves = 0;
  double min_leaf = 1;
  ForestSample sample = ForestSample::bootstrap;
  ForestCuts cuts = ForestCuts::best;
  Index bins = 255;
  TreeWords words = TreeWords::together;

  bool together() const { return words == TreeWords::together; }
  static Fields fields();
  // For `targets` targets of `labels` labels each; `classes` have one label per row.
  MemoryNeed need(const Extent& extent, double targets, double labels) const;
  MemoryNeed memory(const Extent& e) const { return need(e, 1, e.classes > 2 ? e.classes : 1); }
  MemoryNeed memory_of_labels(const Extent& e) const;
  // What scores of rows out of bag take in addition, while trees are grown and when they are
  // measured.
  double bags_of(const Extent& e, double targets) const {
    return sample == ForestSample::bootstrap ? static_cast<double>(trees) * targets * e.rows / 8
                                             : 0;
  }
  static double measured_of(const Extent& e) { return 2 * e.cells() + 2 * e.truth(); }
};

// Whether row i is in the sample of tree t.
class ForestBags {
 public:
  ForestBags() = default;
  ForestBags(Index trees, Index rows) : words_((rows + 63) / 64), bits_(at(trees * words_), 0) {}
  void add(Index tree, Id row) {
    std::int64_t& word = bits_[at(tree * words_ + row / 64)];
    word = static_cast<std::int64_t>(static_cast<std::uint64_t>(word) | bit(row));
  }
  bool has(Index tree, Id row) const {
    return (static_cast<std::uint64_t>(bits_[at(tree * words_ + row / 64)]) & bit(row)) != 0;
  }
  bool fits(Index trees, Index rows) const {
    return words_ == (rows + 63) / 64 && count_of(bits_) == trees * words_;
  }
  // Adds the trees [begin, end) of other bags of the same rows.
  void append(const ForestBags& other, Index begin, Index end);

  template <class V>
  void visit(V& v) {
    v("words", words_, any_count());
    v("bits", bits_, any_whole());
  }

 private:
  static std::uint64_t bit(Id row) { return std::uint64_t{1} << (row & 63); }

  Index words_ = 0;
  std::vector<std::int64_t> bits_;
};

// What trees are grown for: some labels, known for some rows.
struct ForestTarget {
  LabelRows labels = {};
  std::vector<Id> rows = {};  // those with an observed cell, increasing
};

ForestTarget all_labels(const Labels& y);
ForestTarget one_label(const Labels& y, Index label);

// The samples of the first `trees` trees of every target among `rows` rows, drawn again: those that
// they were grown on, if the data and the seed are the same.
ForestBags draw_bags(std::span<const ForestTarget> targets, std::span<const double> weights,
                     Index rows, Index trees, const Context& ctx);

// What the splits of each column gain, divided by the weight of the tree's sample, tree by tree:
// sums over trees that were grown apart have the bits of those that were grown together.
class ForestGains {
 public:
  ForestGains() = default;
  explicit ForestGains(bool wants_labels) : wants_labels_(wants_labels) {}
  bool wants_labels() const { return wants_labels_; }

  void add_tree(std::span<const std::pair<Id, double>> columns,
                std::span<const std::pair<Index, double>> cells);  // column x labels + label
  // Adds the trees [begin, end) of others.
  void append(const ForestGains& other, Index begin, Index end);
  Index trees() const { return count_of(start_) - 1; }
  bool fits(Index trees, Index columns, Index labels) const;
  // Of each column, mean of trees.
  std::vector<double> total(Index columns) const;
  // Columns x labels, mean of the trees of a label; empty unless wanted.
  Matrix by_label(Index columns, Index labels, Index trees_per_target) const;

  template <class V>
  void visit(V& v) {
    v("wants_labels", wants_labels_);
    v("start", start_, any_count());
    v("column", column_, below(v.features()));
    v("gain", gain_, any_real().length(count_of(column_)));
    v("cell_start", cell_start_, any_count().length(count_of(start_)));
    v("cell", cell_, any_count());
    v("cell_gain", cell_gain_, any_real().length(count_of(cell_)));
    v.require(are_offsets(start_, column_.size()) && are_offsets(cell_start_, cell_.size()),
              "start", "does not fit the gains");
  }

 private:
  bool wants_labels_ = false;
  std::vector<Index> start_ = {0};
  std::vector<Id> column_;
  std::vector<double> gain_;
  std::vector<Index> cell_start_ = {0}, cell_;
  std::vector<double> cell_gain_;
};

class Forest {
 public:
  Forest() = default;
  // `trees` trees for every target, whose labels follow each other in the scores. `bags` and
  // `gains` are filled if they are not null. The random numbers continue after the first `grown`
  // trees, so that trees of two trainings are the trees of one.
  Forest(const Features& x, std::span<const ForestTarget> targets, std::span<const double> weights,
         const ForestParams& params, const Context& ctx, ForestBags* bags = nullptr,
         ForestGains* gains = nullptr, Index grown = 0);
  // The trees of all, in this order for each target; all have the same targets and columns.
  static Forest joined(std::span<const Forest* const> forests);

  Index labels() const { return labels_; }
  const TreeList& trees() const { return trees_; }
  Index targets() const { return targets_; }
  Index trees_per_target() const { return trees_.count() / targets_; }
  Matrix scores(const Features& x, const Context& ctx) const;
  // visit(label, share) for the labels of a leaf.
  template <class Visit>
  void visit_leaf(Id leaf, const Visit& visit) const {
    for (Index k = start_[at(leaf)]; k < start_[at(leaf) + 1]; ++k) {
      visit(index_[at(k)], static_cast<double>(share_[at(k)]));
    }
  }

  template <class V>
  void visit(V& v) {
    v("labels", labels_, exactly(v.outputs()));
    v("targets", targets_, whole(1, v.outputs()));
    v("trees", trees_);
    v("start", start_, any_count().length(trees_.leaves() + 1));
    v("index", index_, below(v.outputs()));
    v("share", share_, real(0, 1).length(count_of(index_)));
    v.require(trees_.count() >= 1 && trees_.count() % targets_ == 0, "targets",
              "does not fit the trees");
    v.require(are_offsets(start_, index_.size()), "start", "does not fit the leaves of the trees");
  }

 private:
  struct Part;
  struct Grower;

  Index labels_ = 0, targets_ = 1;
  TreeList trees_;
  // The labels of each leaf.
  std::vector<Index> start_ = {0};
  std::vector<Id> index_;
  std::vector<float> share_;
};

}  // namespace mulberry::base
