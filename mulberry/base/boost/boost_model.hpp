// Boost: trees added one after another, each of which lowers a loss of the labels, and how they are
// trained. Shared by the learner `boost` and the base learner of the same name.
//
//   score_l(x) = start_l + sum over rounds of the value of l in x's leaf
//
// A round takes the derivatives g, h of the loss at the scores so far (boost_loss.hpp) and grows
// one tree whose leaves have a value per label (leaves=vector), or one tree for every label
// (leaves=each), by the gain of base/boost/gradient_search.hpp. A leaf has the value
//
//   -shrinkage soft(G, l1) / (H + l2)
//
// or, for row_logistic with hessian=full, shrinkage times the Newton step of all labels together,
// found by conjugate gradients. Scores begin with the log odds of each label. With many labels the
// splits are searched with a sketch of the gradients (boost_sketch.hpp), or each node by its
// strongest labels (base/boost/gradient_search.hpp); the leaves always have the full gradients.
//
// Friedman, "Greedy function approximation", Annals of Statistics 29, 2001. Cost of a round: O(n L)
// for derivatives and leaves; O(n d L) for the tree of all labels, O(n d s) with a sketch of s
// columns, O(n d L) for one tree per label; less where columns are sparse. Memory: 8 n L bytes of
// scores, n L of truth.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "mulberry/base/boost/boost_loss.hpp"
#include "mulberry/base/tree_words.hpp"
#include "mulberry/core/archive.hpp"
#include "mulberry/core/params.hpp"
#include "mulberry/data/label_rules.hpp"
#include "mulberry/data/labels.hpp"
#include "mulberry/math/trees/tree_list.hpp"
#include "mulberry/model/memory_need.hpp"

namespace mulberry::base {

enum class BoostLeaves { vector, each };
enum class LeafHessian { diagonal, full };
enum class GradientSketch { automatic, none, random, top, node_top };
enum class ClassWeights { none, balanced };

// The trees; shared with the base learner.
struct BoostTreeParams {
  Index rounds = 100;
  double shrinkage = 0.1;
  Index max_leaves = 31;
  Index max_depth = 1000;
  double min_leaf = 5;
  double l1 = 0, l2 = 1;
  double min_gain = 0;
  double row_share = 1;
  double column_share = 1;
  double node_column_share = 1;
  Index bins = 255;
  TreeWords words = TreeWords::together;

  static Fields fields();
  // Numbers per line of gradients: those of a row, and those that a node looks at.
  struct Lines {
    double kept, searched;
    static double of(double outputs, bool shared = false) {
      return outputs == 1 && !shared ? 4 : (shared ? 1 : 2) * std::ceil(outputs / 4) * 4 + 4;
    }
  };
  MemoryNeed need(const Extent& extent, double labels, bool each, const Lines& lines) const;
  MemoryNeed memory(const Extent& e) const {
    const double outputs = e.classes > 2 ? e.classes : 1, line = Lines::of(outputs);
    return need(e, outputs, e.classes <= 2, {.kept = line, .searched = line});
  }
  MemoryNeed memory_of_labels(const Extent& e) const {
    return need(e, e.labels, true, {.kept = Lines::of(1), .searched = Lines::of(1)});
  }
};

struct BoostOptions {
  BoostLoss loss = BoostLoss::logistic;
  BoostLeaves leaves = BoostLeaves::vector;
  LeafHessian hessian = LeafHessian::diagonal;
  GradientSketch sketch = GradientSketch::automatic;
  Index sketch_size = 20;
  ClassWeights class_weights = ClassWeights::none;
  double validation = 0;  // share of the rows that is held out for early stopping
  std::string measure = "loss";
  double beta = 1;  // of the measures *_fbeta
  Index k = 5;      // of the measures *_at_k
  Index patience = 20;
  bool anytime = true;  // no parameter: whether a stopped run keeps its rounds

  static Fields fields();
};

// What is learnt from. Sets and rules matter only to the measure of held-out rows.
struct BoostData {
  const Features& x;
  const Labels& y;
  std::span<const double> weights = {};  // one per row, or empty: all 1
  const LabelSets* sets = nullptr;
  const LabelRules* rules = nullptr;
};

class Boost {
 public:
  Boost() = default;
  // Continues from `init` if it is not null. If stopped, has the rounds so far.
  static Boost train(const BoostData& data, const BoostTreeParams& trees,
                     const BoostOptions& options, const Boost* init, const Context& ctx);

  Index labels() const { return count_of(start_); }
  const TreeList& trees() const { return trees_; }
  Index rounds() const { return count_of(round_end_); }
  BoostLoss loss() const { return loss_; }
  bool has_tree_per_label() const { return each_; }
  bool interrupted() const { return interrupted_; }
  double objective() const { return objective_; }  // mean loss of a training row
  // The measure on the held-out rows after each round that has one, and its name.
  const std::vector<double>& curve() const { return curve_; }
  const std::string& measure() const { return measure_; }

  // Margins, rows x labels.
  Matrix margins(const Features& x, const Context& ctx) const;
  // Probabilities for the logistic loss, margins otherwise.
  Matrix scores(const Features& x, const Context& ctx) const;
  // Adds what the rounds from `first` on give to margins, rows x labels.
  void add_rounds(const Features& x, Index first, Matrix& margins, const Context& ctx) const;

  template <class V>
  void visit(V& v) {
    v("loss", loss_, up_to(BoostLoss::squared));
    v("start", start_, finite().length(v.outputs()));
    v("trees", trees_);
    v("values", values_, finite());
    v("each", each_);
    v("label_of_tree", label_of_tree_, below(v.outputs()).length(each_ ? trees_.count() : 0));
    v("round_end", round_end_, whole(0, trees_.count()));
    v("objective", objective_, any_real());
    v("measure", measure_);
    v("curve", curve_, any_real());
    v("interrupted", interrupted_);
    v.check([this](const ArchiveReader& in) { require_sound(in); });
  }

 private:
  friend class BoostTrainer;

  void require_sound(const ArchiveReader& in) const;
  void shorten(Index rounds);
  // Adds the values of the leaves that the trees [begin, end) send a row to.
  void add_trees(const double* row, Index begin, Index end, double* scores) const;

  BoostLoss loss_ = BoostLoss::logistic;
  std::vector<double> start_;
  TreeList trees_;
  std::vector<float> values_;      // leaves x labels, or one per leaf of trees for one label
  bool each_ = false;              // every tree has values for one label,
  std::vector<Id> label_of_tree_;  // this one
  std::vector<Index> round_end_;   // the number of trees after each round
  double objective_ = 0;
  std::string measure_;
  std::vector<double> curve_;
  bool interrupted_ = false;
};

}  // namespace mulberry::base
